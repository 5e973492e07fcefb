// Promotion and casting of dtypes, NumPy 2 (NEP 50).
#include <algorithm>

#include "ops/dtype_rules.hpp"
#include "ops/loop_types.hpp"

namespace hassium {

namespace {

constexpr DType signed_of(std::int64_t bytes) {
    return bytes == 1 ? DType::I8 : bytes == 2 ? DType::I16 : bytes == 4 ? DType::I32 : DType::I64;
}

constexpr DType float_of(std::int64_t bytes) {
    return bytes == 2 ? DType::F16 : bytes == 4 ? DType::F32 : DType::F64;
}

// Returns the smallest float that holds every value of the dtype; float64 for 64-bit integers.
constexpr DType float_for(DType t) {
    if (kind(t) == DTypeKind::Float) return t;
    if (kind(t) == DTypeKind::Complex) return real_part(t);
    return float_of(std::min<std::int64_t>(2 * itemsize(t), 8));
}

constexpr DType complex_holding(DType real) {
    return real == DType::F64 ? DType::C128 : DType::C64;
}

constexpr DType promote_integers(DType a, DType b) {
    if (kind(a) == kind(b)) return itemsize(a) >= itemsize(b) ? a : b;
    const DType s = kind(a) == DTypeKind::Signed ? a : b;
    const DType u = kind(a) == DTypeKind::Signed ? b : a;
    if (itemsize(s) > itemsize(u)) return s;
    return u == DType::U64 ? DType::F64 : signed_of(2 * itemsize(u));
}

constexpr DType promote_pair(DType a, DType b) {
    if (a == b || b == DType::Bool) return a;
    if (a == DType::Bool) return b;
    if (is_integer(a) && is_integer(b)) return promote_integers(a, b);
    const DType fa = float_for(a);
    const DType fb = float_for(b);
    const DType real = itemsize(fa) >= itemsize(fb) ? fa : fb;
    const bool is_complex = kind(a) == DTypeKind::Complex || kind(b) == DTypeKind::Complex;
    return is_complex ? complex_holding(real) : real;
}

struct PromotionTable {
    DType of[kDTypeCount][kDTypeCount];
};

constexpr PromotionTable make_promotion_table() {
    PromotionTable table{};
    for (int a = 0; a < kDTypeCount; ++a) {
        for (int b = 0; b < kDTypeCount; ++b) {
            table.of[a][b] = promote_pair(static_cast<DType>(a), static_cast<DType>(b));
        }
    }
    return table;
}

constexpr PromotionTable kPromotion = make_promotion_table();

// Returns the rank of a kind: same-kind casting may only go up.
constexpr int kind_order(DType t) {
    switch (kind(t)) {
        case DTypeKind::Bool:
            return 0;
        case DTypeKind::Unsigned:
            return 1;
        case DTypeKind::Signed:
            return 2;
        case DTypeKind::Float:
            return 3;
        case DTypeKind::Complex:
            return 4;
    }
    return 4;
}

constexpr DType default_of(Weak weak) {
    return weak == Weak::Int ? DType::I64 : weak == Weak::Float ? DType::F64 : DType::C128;
}

}  // namespace

DType promote(DType a, DType b) { return kPromotion.of[static_cast<int>(a)][static_cast<int>(b)]; }

DType adapt_weak(Weak weak, DType strong) {
    switch (weak) {
        case Weak::Strong:
            return strong;
        case Weak::Int:
            return strong == DType::Bool ? DType::I64 : strong;
        case Weak::Float:
            return is_inexact(strong) ? strong : DType::F64;
        case Weak::Complex:
            return is_inexact(strong) ? complex_holding(real_part(strong)) : DType::C128;
    }
    return strong;
}

DType result_type(std::span<const OperandType> operands) {
    bool any_strong = false;
    DType strong = DType::Bool;
    Weak weakest = Weak::Strong;
    for (const OperandType& o : operands) {
        if (o.weak == Weak::Strong) {
            strong = any_strong ? promote(strong, o.dtype) : o.dtype;
            any_strong = true;
        } else {
            weakest = std::max(weakest, o.weak);
        }
    }
    if (weakest == Weak::Strong) return strong;
    return any_strong ? adapt_weak(weakest, strong) : default_of(weakest);
}

bool can_cast(DType from, DType to, Casting casting) {
    if (from == to || casting == Casting::Unsafe) return true;
    if (casting == Casting::No || casting == Casting::Equiv) return false;
    if (promote(from, to) == to) return true;
    return casting == Casting::SameKind && kind_order(from) <= kind_order(to);
}

bool fits(std::int64_t value, DType dtype) {
    if (value >= 0) return fits(static_cast<std::uint64_t>(value), dtype);
    if (kind(dtype) == DTypeKind::Unsigned || dtype == DType::Bool) return false;
    if (is_inexact(dtype)) return true;
    const int bits = static_cast<int>(8 * itemsize(dtype));
    return bits == 64 || value >= -(std::int64_t{1} << (bits - 1));
}

bool fits(std::uint64_t value, DType dtype) {
    if (is_inexact(dtype)) return true;
    if (dtype == DType::Bool) return value <= 1;
    const int bits =
        static_cast<int>(8 * itemsize(dtype)) - (kind(dtype) == DTypeKind::Signed ? 1 : 0);
    return bits == 64 || value >> bits == 0;
}

}  // namespace hassium
