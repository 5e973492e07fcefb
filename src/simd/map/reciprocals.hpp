// Quotients of integers by one divisor: the high half of a product with its reciprocal, and shifts.
// T. Granlund, P. L. Montgomery, Division by invariant integers using multiplication (PLDI 1994),
// figure 4.1. The compiler vectorizes the loops at every width; bytes are widened, as no
// instruction multiplies them.
#pragma once

#include "simd/map/map_loop.hpp"

namespace hassium::HS_SIMD_NS {

template <class T>
using DividedLane = lane::Unsigned<std::conditional_t<sizeof(T) == 1, std::int16_t, T>>;

template <class T, class U = DividedLane<T>>
struct Reciprocal {
    static constexpr int kBits = 8 * sizeof(U);
    // In lanes of twice the dividend's bits, the error of the product never reaches its high half:
    // the reciprocal needs no more bits than a lane has, except for a divisor of 1.
    static constexpr bool kByte = sizeof(T) == 1;
    U factor;
    int first = 0, second = 0;  // shifts

    explicit Reciprocal(U divisor) {
        int log2 = 0;
        while ((std::uint64_t{1} << log2) < divisor) ++log2;
        const std::uint64_t above = (std::uint64_t{1} << log2) - divisor;
        factor = static_cast<U>((above << kBits) / divisor + 1);
        if (kByte) factor = static_cast<U>(U(~U(0)) / divisor + 1);
        first = log2 > 0;
        second = log2 > 0 ? log2 - 1 : 0;
    }
    static bool fits(T divisor) { return !kByte || lane::magnitude(divisor) > 1; }
    HS_INLINE U quotient(U x) const {
        using Wide = std::conditional_t<sizeof(U) == 2, std::uint32_t, std::uint64_t>;
        const U high = static_cast<U>(Wide{x} * factor >> kBits);
        if constexpr (kByte) return high;
        const U rest = static_cast<U>(static_cast<U>(x - high) >> first);
        return static_cast<U>(static_cast<U>(high + rest) >> second);
    }
};

// Returns the quotient rounded down. For numbers of the divisor's sign it is that of the
// magnitudes; for others it is -1 - q, where q is the quotient of -1 - x, the complement of x.
template <class T, bool kNegative, class U>
HS_INLINE U quotient_down(const Reciprocal<T>& by, U x) {
    using S = std::make_signed_t<U>;
    if constexpr (!kIsSigned<T>) {
        return by.quotient(x);
    } else if constexpr (kNegative) {
        const U turned = static_cast<S>(x) > 0 ? U(0) : static_cast<U>(~U(0));
        const U q = by.quotient(static_cast<U>(static_cast<U>(x - 1) ^ turned));
        return static_cast<U>(q ^ static_cast<U>(~turned));
    } else {
        const U turned = static_cast<S>(x) < 0 ? static_cast<U>(~U(0)) : U(0);
        return static_cast<U>(by.quotient(static_cast<U>(x ^ turned)) ^ turned);
    }
}

template <class R, DType D, bool kNegative>
HS_INLINE void divide_by_one(char* const* ptr, Stored<D> divisor, std::int64_t n) {
    using T = Stored<D>;
    using U = DividedLane<T>;
    constexpr std::int64_t kSize = kBytes<D>;
    const Reciprocal<T> by(static_cast<U>(lane::magnitude(divisor)));
    char* const out = ptr[0];
    char* const second = R::kOutputs == 2 ? ptr[1] : nullptr;
    const char* const in = ptr[R::kOutputs];
#pragma GCC ivdep
    for (std::int64_t k = 0; k < n; ++k) {
        const U x = static_cast<U>(load_as<T>(in + k * kSize));
        const U q = quotient_down<T, kNegative>(by, x);
        T rest = static_cast<T>(x - static_cast<U>(q * static_cast<U>(divisor)));
        if constexpr (R::kOp == Op::Fmod && kIsSigned<T>) {
            // Rounded towards zero, the remainder has the sign of x.
            const bool other = rest != 0 && (static_cast<T>(x) < 0) != kNegative;
            rest = static_cast<T>(rest - (other ? divisor : T(0)));
        }
        const bool quotient = R::kOp == Op::FloorDivide || R::kOp == Op::Divmod;
        store_as(out + k * kSize, quotient ? static_cast<T>(q) : rest);
        if constexpr (R::kOutputs == 2) store_as(second + k * kSize, rest);
    }
}

// Divides by a single short divisor. Returns false, having done nothing, for other operands and for
// divisors that raise exceptions.
template <class R, DType D>
HS_INLINE bool map_reciprocal(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    using T = Stored<D>;
    if constexpr (sizeof(T) == 8) {
        return false;
    } else {
        const T divisor = load_as<T>(ptr[R::kOutputs + 1]);
        if (scalars != 2u || divisor == 0 || !Reciprocal<T>::fits(divisor)) return false;
        if constexpr (kIsSigned<T>) {
            if (divisor == T(-1)) return false;
            if (divisor < 0) {
                divide_by_one<R, D, true>(ptr, divisor, n);
                return true;
            }
        }
        divide_by_one<R, D, false>(ptr, divisor, n);
        return true;
    }
}

}  // namespace hassium::HS_SIMD_NS
