// Operand types of lane expressions: registers of each kind of dtype, and the scalars of
// kScalarLoop rows. The convention is stated at the head of ops/ops.def.
#pragma once

#include <stdint.h>

#include <xsimd/xsimd.hpp>

#include "base/types.hpp"
#include "simd/lane/half.hpp"
#include "simd/math/base.hpp"
#include "simd/math/complex_exp.hpp"

namespace hassium::HS_SIMD_NS {

using Arch = HS_SIMD_ARCH;
template <class T>
using Vec = xsimd::batch<T, Arch>;
template <class T>
using Mask = xsimd::batch_bool<T, Arch>;
template <class T>
using Cx = math::cplx::Complex<Vec<T>>;

template <class A, class B>
inline constexpr bool kSame = math::kSame<A, B>;
template <class T>
inline constexpr bool kIsReal = kSame<T, float> || kSame<T, double>;
template <class T>
inline constexpr bool kIsSigned = T(-1) < T(0);

// A register of bools: bytes 0 or 1.
struct Bools {
    Vec<uint8_t> v;
};

namespace lane {

// Placeholder for an input that the row does not have.
struct None {};

template <class A, class B>
struct Pair {
    A first;
    B second;
};

// Scalars of kScalarLoop rows. HalfLane converts to float32 where a function has no float16 form.
struct Bool {
    bool v;
};
struct HalfLane {
    Half h;
    HS_INLINE operator float() const { return half_to_float(h); }
};

}  // namespace lane

template <DType D>
struct Storage;
#define HS_DTYPE(id, name, type, kind, code, bytes) \
    template <>                                     \
    struct Storage<DType::id> {                     \
        using Type = type;                          \
    };
#include "base/dtypes.def"
#undef HS_DTYPE
template <DType D>
using Stored = typename Storage<D>::Type;

}  // namespace hassium::HS_SIMD_NS
