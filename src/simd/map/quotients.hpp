// Quotients and remainders by whole registers: of floats, and of integers through float64 or, with
// a single short divisor, its reciprocal (reciprocals.hpp). Where a step could round, overflow or
// raise, elements go one at a time (lane_scalar.hpp), with bit-identical results.
#pragma once

#include "simd/map/map_loop.hpp"
#include "simd/map/reciprocals.hpp"
#include "simd/math/quotient.hpp"
#include "simd/reduce/fold_lanes.hpp"

namespace hassium::HS_SIMD_NS {

// Floats need fused multiply-add.
template <class R, DType D>
inline constexpr bool kHasQuotients =
    (R::kOp == Op::FloorDivide || R::kOp == Op::Remainder || R::kOp == Op::Fmod ||
     R::kOp == Op::Divmod) &&
    kHasMap<R, D> && (is_integer(D) || (HS_FUSED && kind(D) == DTypeKind::Float));

// ---- floats ----

// Addresses of the results and of the two inputs from element i on.
template <class R, DType D>
struct Divided {
    static constexpr int kOuts = R::kOutputs;
    std::int64_t steps[kOuts + 3] = {};  // also for the absent third input
    char* const* ptr;
    HS_INLINE Divided(char* const* all, std::uint32_t scalars) : ptr(all) {
        for (int k = 0; k < kOuts; ++k) steps[k] = kBytes<D>;
        steps[kOuts] = scalars & 1u ? 0 : kBytes<D>;
        steps[kOuts + 1] = scalars & 2u ? 0 : kBytes<D>;
    }
    HS_INLINE char* at(int k, std::int64_t i) const { return ptr[k] + i * steps[k]; }
    HS_INLINE bool still(int k) const { return steps[k] == 0; }
    HS_INLINE void one_by_one(std::int64_t i, std::int64_t count) const {
        char* from[kOuts + 2];
        for (int k = 0; k < kOuts + 2; ++k) from[k] = at(k, i);
        scalar_loop<R, D>(from, steps + kOuts, count);
    }
};

template <class R, DType D>
HS_INLINE void store_quotients(const Divided<R, D>& x, std::int64_t i, Register<D> a,
                               Register<D> b) {
    const auto rest = math::exact_fmod(a, b);
    if constexpr (R::kOp == Op::Fmod) {
        store_register<D>(x.at(0, i), rest);
    } else if constexpr (R::kOp == Op::Remainder) {
        store_register<D>(x.at(0, i), math::rest_down(rest, b));
    } else {
        store_register<D>(x.at(0, i), math::quotient_down(a, b, rest));
        if constexpr (R::kOutputs == 2) store_register<D>(x.at(1, i), math::rest_down(rest, b));
    }
}

template <class R, DType D>
void map_float_quotients(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    constexpr std::int64_t kStep = kWidth<D>;
    constexpr int kFirst = R::kOutputs;
    constexpr bool kQuotient = R::kOp == Op::FloorDivide || R::kOp == Op::Divmod;
    const Divided<R, D> x(ptr, scalars);
    auto load = [&](int k, std::int64_t i) {
        const char* const p = x.at(k, i);
        return x.still(k) ? broadcast<D>(p) : load_register<D>(p);
    };
    std::int64_t i = 0;
    for (; i + kStep <= n; i += kStep) {
        const Register<D> a = load(kFirst, i), b = load(kFirst + 1, i);
        if (math::divides_exactly(a, b) && (!kQuotient || math::quotients_stay_normal(a, b))) {
            store_quotients<R, D>(x, i, a, b);
        } else {
            x.one_by_one(i, kStep);
        }
    }
    x.one_by_one(i, n - i);
}

// ---- integers ----

// Converts integers of less than 52 bits to and from the low bits of 1.5 * 2^52 + x: g++ vectorizes
// most other sizes only where the instruction set has a single instruction for them.
inline constexpr std::int64_t kWholeMagic = 0x4338000000000000;

template <class T>
HS_INLINE double whole_to_double(T x) {
    return __builtin_bit_cast(double, static_cast<std::int64_t>(x) + kWholeMagic) - 0x1.8p52;
}
template <class T>
HS_INLINE T double_to_whole(double x) {
    return static_cast<T>(__builtin_bit_cast(std::int64_t, x + 0x1.8p52) - kWholeMagic);
}

inline constexpr std::int64_t kQuotientBlock = 256;

// Loads a block of elements, padded with the last, or fills it with a single one.
template <class T>
HS_INLINE void wholes_to_doubles(double* to, const char* from, bool scalar, std::int64_t n) {
    if (scalar) {
        const double x = whole_to_double(load_as<T>(from));
        for (std::int64_t k = 0; k < kQuotientBlock; ++k) to[k] = x;
        return;
    }
    for (std::int64_t k = 0; k < n; ++k) {
        to[k] = whole_to_double(load_as<T>(from + k * std::int64_t{sizeof(T)}));
    }
    for (std::int64_t k = n; k % kWidth<DType::F64> != 0; ++k) to[k] = to[n - 1];
}

// Return whether a number is too long to convert, or a divisor is 0 or -1 and raises exceptions.
template <class T>
HS_INLINE bool any_too_long(const char* p, std::int64_t n) {
    if constexpr (sizeof(T) < 8) return false;
    constexpr int kBits = 50;
    constexpr std::uint64_t kShift = kIsSigned<T> ? std::uint64_t{1} << kBits : 0;
    std::uint64_t beyond = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        beyond |= (load_as<std::uint64_t>(p + k * 8) + kShift) >> (kBits + 1);
    }
    return beyond != 0;
}
HS_INLINE bool any_raises(const double* divisor, std::int64_t n) {
    using V = Vec<double>;
    auto raises = V(1.0) == V(0.0);
    for (std::int64_t k = 0; k < n; k += kWidth<DType::F64>) {
        const V y = V::load_unaligned(divisor + k);
        raises = raises | (y == V(0.0)) | (y == V(-1.0));
    }
    return xsimd::any(raises);
}

// Returns the quotient of integers, rounded as R does.
template <class R>
HS_INLINE Vec<double> whole_quotient(Vec<double> a, Vec<double> b) {
    const Vec<double> q = a / b;
    return R::kOp == Op::Fmod ? xsimd::trunc(q) : xsimd::floor(q);
}

// The same with the rounded reciprocal of b. (a + 1/2) / b, with the sign of b, or of a where
// quotients are rounded towards zero, is at least 1 / 2b from an integer and on the same side of it
// as a / b; with numbers of at most 50 bits the product is off by less than 1 / 3b.
template <class R>
HS_INLINE Vec<double> whole_quotient_by(Vec<double> a, Vec<double> b, Vec<double> reciprocal) {
    using V = Vec<double>;
    constexpr bool kToZero = R::kOp == Op::Fmod;
    const V q = (a + xsimd::copysign(V(0.5), kToZero ? a : b)) * reciprocal;
    return kToZero ? xsimd::trunc(q) : xsimd::floor(q);
}

// Replaces x by the first result and y by the second. Products of quotients and divisors are exact.
template <class R, bool kOneDivisor>
HS_INLINE void divide_wholes(double* x, double* y, std::int64_t n) {
    using V = Vec<double>;
    const V one(y[0]), reciprocal(1 / y[0]);
    for (std::int64_t k = 0; k < n; k += kWidth<DType::F64>) {
        const V a = V::load_unaligned(x + k);
        const V b = kOneDivisor ? one : V::load_unaligned(y + k);
        const V whole =
            kOneDivisor ? whole_quotient_by<R>(a, b, reciprocal) : whole_quotient<R>(a, b);
        const V rest = a - whole * b;
        const bool quotient = R::kOp == Op::FloorDivide || R::kOp == Op::Divmod;
        (quotient ? whole : rest).store_unaligned(x + k);
        if constexpr (R::kOutputs == 2) rest.store_unaligned(y + k);
    }
}

template <class R, DType D>
void map_integer_quotients(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    using T = Stored<D>;
    constexpr int kFirst = R::kOutputs, kSecond = kFirst + 1;
    if (map_reciprocal<R, D>(ptr, scalars, n)) return;
    double x[kQuotientBlock], y[kQuotientBlock];
    const Divided<R, D> all(ptr, scalars);
    auto too_long = [&](int k, std::int64_t i, std::int64_t count) {
        return any_too_long<T>(all.at(k, i), all.still(k) ? 1 : count);
    };
    for (std::int64_t i = 0; i < n; i += kQuotientBlock) {
        const std::int64_t count = n - i < kQuotientBlock ? n - i : kQuotientBlock;
        bool whole = !too_long(kFirst, i, count) && !too_long(kSecond, i, count);
        if (whole) {
            wholes_to_doubles<T>(y, all.at(kSecond, i), all.still(kSecond), count);
            whole = !any_raises(y, count);
        }
        if (!whole) {
            all.one_by_one(i, count);
            continue;
        }
        wholes_to_doubles<T>(x, all.at(kFirst, i), all.still(kFirst), count);
        all.still(kSecond) ? divide_wholes<R, true>(x, y, count)
                           : divide_wholes<R, false>(x, y, count);
        for (int k = 0; k < kFirst; ++k) {
            const double* const from = k == 0 ? x : y;
            char* const to = all.at(k, i);
            for (std::int64_t j = 0; j < count; ++j) {
                store_as(to + j * kBytes<D>, double_to_whole<T>(from[j]));
            }
        }
    }
}

template <class R, DType D>
void map_quotients(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    if constexpr (is_integer(D)) {
        map_integer_quotients<R, D>(ptr, scalars, n);
    } else {
        map_float_quotients<R, D>(ptr, scalars, n);
    }
}

}  // namespace hassium::HS_SIMD_NS
