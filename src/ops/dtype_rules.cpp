// Chooses the loop that NumPy chooses.
//
// NumPy walks the loops of a ufunc in order and takes the first one to which all operands cast
// safely, after Python scalars took the dtype that the other operands give them (NEP 50). A few
// ufuncs have rules of their own, stated below and selected by their dtype rule. Results for one or
// two operands are cached in a table, as operations look them up at every call.
#include "ops/dtype_rules.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <iterator>
#include <string>

#include "base/error.hpp"
#include "base/small_vec.hpp"
#include "ops/loop_types.hpp"

namespace hassium {

namespace {

using Types = SmallVec<DType, 3>;
using Operands = std::span<const OperandType>;

constexpr std::string_view kCastingNames[] = {"no", "equiv", "safe", "same_kind", "unsafe"};

std::string quoted(std::string_view name) { return "'" + std::string(name) + "'"; }

// Returns NumPy's name of the dtype class: numpy.dtypes.Int8DType.
std::string class_name(const OperandType& o) {
    std::string name;
    if (o.weak == Weak::Strong) {
        name = info(o.dtype).name;
        // UInt8, but Int8: both letters of the prefix are capitals.
        if (kind(o.dtype) == DTypeKind::Unsigned) name[1] = 'I';
        name[0] = static_cast<char>(name[0] - 'a' + 'A');
    } else {
        name = o.weak == Weak::Int ? "_PyLong" : o.weak == Weak::Float ? "_PyFloat" : "_PyComplex";
    }
    return "<class 'numpy.dtypes." + name + "DType'>";
}

[[noreturn]] void fail_no_safe_loop(Op op) {
    throw UserError(ErrorKind::Type,
                    std::string("ufunc ") + quoted(info(op).name) +
                        " not supported for the input types, and the inputs could not be safely "
                        "coerced to any supported types according to the casting rule ''safe''");
}

[[noreturn]] void fail_no_matching_loop(Op op, Operands ins) {
    std::string types = class_name(ins[0]);
    if (ins.size() > 1) types = "(" + types + ", " + class_name(ins[1]) + ")";
    throw UserError(ErrorKind::Casting,
                    std::string("ufunc ") + quoted(info(op).name) +
                        " did not contain a loop with signature matching types " + types +
                        " -> None");
}

[[noreturn]] void fail_no_signature(Op op) {
    throw UserError(ErrorKind::Type,
                    std::string("No loop matching the specified signature and casting was "
                                "found for ufunc ") +
                        std::string(info(op).name));
}

[[noreturn]] void fail_input_cast(Op op, std::size_t count, std::size_t i, DType from, DType to,
                                  Casting casting) {
    const std::string which = count > 1 ? "input " + std::to_string(i) : "input";
    throw UserError(ErrorKind::Casting, std::string("Cannot cast ufunc ") + quoted(info(op).name) +
                                            " " + which + " from dtype(" + quoted(info(from).name) +
                                            ") to dtype(" + quoted(info(to).name) +
                                            ") with casting rule " + quoted(casting_name(casting)));
}

Loop to_loop(DType compute, const LoopTypes& types) {
    return {compute, {types.in[0], types.in[1], types.in[2]}, {types.out[0], types.out[1]}};
}

// Converts Python scalars to the dtypes that they take beside the others.
Types synchronize(Operands ins) {
    OperandType strong{DType::Bool, Weak::Strong};
    bool any = false;
    for (const OperandType& o : ins) {
        if (o.weak != Weak::Strong) continue;
        strong.dtype = any ? promote(strong.dtype, o.dtype) : o.dtype;
        any = true;
    }
    Types types;
    for (const OperandType& o : ins) {
        const bool weak = o.weak != Weak::Strong;
        types.push_back(weak && any ? adapt_weak(o.weak, strong.dtype) : o.dtype);
    }
    return types;
}

bool all_cast(const Types& from, const DType* to, Casting casting) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        if (!can_cast(from[i], to[i], casting)) return false;
    }
    return true;
}

std::optional<Loop> search(DTypeRule rule, const Types& types) {
    for (const char* c = loops_of(rule).dtypes; *c; ++c) {
        const DType compute = dtype_of_code(*c);
        const LoopTypes loop = loop_types(rule, compute);
        if (all_cast(types, loop.in, Casting::Safe)) return to_loop(compute, loop);
    }
    return std::nullopt;
}

// Returns the row that compares values if the two integers have no common integer dtype. These rows
// are six below their ufuncs, in the same order.
Op mixed_row(Op op) {
    const int distance = static_cast<int>(Op::EqualMixed) - static_cast<int>(Op::Equal);
    return static_cast<Op>(static_cast<int>(op) + distance);
}

static_assert(static_cast<int>(Op::GreaterEqualMixed) - static_cast<int>(Op::GreaterEqual) ==
              static_cast<int>(Op::EqualMixed) - static_cast<int>(Op::Equal));

bool needs_mixed(DType a, DType b) {
    return (a == DType::U64 && kind(b) == DTypeKind::Signed) ||
           (b == DType::U64 && kind(a) == DTypeKind::Signed);
}

enum class Choice : std::uint8_t {
    FirstSafe,
    Exact,
    NoBool,
    FloatOfInts,
    Values,
    Truth,
    Branches,
    Exponent
};

constexpr Choice kChoices[] = {
#define HS_DTYPE_RULE(id, pattern, dtypes, choice, meaning) Choice::choice,
#include "ops/dtype_rules.def"
#undef HS_DTYPE_RULE
};

constexpr Choice choice_of(Op op) { return kChoices[static_cast<int>(info(op).rule)]; }

// A Python int as exponent is int64 for any mantissa. As mantissa with an integer exponent it is
// float16, the first loop that fits.
Types resolve_exponent_dtypes(Operands ins) {
    Types types = synchronize(ins);
    if (ins[0].weak == Weak::Strong && ins[1].weak == Weak::Int) {
        types[0] = ins[0].dtype;
        types[1] = DType::I64;
    } else if (ins[0].weak == Weak::Int && ins[1].weak == Weak::Strong &&
               is_integer(ins[1].dtype) && ins[1].dtype != DType::U64) {
        types[0] = DType::F16;
    }
    return types;
}

[[noreturn]] void fail_bool(Op op) {
    const char* text =
        info(op).nin == 2
            ? "numpy boolean subtract, the `-` operator, is not supported, use the bitwise_xor, "
              "the `^` operator, or the logical_xor function instead."
            : "The numpy boolean negative, the `-` operator, is not supported, use the `~` "
              "operator or the logical_not function instead.";
    throw UserError(ErrorKind::Type, text);
}

bool none_above(const Types& types, DTypeKind limit) {
    for (DType t : types) {
        if (kind(t) > limit) return false;
    }
    return true;
}

DType common(const Types& types) {
    DType t = types[0];
    for (std::size_t i = 1; i < types.size(); ++i) t = promote(t, types[i]);
    return t;
}

// Applies the row's choice as far as it differs from the search; returns empty to search.
std::optional<Loop> choose(Op& op, Operands ins, Types& types) {
    switch (choice_of(op)) {
        case Choice::FirstSafe:
            break;
        case Choice::Exact: {
            const std::optional<Loop> loop = loop_of(op, common(types));
            if (!loop) fail_no_matching_loop(op, ins);
            return loop;
        }
        case Choice::NoBool:
            if (none_above(types, DTypeKind::Bool)) fail_bool(op);
            break;
        case Choice::FloatOfInts:
            if (none_above(types, DTypeKind::Unsigned)) return loop_of(op, DType::F64);
            break;
        case Choice::Values:
            if (needs_mixed(types[0], types[1])) {
                op = mixed_row(op);
                return loop_of(op, types[0] == DType::U64 ? DType::U64 : DType::I64);
            }
            break;
        case Choice::Truth: {
            const bool alike =
                types[0] == types[1] && ins[0].weak == Weak::Strong && ins[1].weak == Weak::Strong;
            return loop_of(op, alike ? types[0] : DType::Bool);
        }
        case Choice::Branches:
            return loop_of(op, result_type(ins.subspan(1)));
        case Choice::Exponent:
            types = resolve_exponent_dtypes(ins);
            break;
    }
    return std::nullopt;
}

Loop resolve_anew(Op& op, Operands ins) {
    Types types = synchronize(ins);
    if (std::optional<Loop> chosen = choose(op, ins, types)) return *chosen;
    if (std::optional<Loop> found = search(info(op).rule, types)) return *found;
    fail_no_safe_loop(op);
}

// Cached results by row and operand types: the native dtypes, then the three weak scalars. An entry
// is one word, 0 until known, so threads may fill it without a lock: they write the same value.
struct Answer {
    Op op;
    Loop loop;
};
static_assert(sizeof(Answer) == 8);

constexpr int kOperandTypes = kDTypeCount + 3;
std::atomic<std::uint64_t> answers[kOpCount][kOperandTypes][kOperandTypes];

int index_of(const OperandType& o) {
    return o.weak == Weak::Strong ? static_cast<int>(o.dtype)
                                  : kDTypeCount - 1 + static_cast<int>(o.weak);
}

}  // namespace

std::string_view casting_name(Casting casting) {
    return kCastingNames[static_cast<std::size_t>(casting)];
}

std::optional<Casting> find_casting(std::string_view word) {
    const auto* found = std::find(std::begin(kCastingNames), std::end(kCastingNames), word);
    if (found == std::end(kCastingNames)) return std::nullopt;
    return static_cast<Casting>(found - std::begin(kCastingNames));
}

Loop resolve(Op& op, Operands ins) {
    HS_CHECK(ins.size() == info(op).nin, "resolve() takes one type for each input");
    if (ins.size() > 2) return resolve_anew(op, ins);
    const int second = ins.size() > 1 ? index_of(ins[1]) : 0;
    std::atomic<std::uint64_t>& entry = answers[static_cast<int>(op)][index_of(ins[0])][second];
    std::uint64_t word = entry.load(std::memory_order_relaxed);
    if (word == 0) {
        Answer answer{op, {}};
        answer.loop = resolve_anew(answer.op, ins);
        word = std::bit_cast<std::uint64_t>(answer);
        entry.store(word, std::memory_order_relaxed);
    }
    const Answer answer = std::bit_cast<Answer>(word);
    op = answer.op;
    return answer.loop;
}

namespace {

// Returns whether the output dtype determines the loop. A bool or a count is the same for all
// loops.
bool gives_compute(DTypeRule rule) {
    const char* p = loops_of(rule).pattern;
    while (*p && *p != '>') ++p;
    return *p && (p[1] == 'T' || p[1] == 'R');
}

}  // namespace

Loop resolve_as(Op& op, Operands ins, DType dtype, Casting casting) {
    const DTypeRule rule = info(op).rule;
    // Use the loop without dtype= if it has the wanted output.
    try {
        Op row = op;
        const Loop loop = resolve(row, ins);
        if (loop.out[0] == dtype) {
            op = row;
            return loop;
        }
    } catch (const UserError&) {
        // With dtype= there may be one nevertheless.
    }
    const Types types = synchronize(ins);
    // Loops with operands of several dtypes are searched, as without dtype=.
    for (const char* c = loops_of(rule).dtypes; *c; ++c) {
        const DType compute = dtype_of_code(*c);
        const LoopTypes loop = loop_types(rule, compute);
        const bool wanted = loop.out[0] == dtype && gives_compute(rule);
        if (wanted && all_cast(types, loop.in, Casting::Safe)) return to_loop(compute, loop);
    }
    // Otherwise the loop in that dtype alone; the caller's casting rule applies.
    const LoopTypes loop = loop_types(rule, dtype);
    if (!loop.exists || loop.out[0] != dtype || choice_of(op) == Choice::Exponent ||
        !gives_compute(rule)) {
        fail_no_signature(op);
    }
    for (std::size_t i = 0; i < types.size(); ++i) {
        // A Python scalar takes the dtype of the loop unless its own kind is higher.
        const Weak weak = ins[i].weak;
        if (weak != Weak::Strong && adapt_weak(weak, loop.in[i]) == loop.in[i]) continue;
        if (!can_cast(types[i], loop.in[i], casting)) {
            fail_input_cast(op, types.size(), i, types[i], loop.in[i], casting);
        }
    }
    return to_loop(dtype, loop);
}

namespace {

// The loops of every rule in every dtype: planning looks up several per instruction.
struct AllLoops {
    LoopTypes of[std::size(kRuleLoops)][kDTypeCount];
};
constexpr AllLoops kAllLoops = [] {
    AllLoops all{};
    for (std::size_t rule = 0; rule < std::size(kRuleLoops); ++rule) {
        for (int t = 0; t < kDTypeCount; ++t) {
            all.of[rule][t] = loop_types(static_cast<DTypeRule>(rule), static_cast<DType>(t));
        }
    }
    return all;
}();

}  // namespace

std::optional<Loop> loop_of(Op op, DType compute) {
    const LoopTypes& loop =
        kAllLoops.of[static_cast<int>(info(op).rule)][static_cast<int>(compute)];
    if (!loop.exists) return std::nullopt;
    return to_loop(compute, loop);
}

DType reduction_dtype(Op op, DType in) {
    const OpInfo& row = info(op);
    // Identity 0 or 1 of a row for bools and numbers: a sum or a product.
    const bool widens = row.rule == DTypeRule::Arithmetic && row.identity != Identity::None;
    if (row.has(kBoolResult)) {
        if (choice_of(op) == Choice::Truth || in == DType::Bool) return DType::Bool;
        fail_no_signature(op);
    }
    if (widens && !is_inexact(in)) {
        return kind(in) == DTypeKind::Unsigned ? DType::U64 : DType::I64;
    }
    const OperandType pair[] = {{in}, {in}};
    return resolve(op, pair).compute;
}

// The output counts as the first operand, since NumPy starts from it.
DType reduction_dtype_into(Op op, DType in, DType out) {
    if (info(op).has(kBoolResult)) return reduction_dtype(op, in);
    const OperandType pair[] = {{out}, {in}};
    return resolve(op, pair).compute;
}

// Any operand is cast to the requested dtype.
DType reduction_dtype(Op op, DType, DType dtype) {
    const OpInfo& row = info(op);
    const bool refused = row.has(kBoolResult) && dtype != DType::Bool;
    if (refused || !loop_types(row.rule, dtype).exists) fail_no_signature(op);
    return dtype;
}

}  // namespace hassium
