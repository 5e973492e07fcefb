// NumPy's astype between every pair of native dtypes.
#include "ops/loop_types.hpp"
#include "simd/lane/cast_value.hpp"
#include "simd/lane/registers.hpp"
#include "simd/tables/tables.hpp"

namespace hassium::HS_SIMD_NS {

// Bools are read as bytes: any byte but 0 is true.
template <DType D>
HS_INLINE Stored<D> load_value(const char* p) {
    if constexpr (D == DType::Bool) {
        return load_as<uint8_t>(p) != 0;
    } else {
        return load_as<Stored<D>>(p);
    }
}

template <DType To, DType From>
HS_INLINE void cast_plain(char* out, const char* in, std::int64_t n) {
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) {
        store_as<Stored<To>>(out + i * kBytes<To>,
                             cast_value<To, From>(load_value<From>(in + i * kBytes<From>)));
    }
}

// Casts between float16 and other dtypes go through float32, as NumPy's do, except for float64.
template <DType To, DType From>
inline constexpr bool kThroughFloat =
    (From == DType::F16) != (To == DType::F16) && From != DType::F64 && From != DType::C128 &&
    From != DType::F32 && To != DType::F32 && To != DType::Bool && To != DType::U32;

template <DType To, DType From>
HS_INLINE void cast_through_float(char* out, const char* in, std::int64_t n) {
    constexpr std::int64_t kBlock = 256;
    alignas(64) char floats[kBlock * 4];
    for (std::int64_t i = 0; i < n; i += kBlock) {
        const std::int64_t count = n - i < kBlock ? n - i : kBlock;
        if constexpr (From == DType::F16) {
            widen_halves(floats, in + i * kBytes<From>, count);
            cast_plain<To, DType::F32>(out + i * kBytes<To>, floats, count);
        } else {
            cast_plain<DType::F32, From>(floats, in + i * kBytes<From>, count);
            narrow_halves(out + i * kBytes<To>, floats, count);
        }
    }
}

// Casts float64 for float16 with one rounding: to floats rounded to odd, which keep what the second
// rounding needs. Numbers far beyond the range of float16 are first brought nearer, by integer
// operations, so that only the second rounding raises exceptions.
HS_INLINE void narrow_to_odd(char* floats, const char* in, std::int64_t n) {
    constexpr std::int64_t kSign = INT64_MIN, kInfinity = 0x7ff0000000000000;
    constexpr std::int64_t kMost = 0x40f0000000000000, kLeast = 0x39b0000000000000;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) {
        const auto bits = load_as<std::int64_t>(in + 8 * i);
        std::int64_t magnitude = bits & ~kSign;
        magnitude = magnitude >= kMost && magnitude < kInfinity ? kMost : magnitude;
        magnitude = magnitude < kLeast && magnitude != 0 ? kLeast : magnitude;
        const auto near =
            static_cast<float>(__builtin_bit_cast(double, magnitude | (bits & kSign)));
        const auto back = __builtin_bit_cast(std::int64_t, static_cast<double>(near)) & ~kSign;
        const auto last = __builtin_bit_cast(std::int32_t, near);
        const std::int32_t toward = back < magnitude ? 1 : -1;
        const bool moves = (last & 1) == 0 && back != magnitude && magnitude < kInfinity;
        store_as(floats + 4 * i, last + (moves ? toward : 0));
    }
}

template <DType From>
HS_INLINE void narrow_doubles(char* out, const char* in, std::int64_t n) {
    constexpr std::int64_t kBlock = 256;
    alignas(64) char doubles[kBlock * 8], floats[kBlock * 4];
    for (std::int64_t i = 0; i < n; i += kBlock) {
        const std::int64_t count = n - i < kBlock ? n - i : kBlock;
        const char* from = in + i * kBytes<From>;
        if constexpr (From == DType::C128) {
            cast_plain<DType::F64, From>(doubles, from, count);
            from = doubles;
        }
        narrow_to_odd(floats, from, count);
        narrow_halves(out + 2 * i, floats, count);
    }
}

// A complex number is true if one of its parts is: compilers do not vectorize both parts at once.
template <DType From>
HS_INLINE void cast_to_bools_by_parts(char* out, const char* in, std::int64_t n) {
    constexpr std::int64_t kBlock = 256;
    alignas(64) char parts[2 * kBlock];
    for (std::int64_t i = 0; i < n; i += kBlock) {
        const std::int64_t count = n - i < kBlock ? n - i : kBlock;
        cast_plain<DType::Bool, real_part(From)>(parts, in + i * kBytes<From>, 2 * count);
        for (std::int64_t k = 0; k < count; ++k) {
            const auto both = load_as<std::uint16_t>(parts + 2 * k);
            store_as<std::uint8_t>(out + i + k, static_cast<std::uint8_t>((both | both >> 8) & 1));
        }
    }
}

template <DType To, DType From>
void cast_kernel(char* out, const char* in, std::int64_t n) {
    if constexpr (To == From && To != DType::Bool) {
        copy_line(out, in, n * kBytes<To>);
    } else if constexpr (To == DType::F32 && From == DType::F16) {
        widen_halves(out, in, n);
    } else if constexpr (To == DType::F16 && From == DType::F32) {
        narrow_halves(out, in, n);
    } else if constexpr (To == DType::Bool && kind(From) == DTypeKind::Complex) {
        cast_to_bools_by_parts<From>(out, in, n);
    } else if constexpr (To == DType::F16 && (From == DType::F64 || From == DType::C128)) {
        narrow_doubles<From>(out, in, n);
    } else if constexpr (kThroughFloat<To, From>) {
        cast_through_float<To, From>(out, in, n);
    } else {
        cast_plain<To, From>(out, in, n);
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
