// NumPy's astype between every pair of native dtypes.
#include "simd/convert.hpp"
#include "simd/registers.hpp"
#include "simd/tables.hpp"

namespace hassium::HS_SIMD_NS {

template <DType To, DType From>
HS_INLINE Stored<To> cast_value(Stored<From> x) {
    using T = Stored<To>;
    if constexpr (kind(From) == DTypeKind::Complex) {
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
        } else {
            return cast_value<To, DType::F32>(half_to_float(x));
        }
    } else if constexpr (kind(To) == DTypeKind::Complex) {
        return {static_cast<decltype(T::re)>(x), 0};
    } else if constexpr (To == DType::F16) {
        if constexpr (From == DType::F64) {
            return double_to_half(x);
        } else {
            return float_to_half(static_cast<float>(x));
        }
    } else if constexpr (To == DType::Bool) {
        return x != 0;
    } else if constexpr (is_integer(To) && kind(From) == DTypeKind::Float) {
        return to_integer<T>(x);
    } else {
        return static_cast<T>(x);
    }
}

// Bools are read as bytes: any but 0 is true.
template <DType D>
HS_INLINE Stored<D> load_value(const char* p) {
    if constexpr (D == DType::Bool) {
        return load_as<uint8_t>(p) != 0;
    } else {
        return load_as<Stored<D>>(p);
    }
}

template <DType To, DType From>
void cast_kernel(char* out, const char* in, std::int64_t n) {
    constexpr int kTo = kBytes<To>;
    constexpr int kFrom = kBytes<From>;
    if constexpr (To == From && To != DType::Bool) {
        copy_bytes(out, in, static_cast<unsigned long>(n) * kTo);
    } else {
        std::int64_t i = 0;
        if constexpr (To == DType::F32 && From == DType::F16) {
            for (; i + kWidth<To> <= n; i += kWidth<To>) {
                store_register<To>(out + i * kTo, load_halves(in + i * kFrom));
            }
        }
        if constexpr (To == DType::F16 && From == DType::F32) {
            for (; i + kWidth<From> <= n; i += kWidth<From>) {
                store_halves(out + i * kTo, load_register<From>(in + i * kFrom));
            }
        }
#pragma GCC ivdep
        for (; i < n; ++i) {
            store_as<Stored<To>>(out + i * kTo,
                                 cast_value<To, From>(load_value<From>(in + i * kFrom)));
        }
    }
}

template <DType From>
HS_INLINE void fill_from(KernelTable& table) {
#define HS_DTYPE(id, name, type, kind, code, bytes) \
    table.cast[static_cast<int>(From)][static_cast<int>(DType::id)] = &cast_kernel<DType::id, From>;
#include "base/dtypes.def"
#undef HS_DTYPE
}

void fill_casts(KernelTable& table) {
#define HS_DTYPE(id, name, type, kind, code, bytes) fill_from<DType::id>(table);
#include "base/dtypes.def"
#undef HS_DTYPE
}

}  // namespace hassium::HS_SIMD_NS
