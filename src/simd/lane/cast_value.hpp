// Converts one value between native dtypes, as NumPy's astype does.
#pragma once

#include "simd/lane/convert.hpp"
#include "simd/lane/registers.hpp"

namespace hassium::HS_SIMD_NS {

template <DType To, DType From>
HS_INLINE Stored<To> cast_value(Stored<From> x) {
    using T = Stored<To>;
    if constexpr (From == DType::Bool && is_inexact(To) && To != DType::F16) {
        // g++ converts whole registers of integers, but not of bools.
        return cast_value<To, DType::I32>(static_cast<std::int32_t>(x));
    } else if constexpr (kind(From) == DTypeKind::Complex) {
        if constexpr (kind(To) == DTypeKind::Complex) {
            return {static_cast<decltype(T::re)>(x.re), static_cast<decltype(T::re)>(x.im)};
        } else if constexpr (To == DType::Bool) {
            return x.re != 0 || x.im != 0;
        } else {
            return cast_value<To, From == DType::C64 ? DType::F32 : DType::F64>(x.re);
        }
    } else if constexpr (From == DType::F16) {
        if constexpr (To == DType::F16) {
            return x;
        } else if constexpr (To == DType::Bool) {
            return (x.bits & 0x7fffu) != 0;
        } else if constexpr (To == DType::U32) {
            // NumPy's cast from float16 is the only one that converts through int64.
            return static_cast<T>(static_cast<int64_t>(half_to_float(x)));
        } else {
            return cast_value<To, DType::F32>(half_to_float(x));
        }
    } else if constexpr (kind(To) == DTypeKind::Complex) {
        return {static_cast<decltype(T::re)>(x), 0};
    } else if constexpr (To == DType::F16) {
        static_assert(From != DType::F64, "would round twice (unit_casts.cpp)");
        return float_to_half(static_cast<float>(x));
    } else if constexpr (To == DType::Bool) {
        return x != 0;
    } else if constexpr (is_integer(To) && kind(From) == DTypeKind::Float) {
        return to_integer<T>(x);
    } else {
        return static_cast<T>(x);
    }
}

}  // namespace hassium::HS_SIMD_NS
