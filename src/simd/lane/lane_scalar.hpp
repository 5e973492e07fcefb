// Functions of kScalarLoop rows, one element at a time: those without a register form or with a
// slower one, and shifts, which have both. Integer functions raise NumPy's exceptions explicitly.
#pragma once

#include <type_traits>

#include "simd/lane/convert.hpp"
#include "simd/lane/lane_types.hpp"
#include "simd/math/math.hpp"

namespace hassium::HS_SIMD_NS::lane {

template <class T>
using Unsigned = std::make_unsigned_t<T>;

template <class T>
inline constexpr T kLeast = kIsSigned<T> ? T(Unsigned<T>(1) << (8 * sizeof(T) - 1)) : T(0);

// Products of narrow integers would overflow the int they are promoted to.
HS_LANE T wrapping_multiply(T a, T b) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// ---- division: a zero divisor gives 0; the least number over -1 gives itself ----

// Returns the quotient rounded down and its remainder. Without `quotient_wanted`, -1 as divisor
// raises no overflow.
HS_LANE Pair<T, T> divide_down(T a, T b, bool quotient_wanted) {
    if (b == 0) [[unlikely]] {
        math::raise_divide();
        return {T(0), T(0)};
    }
    if constexpr (kIsSigned<T>) {
        if (b == T(-1)) {
            if (a == kLeast<T> && quotient_wanted) math::raise_overflow();
            return {static_cast<T>(Unsigned<T>(0) - static_cast<Unsigned<T>>(a)), T(0)};
        }
    }
    T q = static_cast<T>(a / b);
    T r = static_cast<T>(a % b);
    if constexpr (kIsSigned<T>) {
        if (r != 0 && ((r < 0) != (b < 0))) {
            q = static_cast<T>(q - 1);
            r = static_cast<T>(r + b);
        }
    }
    return {q, r};
}

// NumPy's npy_divmod: the quotient is floor(a / b) computed from the exact remainder.
HS_LANE Pair<T, T> divide_down_float(T a, T b) {
    T mod = static_cast<T>(sizeof(T) == 4 ? ::fmodf(static_cast<float>(a), static_cast<float>(b))
                                          : ::fmod(a, b));
    if (b == 0) return {a / b, mod};
    T div = (a - mod) / b;
    if (mod != 0) {
        if (__builtin_isless(b, T(0)) != __builtin_isless(mod, T(0))) {
            mod += b;
            div -= T(1);
        }
    } else {
        mod = __builtin_copysign(T(0), b);
    }
    T whole;
    if (div != 0) {
        whole = static_cast<T>(__builtin_floor(div));
        if (__builtin_isgreater(div - whole, T(0.5))) whole += T(1);
    } else {
        whole = static_cast<T>(__builtin_copysign(0.0, static_cast<double>(a / b)));
    }
    return {whole, mod};
}

HS_LANE T floor_divide(T a, T b) { return divide_down(a, b, true).first; }
HS_INLINE float floor_divide(float a, float b) {
    return b == 0 ? a / b : divide_down_float(a, b).first;
}
HS_INLINE double floor_divide(double a, double b) {
    return b == 0 ? a / b : divide_down_float(a, b).first;
}

HS_LANE T remainder(T a, T b) { return divide_down(a, b, false).second; }
HS_INLINE float remainder(float a, float b) {
    return b == 0 ? ::fmodf(a, b) : divide_down_float(a, b).second;
}
HS_INLINE double remainder(double a, double b) {
    return b == 0 ? ::fmod(a, b) : divide_down_float(a, b).second;
}

HS_LANE Pair<T, T> divmod(T a, T b) { return divide_down(a, b, true); }
HS_INLINE Pair<float, float> divmod(float a, float b) { return divide_down_float(a, b); }
HS_INLINE Pair<double, double> divmod(double a, double b) { return divide_down_float(a, b); }

HS_LANE T fmod(T a, T b) {
    if (b == 0) [[unlikely]] {
        math::raise_divide();
        return 0;
    }
    if constexpr (kIsSigned<T>) {
        if (b == T(-1)) return 0;
    }
    return static_cast<T>(a % b);
}
HS_INLINE float fmod(float a, float b) { return ::fmodf(a, b); }
HS_INLINE double fmod(double a, double b) { return ::fmod(a, b); }

// float16 functions compute in float32 and round at the store.
HS_INLINE float floor_divide(HalfLane a, HalfLane b) { return floor_divide(float(a), float(b)); }
HS_INLINE float remainder(HalfLane a, HalfLane b) { return remainder(float(a), float(b)); }
HS_INLINE float fmod(HalfLane a, HalfLane b) { return fmod(float(a), float(b)); }
HS_INLINE Pair<float, float> divmod(HalfLane a, HalfLane b) { return divmod(float(a), float(b)); }

// ---- integers ----

HS_LANE Unsigned<T> magnitude(T a) {
    const Unsigned<T> u = static_cast<Unsigned<T>>(a);
    return kIsSigned<T> && a < 0 ? static_cast<Unsigned<T>>(0 - u) : u;
}

HS_LANE T gcd(T a, T b) {
    Unsigned<T> x = magnitude(a);
    Unsigned<T> y = magnitude(b);
    while (y != 0) {
        const Unsigned<T> r = static_cast<Unsigned<T>>(x % y);
        x = y;
        y = r;
    }
    return static_cast<T>(x);
}

HS_LANE T lcm(T a, T b) {
    const Unsigned<T> x = magnitude(a);
    const Unsigned<T> g = static_cast<Unsigned<T>>(gcd(a, b));
    return g == 0 ? T(0) : static_cast<T>(wrapping_multiply<Unsigned<T>>(x / g, magnitude(b)));
}

// Negative exponents are rejected before an instruction is recorded.
template <class T>
    requires std::is_integral_v<T>
HS_INLINE T power(T a, T b) {
    T r = 1;
    for (Unsigned<T> n = static_cast<Unsigned<T>>(b); n != 0;
         n = static_cast<Unsigned<T>>(n >> 1)) {
        if (n & 1) r = wrapping_multiply(r, a);
        a = wrapping_multiply(a, a);
    }
    return r;
}

// NumPy divides in float64 and casts back.
HS_LANE Vec<T> reciprocal(Vec<T> a) {
    if constexpr (kIsReal<T>) {
        return math::reciprocal(a);
    } else {
        alignas(64) T x[Vec<T>::size];
        a.store_aligned(x);
        for (T& v : x) v = to_integer<T>(1.0 / static_cast<double>(v));
        return Vec<T>::load_aligned(x);
    }
}

template <class T>
inline constexpr int kBits = 8 * static_cast<int>(sizeof(T));

// Counts outside [0, width) shift out all bits.
HS_LANE T left_shift(T a, T b) {
    constexpr unsigned kWidth = kBits<T>;
    const Unsigned<T> n = static_cast<Unsigned<T>>(b);
    const T shifted = static_cast<T>(static_cast<Unsigned<T>>(a) << (n & (kWidth - 1)));
    return n < kWidth ? shifted : T(0);
}
HS_LANE T right_shift(T a, T b) {
    constexpr unsigned kWidth = kBits<T>;
    const Unsigned<T> n = static_cast<Unsigned<T>>(b);
    const Unsigned<T> most = n < kWidth ? n : static_cast<Unsigned<T>>(kWidth - 1);
    const T shifted = static_cast<T>(a >> most);
    return kIsSigned<T> || n < kWidth ? shifted : T(0);
}

// Bytes of the narrowest lanes that have variable shifts. SSE has none at all: g++ shifts lane by
// lane.
inline constexpr int kShiftBytes = HS_SIMD_LEVEL == 4 ? 2 : HS_SIMD_LEVEL == 3 ? 4 : 1;

template <class T>
using TwiceAsWide =
    std::conditional_t<kIsSigned<T>, std::conditional_t<sizeof(T) == 1, std::int16_t, std::int32_t>,
                       std::conditional_t<sizeof(T) == 1, std::uint16_t, std::uint32_t>>;

// The lanes with even and those with odd index, in the lower halves of lanes twice as wide.
template <class T>
struct Halves {
    Vec<TwiceAsWide<T>> even, odd;
};
template <class T>
HS_INLINE Halves<T> halves(Vec<T> x) {
    const auto both = math::recast<TwiceAsWide<T>>(x);
    return {(both << kBits<T>) >> kBits<T>, both >> kBits<T>};
}
template <class T>
HS_INLINE Vec<T> joined(Halves<T> x) {
    const auto even = math::recast<TwiceAsWide<Unsigned<T>>>(x.even);
    return math::recast<T>(((even << kBits<T>) >> kBits<T>) |
                           math::recast<TwiceAsWide<Unsigned<T>>>(x.odd << kBits<T>));
}

// For counts in [0, width).
template <class T>
HS_INLINE Vec<T> shift_left_within(Vec<T> a, Vec<T> n) {
    if constexpr (sizeof(T) < kShiftBytes) {
        const Halves<T> x = halves(a), by = halves(n);
        return joined<T>({shift_left_within(x.even, by.even), shift_left_within(x.odd, by.odd)});
    } else {
        typedef Unsigned<T> Lanes __attribute__((vector_size(sizeof(a.data))));
        return Vec<T>((decltype(a.data))((Lanes)a.data << (Lanes)n.data));
    }
}
template <class T>
HS_INLINE Vec<T> shift_right_within(Vec<T> a, Vec<T> n) {
    if constexpr (sizeof(T) < kShiftBytes) {
        const Halves<T> x = halves(a), by = halves(n);
        return joined<T>({shift_right_within(x.even, by.even), shift_right_within(x.odd, by.odd)});
    } else {
        typedef T Lanes __attribute__((vector_size(sizeof(a.data))));
        return Vec<T>((decltype(a.data))((Lanes)a.data >> (Lanes)n.data));
    }
}

template <class T, class U = Unsigned<T>>
HS_INLINE Vec<T> left_shift(Vec<T> a, Vec<T> b) {
    typedef U Lanes __attribute__((vector_size(sizeof(a.data))));
    constexpr U kWidth = kBits<T>;
    const auto n = (Lanes)b.data;
    const Vec<T> within((decltype(a.data))(n & (kWidth - 1)));
    const auto shifted = (Lanes)shift_left_within(a, within).data;
    return Vec<T>((decltype(a.data))(n < kWidth ? shifted : Lanes{}));
}
template <class T, class U = Unsigned<T>>
HS_INLINE Vec<T> right_shift(Vec<T> a, Vec<T> b) {
    typedef U Lanes __attribute__((vector_size(sizeof(a.data))));
    constexpr U kWidth = kBits<T>;
    const auto n = (Lanes)b.data;
    const Vec<T> most((decltype(a.data))(n < kWidth ? n : Lanes{} + (kWidth - 1)));
    const Vec<T> shifted = shift_right_within(a, most);
    if constexpr (kIsSigned<T>) return shifted;
    return Vec<T>((decltype(a.data))(n < kWidth ? (Lanes)shifted.data : Lanes{}));
}

// Narrow types add neighbouring bits, then pairs and so on, which compilers vectorize; the popcount
// instruction takes one number at a time.
HS_LANE uint8_t bitwise_count(T a) {
    using U = decltype(magnitude(a));
    const U bits = magnitude(a);
    if constexpr (sizeof(U) == 8) {
        return static_cast<uint8_t>(__builtin_popcountll(bits));
    } else {
        constexpr U kAll = static_cast<U>(~U{0}), kOdd = kAll / 3, kPairs = kAll / 5,
                    kHalves = kAll / 17;
        U sums = static_cast<U>(bits - (bits >> 1 & kOdd));
        sums = static_cast<U>((sums & kPairs) + (sums >> 2 & kPairs));
        sums = static_cast<U>((sums + (sums >> 4)) & kHalves);
        if constexpr (sizeof(U) > 1) sums = static_cast<U>(sums + (sums >> 8));
        if constexpr (sizeof(U) > 2) sums = static_cast<U>(sums + (sums >> 16));
        return static_cast<uint8_t>(sums & 0x3f);
    }
}

// ---- int64 against uint64, by value ----

HS_INLINE bool less_mixed(int64_t a, uint64_t b) { return a < 0 || static_cast<uint64_t>(a) < b; }
HS_INLINE bool less_mixed(uint64_t a, int64_t b) { return b > 0 && a < static_cast<uint64_t>(b); }
template <class T, class U>
HS_INLINE bool greater_mixed(T a, U b) {
    return less_mixed(b, a);
}
template <class T, class U>
HS_INLINE bool less_equal_mixed(T a, U b) {
    return !less_mixed(b, a);
}
template <class T, class U>
HS_INLINE bool greater_equal_mixed(T a, U b) {
    return !less_mixed(a, b);
}
template <class T, class U>
HS_INLINE bool equal_mixed(T a, U b) {
    return !less_mixed(a, b) && !less_mixed(b, a);
}
template <class T, class U>
HS_INLINE bool not_equal_mixed(T a, U b) {
    return !equal_mixed(a, b);
}

// ---- representation of floats ----

HS_INLINE int clamped(int64_t n) {
    return n > INT32_MAX ? INT32_MAX : n < INT32_MIN ? INT32_MIN : static_cast<int>(n);
}
HS_INLINE double ldexp(double a, int64_t n) { return ::ldexp(a, clamped(n)); }
HS_INLINE float ldexp(float a, int64_t n) { return ::ldexpf(a, clamped(n)); }
HS_INLINE float ldexp(HalfLane a, int64_t n) { return ::ldexpf(a, clamped(n)); }

HS_INLINE Pair<double, int32_t> frexp(double a) {
    int n = 0;
    const double m = ::frexp(a, &n);
    return {m, n};
}
HS_INLINE Pair<float, int32_t> frexp(float a) {
    int n = 0;
    const float m = ::frexpf(a, &n);
    return {m, n};
}
HS_INLINE Pair<float, int32_t> frexp(HalfLane a) { return frexp(float(a)); }

HS_INLINE double nextafter(double a, double b) { return ::nextafter(a, b); }
HS_INLINE float nextafter(float a, float b) { return ::nextafterf(a, b); }
HS_INLINE HalfLane nextafter(HalfLane a, HalfLane b) {
    const float x = a;
    const float y = b;
    if (x != x) return {Half{static_cast<uint16_t>(a.h.bits | 0x0200u)}};
    if (y != y) return {Half{static_cast<uint16_t>(b.h.bits | 0x0200u)}};
    if (x == y) return a;
    uint16_t bits = a.h.bits;
    if (x == 0) {
        bits = static_cast<uint16_t>((b.h.bits & 0x8000u) | 1u);
    } else {
        bits = static_cast<uint16_t>(bits + (((x < y) != (x < 0)) ? 1 : -1));
    }
    if ((bits & 0x7c00u) == 0x7c00u && (a.h.bits & 0x7c00u) != 0x7c00u) math::raise_overflow();
    return {Half{bits}};
}

// Distance to the next number away from zero; the smallest positive number for both zeros; NaN
// without a flag for infinities, whose subtraction would raise invalid and give a negative NaN.
HS_INLINE double spacing(double a) {
    if (__builtin_isinf(a)) return __builtin_nan("");
    if (a == 0) a = 0;
    return ::nextafter(a, __builtin_copysign(__builtin_inf(), a)) - a;
}
HS_INLINE float spacing(float a) {
    if (__builtin_isinf(a)) return __builtin_nanf("");
    if (a == 0) a = 0;
    return ::nextafterf(a, __builtin_copysignf(__builtin_inff(), a)) - a;
}
// As NumPy: depends on the power of two alone and is positive for negative numbers too, but half as
// large for a negative power of two.
HS_INLINE HalfLane spacing(HalfLane a) {
    const uint16_t bits = a.h.bits;
    uint16_t exponent = bits & 0x7c00u;
    uint16_t r;
    if (exponent == 0x7c00u) {
        math::raise_invalid();
        r = 0x7e00u;
    } else if ((bits & 0x7fffu) == 0x7bffu && (bits & 0x8000u) == 0) {
        math::raise_overflow();
        r = 0x7c00u;
    } else if ((bits & 0x8000u) && (bits & 0x03ffu) == 0) {
        if (exponent > 0x2c00u) {
            r = static_cast<uint16_t>(exponent - 0x2c00u);
        } else if (exponent > 0x0400u) {
            r = static_cast<uint16_t>(1u << ((exponent >> 10) - 2));
        } else {
            r = 1;
        }
    } else if (exponent > 0x2800u) {
        r = static_cast<uint16_t>(exponent - 0x2800u);
    } else if (exponent > 0x0400u) {
        r = static_cast<uint16_t>(1u << ((exponent >> 10) - 1));
    } else {
        r = 1;
    }
    return {Half{r}};
}

}  // namespace hassium::HS_SIMD_NS::lane
