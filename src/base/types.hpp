// The native dtypes and the plain element types behind them; derived from dtypes.def.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hassium {

// IEEE 754 binary16 as storage only: arithmetic widens to float32 and rounds after every operation,
// as in NumPy.
struct Half {
    std::uint16_t bits;
};

// Plain pairs instead of std::complex: its operators are shared inline symbols, which must not be
// emitted by units compiled for wide instruction sets.
struct Complex64 {
    float re, im;
};
struct Complex128 {
    double re, im;
};

enum class DTypeKind : std::uint8_t { Bool, Signed, Unsigned, Float, Complex };

enum class DType : std::uint8_t {
#define HS_DTYPE(id, name, type, kind, code, bytes) id,
#include "base/dtypes.def"
#undef HS_DTYPE
};

inline constexpr int kDTypeCount = 0
#define HS_DTYPE(id, name, type, kind, code, bytes) +1
#include "base/dtypes.def"
#undef HS_DTYPE
    ;

struct DTypeInfo {
    std::string_view name;
    DTypeKind kind;
    char code;  // NumPy's character code
    std::uint8_t bytes;
};

inline constexpr DTypeInfo kDTypes[kDTypeCount] = {
#define HS_DTYPE(id, name, type, kind, code, bytes) {name, DTypeKind::kind, code, bytes},
#include "base/dtypes.def"
#undef HS_DTYPE
};

constexpr const DTypeInfo& info(DType t) { return kDTypes[static_cast<int>(t)]; }
constexpr std::int64_t itemsize(DType t) { return info(t).bytes; }
constexpr DTypeKind kind(DType t) { return info(t).kind; }
constexpr bool is_integer(DType t) {
    return kind(t) == DTypeKind::Signed || kind(t) == DTypeKind::Unsigned;
}
constexpr bool is_inexact(DType t) {
    return kind(t) == DTypeKind::Float || kind(t) == DTypeKind::Complex;
}

// NumPy allows 64 axes since 2.0.
inline constexpr int kMaxDims = 64;

}  // namespace hassium
