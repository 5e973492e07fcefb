// Quotients and remainders by whole registers: of floats, and of integers by way of float64. Where
// a step could round, overflow or raise, the elements go one by one (lane_scalar.hpp), to the same
// bits.
#pragma once

#include "simd/map_loop.hpp"
#include "simd/math/quotient.hpp"

namespace hassium::HS_SIMD_NS {

// Floats need the product and the difference rounded once.
template <class R, DType D>
inline constexpr bool kHasQuotients =
    (R::kOp == Op::FloorDivide || R::kOp == Op::Remainder || R::kOp == Op::Fmod) && kHasMap<R, D> &&
    (is_integer(D) || (HS_SIMD_LEVEL >= 3 && (D == DType::F32 || D == DType::F64)));

// ---- floats ----

template <class R, class B>
HS_INLINE B quotient_of(B a, B b) {
    const B rest = math::exact_fmod(a, b);
    if constexpr (R::kOp == Op::Fmod) return rest;
    if constexpr (R::kOp == Op::Remainder) return math::rest_down(rest, b);
    return math::quotient_down(a, b, rest);
}

template <class R, DType D>
void map_float_quotients(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    constexpr std::int64_t kStep = kWidth<D>, kSize = kBytes<D>;
    // Of the result, the inputs, and the input that there is not.
    const std::int64_t steps[4] = {kSize, scalars & 1u ? 0 : kSize, scalars & 2u ? 0 : kSize, 0};
    auto load = [&](int k, std::int64_t i) {
        const char* const p = ptr[k] + i * steps[k];
        return steps[k] == 0 ? Register<D>(load_as<Part<D>>(p)) : load_register<D>(p);
    };
    auto one_by_one = [&](std::int64_t i, std::int64_t count) {
        char* at[3];
        for (int k = 0; k < 3; ++k) at[k] = ptr[k] + i * steps[k];
        scalar_loop<R, D>(at, steps + 1, count);
    };
    std::int64_t i = 0;
    for (; i + kStep <= n; i += kStep) {
        const Register<D> a = load(1, i), b = load(2, i);
        if (math::divides_exactly(a, b)) {
            store_register<D>(ptr[0] + i * kSize, quotient_of<R>(a, b));
        } else {
            one_by_one(i, kStep);
        }
    }
    one_by_one(i, n - i);
}

// ---- integers ----

// Whole numbers of less than 52 bits, to and from the low bits of 1.5 * 2^52 + x: g++ converts
// registers of most other sizes only where the instruction set has one instruction for it.
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

// A block of elements, or as many copies of one, padded with the last.
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

// Is a number too long, or a divisor 0 or -1, which raise conditions?
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

// x becomes the quotients or remainders. Products of whole parts and divisors have few bits.
template <class R>
HS_INLINE void divide_wholes(double* x, const double* y, std::int64_t n) {
    using V = Vec<double>;
    for (std::int64_t k = 0; k < n; k += kWidth<DType::F64>) {
        const V a = V::load_unaligned(x + k), b = V::load_unaligned(y + k), q = a / b;
        const V whole = R::kOp == Op::Fmod ? xsimd::trunc(q) : xsimd::floor(q);
        (R::kOp == Op::FloorDivide ? whole : a - whole * b).store_unaligned(x + k);
    }
}

template <class R, DType D>
void map_integer_quotients(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    using T = Stored<D>;
    constexpr std::int64_t kSize = kBytes<D>;
    double x[kQuotientBlock], y[kQuotientBlock];
    // Of the result, the inputs, and the input that there is not.
    const std::int64_t steps[4] = {kSize, scalars & 1u ? 0 : kSize, scalars & 2u ? 0 : kSize, 0};
    for (std::int64_t i = 0; i < n; i += kQuotientBlock) {
        const std::int64_t count = n - i < kQuotientBlock ? n - i : kQuotientBlock;
        char* at[3];
        for (int k = 0; k < 3; ++k) at[k] = ptr[k] + i * steps[k];
        const bool still[2] = {steps[1] == 0, steps[2] == 0};
        bool whole = !any_too_long<T>(at[1], still[0] ? 1 : count) &&
                     !any_too_long<T>(at[2], still[1] ? 1 : count);
        if (whole) {
            wholes_to_doubles<T>(y, at[2], still[1], count);
            whole = !any_raises(y, count);
        }
        if (!whole) {
            scalar_loop<R, D>(at, steps + 1, count);
            continue;
        }
        wholes_to_doubles<T>(x, at[1], still[0], count);
        divide_wholes<R>(x, y, count);
        for (std::int64_t k = 0; k < count; ++k) {
            store_as(at[0] + k * kSize, double_to_whole<T>(x[k]));
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
