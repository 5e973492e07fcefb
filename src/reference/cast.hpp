// Conversion of one value as by NumPy's astype. Where C is undefined (a float out of range) the
// result is that of the processor, and `invalid` is raised: on x86-64 by the truncating
// instructions, spelled out here, elsewhere by the compiler's conversion.
#pragma once

#include <cfenv>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "base/half.hpp"

namespace hassium::reference {

template <class T>
concept Int = std::integral<T> && !std::same_as<T, bool>;
template <class T>
concept Floating = std::floating_point<T>;
template <class T>
concept Complex = std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;
template <class T>
concept Whole = std::integral<T>;  // bool too
template <class T>
concept Ordered = Whole<T> || Floating<T>;
template <class T>
concept Number = Ordered<T> || Complex<T>;

// Template heads for the functions of rows, by kind of element.
#define HS_INT template <Int T>
#define HS_FLOATING template <Floating T>
#define HS_COMPLEX template <Complex T>
#define HS_WHOLE template <Whole T>
#define HS_ORDERED template <Ordered T>
#define HS_NUMBER template <Number T>

#if defined(__x86_64__)
inline constexpr bool kTruncatesAsSse = true;
#else
inline constexpr bool kTruncatesAsSse = false;
#endif

// Values out of range give the least integer.
template <std::signed_integral To, Floating From>
To truncate(From x) {
    constexpr From kEnd = -static_cast<From>(std::numeric_limits<To>::min());
    From whole = std::trunc(x);
    if (whole >= -kEnd && whole < kEnd) return static_cast<To>(whole);
    std::feraiseexcept(FE_INVALID);
    return std::numeric_limits<To>::min();
}

inline Half round_half(double x) {
    Half h = to_half(x);
    float back = to_float(h);
    if (std::isinf(back) && !std::isinf(x)) std::feraiseexcept(FE_OVERFLOW);
    bool tiny = std::isless(std::fabs(back), 0x1p-14f);  // `<` raises `invalid` for NaN
    if (tiny && static_cast<double>(back) != x) std::feraiseexcept(FE_UNDERFLOW);
    return h;
}

template <class To, class From>
To convert(From x) {
    if constexpr (std::same_as<To, From>) {
        return x;
    } else if constexpr (std::same_as<From, Half>) {
        return convert<To>(to_float(x));
    } else if constexpr (std::same_as<To, bool>) {
        return x != From{0};
    } else if constexpr (Complex<To>) {
        using Part = typename To::value_type;
        if constexpr (Complex<From>) {
            return {static_cast<Part>(x.real()), static_cast<Part>(x.imag())};
        } else {
            return {static_cast<Part>(x), Part{0}};
        }
    } else if constexpr (Complex<From>) {
        return convert<To>(x.real());
    } else if constexpr (std::same_as<To, Half>) {
        if constexpr (Floating<From>) return round_half(x);
        // Integers are converted by way of float32, as in NumPy.
        return round_half(static_cast<float>(x));
    } else if constexpr (Floating<To> || Whole<From>) {
        return static_cast<To>(x);
    } else if constexpr (!kTruncatesAsSse) {
        return static_cast<To>(x);
    } else if constexpr (std::same_as<To, std::uint64_t>) {
        constexpr From kHalf = static_cast<From>(0x1p63);
        if (!(x >= kHalf)) return static_cast<std::uint64_t>(truncate<std::int64_t>(x));
        return static_cast<std::uint64_t>(truncate<std::int64_t>(x - kHalf)) ^
               (std::uint64_t{1} << 63);
    } else if constexpr (sizeof(To) == 8 || std::same_as<To, std::uint32_t>) {
        return static_cast<To>(truncate<std::int64_t>(x));
    } else {
        return static_cast<To>(truncate<std::int32_t>(x));
    }
}

}  // namespace hassium::reference
