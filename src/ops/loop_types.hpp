// The loops of a dtype rule at compile time: kernel units are instantiated from them, and loop_of
// returns them. No standard-library types, so that units for wide instruction sets may use it.
#pragma once

#include "base/types.hpp"
#include "ops/op_info.hpp"

namespace hassium {

struct LoopTypes {
    bool exists;
    DType in[3];
    DType out[2];
};

struct RuleLoops {
    const char* pattern;
    const char* dtypes;
};

inline constexpr RuleLoops kRuleLoops[] = {
#define HS_DTYPE_RULE(id, pattern, dtypes, choice, meaning) {pattern, dtypes},
#include "ops/dtype_rules.def"
#undef HS_DTYPE_RULE
};

constexpr const RuleLoops& loops_of(DTypeRule rule) { return kRuleLoops[static_cast<int>(rule)]; }

constexpr DType dtype_of_code(char code) {
    for (int t = 0; t < kDTypeCount; ++t) {
        if (kDTypes[t].code == code) return static_cast<DType>(t);
    }
    return DType::Bool;
}

constexpr DType real_part(DType t) {
    return t == DType::C64 ? DType::F32 : t == DType::C128 ? DType::F64 : t;
}

constexpr DType complex_of(DType part) { return part == DType::F32 ? DType::C64 : DType::C128; }

// Returns the dtype of one pattern character in the loop that computes in `compute`.
constexpr DType pattern_dtype(char c, DType compute) {
    switch (c) {
        case 'T':
            return compute;
        case 'R':
            return real_part(compute);
        case 'X':
            return compute == DType::I64 ? DType::U64 : DType::I64;
        default:
            return dtype_of_code(c);
    }
}

// Missing inputs and outputs repeat the compute dtype.
constexpr LoopTypes loop_types(DTypeRule rule, DType compute) {
    const RuleLoops& loops = loops_of(rule);
    LoopTypes result{false, {compute, compute, compute}, {compute, compute}};
    for (const char* c = loops.dtypes; *c; ++c) {
        result.exists = result.exists || *c == info(compute).code;
    }
    if (!result.exists) return result;
    const char* p = loops.pattern;
    for (DType* in = result.in; *p != '>'; ++p) *in++ = pattern_dtype(*p, compute);
    ++p;
    for (DType* out = result.out; *p; ++p) *out++ = pattern_dtype(*p, compute);
    return result;
}

}  // namespace hassium
