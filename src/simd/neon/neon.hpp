// The architecture of the level `neon`: xsimd::neon64 with exact operations of one instruction.
//
// xsimd 14 divides floats and takes their roots by Newton's iteration, rounds by way of integers,
// rounds c - a*b twice, and calls a function through a table for operations on most types. Here
// quotients, roots and fused operations round once, as IEEE 754 says, rounding keeps the sign of
// zero, and none of them raises a flag that its result does not imply.
//
// An overload for the derived architecture is a better match than any of xsimd's. It must be seen
// before the definitions of xsimd's batches: include <xsimd/xsimd.hpp>, never this file.
#pragma once

#include <xsimd/config/xsimd_config.hpp>
// In this order: the declaration of a batch, then what the overloads are made of.
#include <xsimd/types/xsimd_neon64_register.hpp>
#include <xsimd/types/xsimd_utils.hpp>

namespace hassium {

struct Neon : xsimd::neon64 {};

}  // namespace hassium

namespace xsimd {

namespace types {

XSIMD_DECLARE_SIMD_REGISTER_ALIAS(hassium::Neon, neon64);
template <class T>
struct get_bool_simd_register<T, hassium::Neon>
    : detail::neon_bool_simd_register<T, hassium::Neon> {};

}  // namespace types

namespace kernel {

// ---- operators of the compiler, on registers of every real type ----

// Batches of complex numbers are two registers, and xsimd's.
template <class T>
using IfRegister = std::enable_if_t<std::is_arithmetic<T>::value, int>;

// Between registers of the same width a cast of the C form keeps the bits.
#define HS_NEON_ARITHMETIC(name, operator)                                    \
    template <class A, class T, IfRegister<T> = 0>                            \
    XSIMD_INLINE batch<T, A> name(batch<T, A> const& a, batch<T, A> const& b, \
                                  requires_arch<hassium::Neon>) noexcept {    \
        return batch<T, A>(a.data operator b.data);                           \
    }
HS_NEON_ARITHMETIC(add, +)
HS_NEON_ARITHMETIC(sub, -)
HS_NEON_ARITHMETIC(mul, *)
#undef HS_NEON_ARITHMETIC

#define HS_NEON_COMPARISON(name, operator)                                         \
    template <class A, class T, IfRegister<T> = 0>                                 \
    XSIMD_INLINE batch_bool<T, A> name(batch<T, A> const& a, batch<T, A> const& b, \
                                       requires_arch<hassium::Neon>) noexcept {    \
        using Result = typename batch_bool<T, A>::register_type;                   \
        return batch_bool<T, A>((Result)(a.data operator b.data));                 \
    }
HS_NEON_COMPARISON(eq, ==)
HS_NEON_COMPARISON(neq, !=)
HS_NEON_COMPARISON(lt, <)
HS_NEON_COMPARISON(le, <=)
HS_NEON_COMPARISON(gt, >)
HS_NEON_COMPARISON(ge, >=)
#undef HS_NEON_COMPARISON

#define HS_NEON_BITWISE(name, operation)                                                     \
    template <class A, class T, IfRegister<T> = 0>                                           \
    XSIMD_INLINE batch<T, A> name(batch<T, A> const& a, batch<T, A> const& b,                \
                                  requires_arch<hassium::Neon>) noexcept {                   \
        const uint8x16_t x = (uint8x16_t)a.data;                                             \
        const uint8x16_t y = (uint8x16_t)b.data;                                             \
        return batch<T, A>((typename batch<T, A>::register_type)(operation));                \
    }                                                                                        \
    template <class A, class T, IfRegister<T> = 0>                                           \
    XSIMD_INLINE batch_bool<T, A> name(batch_bool<T, A> const& a, batch_bool<T, A> const& b, \
                                       requires_arch<hassium::Neon>) noexcept {              \
        const auto x = a.data;                                                               \
        const auto y = b.data;                                                               \
        return batch_bool<T, A>(operation);                                                  \
    }
HS_NEON_BITWISE(bitwise_and, x& y)
HS_NEON_BITWISE(bitwise_or, x | y)
HS_NEON_BITWISE(bitwise_xor, x ^ y)
HS_NEON_BITWISE(bitwise_andnot, x & ~y)
#undef HS_NEON_BITWISE

template <class A, class T, IfRegister<T> = 0>
XSIMD_INLINE batch<T, A> bitwise_not(batch<T, A> const& a, requires_arch<hassium::Neon>) noexcept {
    return batch<T, A>((typename batch<T, A>::register_type)(~(uint8x16_t)a.data));
}
template <class A, class T, IfRegister<T> = 0>
XSIMD_INLINE batch_bool<T, A> bitwise_not(batch_bool<T, A> const& a,
                                          requires_arch<hassium::Neon>) noexcept {
    return batch_bool<T, A>(~a.data);
}

// -x flips the sign of a float, of zeros and nans too.
template <class A, class T, IfRegister<T> = 0>
XSIMD_INLINE batch<T, A> neg(batch<T, A> const& a, requires_arch<hassium::Neon>) noexcept {
    return batch<T, A>(-a.data);
}

template <class A, class T, IfRegister<T> = 0>
XSIMD_INLINE batch<T, A> select(batch_bool<T, A> const& where, batch<T, A> const& a,
                                batch<T, A> const& b, requires_arch<hassium::Neon>) noexcept {
    const uint8x16_t bits =
        vbslq_u8((uint8x16_t)where.data, (uint8x16_t)a.data, (uint8x16_t)b.data);
    return batch<T, A>((typename batch<T, A>::register_type)bits);
}

// ---- instructions of one type ----

#define HS_NEON_EXTREMES(type, suffix)                                                \
    template <class A>                                                                \
    XSIMD_INLINE batch<type, A> min(batch<type, A> const& a, batch<type, A> const& b, \
                                    requires_arch<hassium::Neon>) noexcept {          \
        return vminq_##suffix(a, b);                                                  \
    }                                                                                 \
    template <class A>                                                                \
    XSIMD_INLINE batch<type, A> max(batch<type, A> const& a, batch<type, A> const& b, \
                                    requires_arch<hassium::Neon>) noexcept {          \
        return vmaxq_##suffix(a, b);                                                  \
    }
HS_NEON_EXTREMES(int8_t, s8)
HS_NEON_EXTREMES(int16_t, s16)
HS_NEON_EXTREMES(int32_t, s32)
HS_NEON_EXTREMES(uint8_t, u8)
HS_NEON_EXTREMES(uint16_t, u16)
HS_NEON_EXTREMES(uint32_t, u32)
HS_NEON_EXTREMES(float, f32)
HS_NEON_EXTREMES(double, f64)
#undef HS_NEON_EXTREMES

#define HS_NEON_UNARY(name, type, instruction)                                \
    template <class A>                                                        \
    XSIMD_INLINE batch<type, A> name(batch<type, A> const& a,                 \
                                     requires_arch<hassium::Neon>) noexcept { \
        return instruction(a);                                                \
    }
HS_NEON_UNARY(abs, int8_t, vabsq_s8)
HS_NEON_UNARY(abs, int16_t, vabsq_s16)
HS_NEON_UNARY(abs, int32_t, vabsq_s32)
HS_NEON_UNARY(abs, int64_t, vabsq_s64)

// Rounding raises invalid for signalling nans alone, and never inexact.
#define HS_NEON_FLOATS(type, suffix)                                                   \
    HS_NEON_UNARY(abs, type, vabsq_##suffix)                                           \
    HS_NEON_UNARY(sqrt, type, vsqrtq_##suffix)                                         \
    HS_NEON_UNARY(floor, type, vrndmq_##suffix)                                        \
    HS_NEON_UNARY(ceil, type, vrndpq_##suffix)                                         \
    HS_NEON_UNARY(trunc, type, vrndq_##suffix)                                         \
    HS_NEON_UNARY(nearbyint, type, vrndnq_##suffix)                                    \
    template <class A>                                                                 \
    XSIMD_INLINE batch<type, A> div(batch<type, A> const& a, batch<type, A> const& b,  \
                                    requires_arch<hassium::Neon>) noexcept {           \
        return vdivq_##suffix(a, b);                                                   \
    }                                                                                  \
    /* a*b + c, a*b - c, c - a*b and -a*b - c. */                                      \
    template <class A>                                                                 \
    XSIMD_INLINE batch<type, A> fma(batch<type, A> const& a, batch<type, A> const& b,  \
                                    batch<type, A> const& c,                           \
                                    requires_arch<hassium::Neon>) noexcept {           \
        return vfmaq_##suffix(c, a, b);                                                \
    }                                                                                  \
    template <class A>                                                                 \
    XSIMD_INLINE batch<type, A> fms(batch<type, A> const& a, batch<type, A> const& b,  \
                                    batch<type, A> const& c,                           \
                                    requires_arch<hassium::Neon>) noexcept {           \
        return vfmaq_##suffix(vnegq_##suffix(c), a, b);                                \
    }                                                                                  \
    template <class A>                                                                 \
    XSIMD_INLINE batch<type, A> fnma(batch<type, A> const& a, batch<type, A> const& b, \
                                     batch<type, A> const& c,                          \
                                     requires_arch<hassium::Neon>) noexcept {          \
        return vfmsq_##suffix(c, a, b);                                                \
    }                                                                                  \
    template <class A>                                                                 \
    XSIMD_INLINE batch<type, A> fnms(batch<type, A> const& a, batch<type, A> const& b, \
                                     batch<type, A> const& c,                          \
                                     requires_arch<hassium::Neon>) noexcept {          \
        return vfmsq_##suffix(vnegq_##suffix(c), a, b);                                \
    }
HS_NEON_FLOATS(float, f32)
HS_NEON_FLOATS(double, f64)
#undef HS_NEON_FLOATS
#undef HS_NEON_UNARY

}  // namespace kernel

}  // namespace xsimd
