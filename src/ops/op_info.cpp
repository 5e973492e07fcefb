#include "ops/op_info.hpp"

#include <unordered_map>

#include "ops/loop_types.hpp"

namespace hassium {

namespace {

constexpr int length(const char* text) {
    int n = 0;
    while (text[n]) ++n;
    return n;
}

// The row's arity and its rule's pattern must agree.
constexpr bool arity_fits(const OpInfo& row) {
    if (row.rule == DTypeRule::None) return true;
    const char* pattern = loops_of(row.rule).pattern;
    int nin = 0;
    while (pattern[nin] != '>') ++nin;
    return nin == row.nin && length(pattern) - nin - 1 == row.nout;
}

// A row can only be reduced if it is binary with one output of an input's dtype.
constexpr bool flags_fit(const OpInfo& row) {
    if (row.has(kReducible) && (row.nin != 2 || row.nout != 1)) return false;
    if (row.has(kReorderable) && !row.has(kAssociative)) return false;
    return row.ulp > 0 || !row.has(kMath);
}

constexpr bool table_holds() {
    for (const OpInfo& row : kOps) {
        if (!arity_fits(row) || !flags_fit(row)) return false;
    }
    return true;
}

static_assert(table_holds(), "a row of ops.def contradicts its dtype rule or its flags");

const std::unordered_map<std::string_view, Op>& names() {
    static const std::unordered_map<std::string_view, Op> map = [] {
        std::unordered_map<std::string_view, Op> m;
        for (int i = 0; i < kOpCount; ++i) m.emplace(kOps[i].name, static_cast<Op>(i));
        for (const OpAlias& a : kOpAliases) m.emplace(a.alias, m.at(a.name));
        return m;
    }();
    return map;
}

}  // namespace

std::uint8_t raises(Op op, DType compute) {
    const OpInfo& row = info(op);
    switch (kind(compute)) {
        case DTypeKind::Bool:
            return kNoFlag;
        case DTypeKind::Signed:
        case DTypeKind::Unsigned:
            return row.has(kIntRaises) ? row.raises : std::uint8_t{kNoFlag};
        case DTypeKind::Float:
            if (compute == DType::F16 && (row.raises || row.has(kMath))) {
                return row.raises | kOver | kUnder;
            }
            return row.raises;
        case DTypeKind::Complex:
            // Only functions computed from other functions meet conditions of those.
            return row.has(kMath) ? kDivide | kOver | kUnder | kInvalid : row.raises;
    }
    return row.raises;
}

std::uint8_t cast_raises(DType from, DType to) {
    if (!is_inexact(from)) return to == DType::F16 && itemsize(from) > 1 ? kOver : kNoFlag;
    if (is_integer(to)) return kInvalid;
    if (is_inexact(to)) {
        const std::int64_t wide = itemsize(from) / (kind(from) == DTypeKind::Complex ? 2 : 1);
        const std::int64_t narrow = itemsize(to) / (kind(to) == DTypeKind::Complex ? 2 : 1);
        if (narrow < wide) return kOver | kUnder;
    }
    return kNoFlag;
}

Op row_of_power(double exponent, DType compute) {
    if (exponent == 2.0) return Op::Square;
    if (exponent == 1.0 || exponent == 0.0) return Op::Copy;
    if (exponent == 0.5 && compute != DType::F16) return Op::Sqrt;
    if (exponent == -1.0) return Op::Reciprocal;
    return Op::Power;
}

CheaperRow row_of_division(Op op, int log2_divisor) {
    // Both round down.
    if (op == Op::Remainder) return {Op::BitwiseAnd, (std::uint64_t{1} << log2_divisor) - 1};
    return {Op::RightShift, static_cast<std::uint64_t>(log2_divisor)};
}

std::optional<Op> find_op(std::string_view name) {
    const auto found = names().find(name);
    if (found == names().end()) return std::nullopt;
    return found->second;
}

std::optional<DType> find_dtype(std::string_view name) {
    for (int t = 0; t < kDTypeCount; ++t) {
        if (kDTypes[t].name == name) return static_cast<DType>(t);
    }
    return std::nullopt;
}

}  // namespace hassium
