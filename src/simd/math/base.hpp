#pragma once

// Common definitions of the vector math functions.
//
// Every function takes and returns whole xsimd batches of double or float. All of them are compiled
// once per instruction set, so all of them live in a namespace named after it: an inline symbol
// shared by two sets could be merged by the linker into the copy the processor cannot run. For the
// same reason no standard-library template is used here, and scalar work calls the plain C
// functions.
//
// Call these functions with their namespace (math::exp(x)): an unqualified call finds xsimd's
// function of the same name by its argument, and prefers it. Helpers have names that xsimd does not
// use; `select` below is always xsimd's.
//
// Floating-point flags. NumPy turns flags into warnings, so a function may raise only what its C99
// counterpart raises. Ordered comparisons of floats are avoided where a NaN may occur, because
// below AVX they signal; ranges are tested on the integer bits instead. minpd and maxpd signal too.

#include <math.h>
#include <stdint.h>

#include <xsimd/xsimd.hpp>

#ifndef HS_SIMD_NS
#error "HS_SIMD_NS must name the namespace of the instruction set"
#endif

#define HS_MATH        \
    template <class B> \
    [[gnu::always_inline]] inline
// The asm constraint for registers that hold vectors and floats.
#if defined(__AVX512F__)
#define HS_FLOAT_REGISTER "v"
#elif defined(__SSE2__)
#define HS_FLOAT_REGISTER "x"
#else
#define HS_FLOAT_REGISTER "w"
#endif
// 1 if xsimd::fma rounds once.
#if defined(__FMA__) || defined(__aarch64__)
#define HS_FUSED 1
#else
#define HS_FUSED 0
#endif
// Stands between the parameters and the body of a lambda.
#define HS_LAMBDA __attribute__((always_inline))

namespace hassium::HS_SIMD_NS::math {

template <class T>
struct FloatTraits;

template <>
struct FloatTraits<double> {
    using Int = int64_t;
    using Uint = uint64_t;
    static constexpr int kMantissaBits = 52;
    static constexpr int kBias = 1023;
    static constexpr Int kAbsMask = 0x7fffffffffffffff;
    static constexpr Int kSignMask = INT64_MIN;
    static constexpr Int kInfBits = 0x7ff0000000000000;
    static constexpr Int kMinNormalBits = 0x0010000000000000;
    // Below it 1 + x^2 rounds to 1, and higher powers of x may underflow.
    static constexpr double kNegligible = 0x1p-60;
    static constexpr double kInf = __builtin_inf();
    static constexpr double kNan = __builtin_nan("");
};

template <>
struct FloatTraits<float> {
    using Int = int32_t;
    using Uint = uint32_t;
    static constexpr int kMantissaBits = 23;
    static constexpr int kBias = 127;
    static constexpr Int kAbsMask = 0x7fffffff;
    static constexpr Int kSignMask = INT32_MIN;
    static constexpr Int kInfBits = 0x7f800000;
    static constexpr Int kMinNormalBits = 0x00800000;
    static constexpr float kNegligible = 0x1p-30f;
    static constexpr float kInf = __builtin_inff();
    static constexpr float kNan = __builtin_nanf("");
};

template <class B>
using Lane = typename B::value_type;
template <class B>
using Traits = FloatTraits<Lane<B>>;
template <class B>
using IntBatch = xsimd::batch<typename Traits<B>::Int, typename B::arch_type>;
template <class B>
using Mask = typename B::batch_bool_type;

template <class A, class B>
inline constexpr bool kSame = false;
template <class A>
inline constexpr bool kSame<A, A> = true;

template <class B>
inline constexpr bool kIsFloat = kSame<Lane<B>, float>;

// Two results, or a value and its rounding error.
template <class B>
struct Pair {
    B hi;
    B lo;
};

// ---- bits ----

// The same register with elements of another type. Not xsimd::bitwise_cast, which on NEON calls a
// function for each register.
template <class To, class B>
[[gnu::always_inline]] inline xsimd::batch<To, typename B::arch_type> recast(B x) {
    using Result = xsimd::batch<To, typename B::arch_type>;
    return Result((decltype(Result::data))x.data);
}

HS_MATH IntBatch<B> bits(B x) { return recast<typename Traits<B>::Int>(x); }

template <class B>
[[gnu::always_inline]] inline B from_bits(IntBatch<B> x) {
    return recast<Lane<B>>(x);
}

// The bits of |x|. They order magnitudes too: for two floats without sign the integers compare as
// the floats do, with infinity and then NaN above everything else.
HS_MATH IntBatch<B> abs_bits(B x) { return bits(x) & IntBatch<B>(Traits<B>::kAbsMask); }

HS_MATH B sign_of(B x) { return from_bits<B>(bits(x) & IntBatch<B>(Traits<B>::kSignMask)); }

HS_MATH B absolute(B x) { return from_bits<B>(abs_bits(x)); }

// Not `-x`: with AVX-512 xsimd computes 0 - x, which loses the sign of zero.
HS_MATH B negative(B x) { return from_bits<B>(bits(x) ^ IntBatch<B>(Traits<B>::kSignMask)); }

// One mask is enough: AVX-512 has an instruction for any function of three operands.
HS_MATH B with_sign(B x, B y) {
    return from_bits<B>(((bits(x) ^ bits(y)) & IntBatch<B>(Traits<B>::kSignMask)) ^ bits(x));
}

// Flips the sign of x where y is negative.
HS_MATH B xor_sign(B x, B y) {
    return from_bits<B>(bits(x) ^ (bits(y) & IntBatch<B>(Traits<B>::kSignMask)));
}

// The bits of a scalar constant, for comparisons of magnitudes.
[[gnu::always_inline]] inline constexpr int64_t bits_of(double x) {
    return __builtin_bit_cast(int64_t, x);
}
[[gnu::always_inline]] inline constexpr int32_t bits_of(float x) {
    return __builtin_bit_cast(int32_t, x);
}

template <class B>
[[gnu::always_inline]] inline Mask<B> to_mask(typename IntBatch<B>::batch_bool_type m) {
    return xsimd::batch_bool_cast<Lane<B>>(m);
}

template <class B>
[[gnu::always_inline]] inline typename IntBatch<B>::batch_bool_type to_int_mask(Mask<B> m) {
    return xsimd::batch_bool_cast<typename Traits<B>::Int>(m);
}

// |x| > limit, and true for NaN; |x| >= limit likewise. Neither raises a flag.
HS_MATH Mask<B> abs_above(B x, Lane<B> limit) {
    return to_mask<B>(abs_bits(x) > IntBatch<B>(bits_of(limit)));
}
HS_MATH Mask<B> abs_at_least(B x, Lane<B> limit) {
    return to_mask<B>(abs_bits(x) > IntBatch<B>(bits_of(limit) - 1));
}
HS_MATH Mask<B> abs_below(B x, Lane<B> limit) {
    return to_mask<B>(abs_bits(x) < IntBatch<B>(bits_of(limit)));
}

// Returns x, or zero where its square is negligible beside 1. As the argument of a polynomial it
// raises no underflow in any power.
HS_MATH B flushed(B x) { return select(abs_above(x, Traits<B>::kNegligible), x, B(0)); }

// Returns not low <= |x| <= high, true for NaN: the offset makes too large a magnitude wrap around,
// so that one comparison suffices.
HS_MATH Mask<B> abs_outside(B x, Lane<B> low, Lane<B> high) {
    using I = IntBatch<B>;
    const auto shift = Traits<B>::kAbsMask - bits_of(high);
    return to_mask<B>(abs_bits(x) + I(shift) < I(shift + bits_of(low)));
}

// True where the square of x is negligible beside 1, also for zeros.
HS_MATH Mask<B> is_negligible(B x) { return abs_below(x, Traits<B>::kNegligible); }

// ---- classification, on the bits ----

HS_MATH Mask<B> is_nan(B x) { return to_mask<B>(abs_bits(x) > IntBatch<B>(Traits<B>::kInfBits)); }
HS_MATH Mask<B> is_inf(B x) { return to_mask<B>(abs_bits(x) == IntBatch<B>(Traits<B>::kInfBits)); }
HS_MATH Mask<B> is_finite(B x) {
    return to_mask<B>(abs_bits(x) < IntBatch<B>(Traits<B>::kInfBits));
}
HS_MATH Mask<B> has_sign(B x) { return to_mask<B>(bits(x) < IntBatch<B>(0)); }

// x < y, false for NaN, raising nothing. The compare instruction of SSE signals for NaN.
HS_MATH Mask<B> quiet_less(B x, B y) {
#ifdef __AVX__
    return x < y;
#else
    const Mask<B> ordered = (x == x) & (y == y);
    return (xsimd::select(ordered, x, B(0)) < xsimd::select(ordered, y, B(0)));
#endif
}

// ---- arithmetic ----

// The compiler contracts no expression (-ffp-contract=off), so bits do not depend on it; fused
// operations are written with these three.

// a*b + c, fused if the machine has FMA.
HS_MATH B madd(B a, B b, B c) { return xsimd::fma(a, b, c); }
// a*b - c
HS_MATH B msub(B a, B b, B c) { return xsimd::fms(a, b, c); }
// c - a*b
HS_MATH B nmadd(B a, B b, B c) { return xsimd::fnma(a, b, c); }

// c[0] + c[1] x + c[2] x^2 + ...
template <class B, class... C>
[[gnu::always_inline]] inline B poly(B x, Lane<B> c0, C... rest) {
    if constexpr (sizeof...(rest) == 0) {
        return B(c0);
    } else {
        return madd(poly(x, rest...), x, B(c0));
    }
}

// Even and odd terms of a polynomial, each in the square of its argument.
template <class B>
struct EvenOdd {
    B even;
    B odd;
};
template <class B, class... C>
[[gnu::always_inline]] inline EvenOdd<B> even_odd(B square, Lane<B> c0, Lane<B> c1, C... rest) {
    if constexpr (sizeof...(rest) == 0) {
        return {B(c0), B(c1)};
    } else if constexpr (sizeof...(rest) == 1) {
        return {madd(B(rest...), square, B(c0)), B(c1)};
    } else {
        const EvenOdd<B> above = even_odd(square, rest...);
        return {madd(above.even, square, B(c0)), madd(above.odd, square, B(c1))};
    }
}

// poly(x, c...) with half as many dependent steps, for one more multiplication. A processor looks
// only so far ahead: past a chain of a hundred instructions it finds few independent ones.
template <class B, class... C>
[[gnu::always_inline]] inline B broad_poly(B x, C... c) {
    const EvenOdd<B> p = even_odd(x * x, c...);
    return madd(p.odd, x, p.even);
}

// ---- exact sums and products ----

// a + b exactly, for |a| >= |b| or a = 0.
HS_MATH Pair<B> fast_two_sum(B a, B b) {
    const B s = a + b;
    return {s, b - (s - a)};
}

// c + a*b likewise, for |c| >= |a*b| or c = 0; without FMA the product is rounded.
HS_MATH Pair<B> fast_two_madd(B a, B b, B c) {
    const B s = madd(a, b, c);
    return {s, msub(a, b, s - c)};
}

// a + b exactly.
HS_MATH Pair<B> two_sum(B a, B b) {
    const B s = a + b;
    const B t = s - a;
    return {s, (a - (s - t)) + (b - t)};
}

// a * b exactly, unless it underflows (or, without a fused operation, a part overflows).
HS_MATH Pair<B> two_prod(B a, B b) {
    const B p = a * b;
#if HS_FUSED
    return {p, xsimd::fms(a, b, p)};
#else
    // Heads are rounded to half of the bits: products of the remainders are exact too, and so are
    // the sums in this order (Dekker).
    using Int = typename Traits<B>::Int;
    const IntBatch<B> half(kIsFloat<B> ? Int(0x800) : Int(0x4000000));
    const IntBatch<B> top(kIsFloat<B> ? static_cast<Int>(~0xfff) : static_cast<Int>(~0x7ffffff));
    const B ah = from_bits<B>((bits(a) + half) & top);
    const B bh = from_bits<B>((bits(b) + half) & top);
    const B al = a - ah;
    const B bl = b - bh;
    return {p, (((ah * bh - p) + ah * bl) + al * bh) + al * bl};
#endif
}

// c - a*b with an exact product, for operands that nearly cancel.
HS_MATH B exact_nmadd(B a, B b, B c) {
#if HS_FUSED
    return nmadd(a, b, c);
#else
    const Pair<B> p = two_prod(a, b);
    return (c - p.hi) - p.lo;
#endif
}

// c + a*b as a sum and its error, the product exact, for |c| >= |a*b| or c = 0.
HS_MATH Pair<B> fast_two_fma(B a, B b, B c) {
#if HS_FUSED
    return fast_two_madd(a, b, c);
#else
    const Pair<B> p = two_prod(a, b);
    const Pair<B> sum = fast_two_sum(c, p.hi);
    return {sum.hi, sum.lo + p.lo};
#endif
}

// ---- flags raised on purpose ----

// The empty asm hides the operand, so the operation happens at run time and is not removed.
[[gnu::always_inline]] inline double hidden(double x) {
    asm volatile("" : "+" HS_FLOAT_REGISTER(x));
    return x;
}
[[gnu::always_inline]] inline void use(double x) { asm volatile("" : : HS_FLOAT_REGISTER(x)); }
[[gnu::always_inline]] inline void raise_invalid() {
    const double zero = hidden(0.0);
    use(zero / zero);
}
[[gnu::always_inline]] inline void raise_divide() { use(1.0 / hidden(0.0)); }
[[gnu::always_inline]] inline void raise_overflow() {
    const double big = hidden(0x1p1000);
    use(big * big);
}
[[gnu::always_inline]] inline void raise_underflow() {
    const double small = hidden(0x1p-1000);
    use(small * small);
}

// ---- lane by lane ----

using Unary = double (*)(double);
using Binary = double (*)(double, double);

// Returns f for the lanes set in `lanes` (a bit each), y for the others. For rare lanes only.
template <class B>
[[gnu::noinline, gnu::cold]] B lanewise(Unary f, B x, B y, uint64_t lanes) {
    alignas(64) Lane<B> in[B::size];
    alignas(64) Lane<B> out[B::size];
    x.store_aligned(in);
    y.store_aligned(out);
    for (uint64_t m = lanes; m != 0; m &= m - 1) {
        const int i = __builtin_ctzll(m);
        out[i] = static_cast<Lane<B>>(f(static_cast<double>(in[i])));
    }
    return B::load_aligned(out);
}

template <class B>
[[gnu::noinline, gnu::cold]] B lanewise(Binary f, B a, B b, B y, uint64_t lanes) {
    alignas(64) Lane<B> in[B::size];
    alignas(64) Lane<B> other[B::size];
    alignas(64) Lane<B> out[B::size];
    a.store_aligned(in);
    b.store_aligned(other);
    y.store_aligned(out);
    for (uint64_t m = lanes; m != 0; m &= m - 1) {
        const int i = __builtin_ctzll(m);
        out[i] = static_cast<Lane<B>>(f(static_cast<double>(in[i]), static_cast<double>(other[i])));
    }
    return B::load_aligned(out);
}

template <class B>
inline constexpr uint64_t kAllLanes = (uint64_t{1} << B::size) - 1;

}  // namespace hassium::HS_SIMD_NS::math
