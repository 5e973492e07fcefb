// Reductions: the place of partials, and the kernels.
#include "exec/compile/compiler.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "exec/compile/parameters.hpp"

namespace hassium {
namespace {

// Stores `identity` in `dtype`; returns false if the dtype has none.
bool identity_bytes(Identity identity, DType dtype, unsigned char* out) {
    std::memset(out, 0, 16);
    if (identity == Identity::None) return false;
    if (identity == Identity::Zero) return true;
    auto bytes = static_cast<std::size_t>(itemsize(dtype));
    if (identity == Identity::AllOnes) {
        std::memset(out, dtype == DType::Bool ? 1 : 0xff, dtype == DType::Bool ? 1 : bytes);
        return is_integer(dtype) || dtype == DType::Bool;
    }
    bool minus_inf = identity == Identity::MinusInf;
    float f32 = minus_inf ? -__builtin_inff() : 1.0f;
    double f64 = minus_inf ? -__builtin_inf() : 1.0;
    std::uint16_t f16 = minus_inf ? 0xfc00 : 0x3c00;
    switch (kind(dtype)) {
        case DTypeKind::Bool:
        case DTypeKind::Signed:
        case DTypeKind::Unsigned:
            out[0] = 1;  // little endian
            return !minus_inf;
        default:
            break;
    }
    if (dtype == DType::F16) std::memcpy(out, &f16, 2);
    if (dtype == DType::F32 || dtype == DType::C64) std::memcpy(out, &f32, 4);
    if (dtype == DType::F64 || dtype == DType::C128) std::memcpy(out, &f64, 8);
    return true;
}

// Stores an element that `op` combines with any other to that other, bit for bit, except for the 0
// of sums. Returns false if none is known.
bool neutral_bytes(Op op, DType dtype, unsigned char* out) {
    const bool real = kind(dtype) == DTypeKind::Float;
    std::memset(out, 0, 16);
    const OpInfo& row = info(op);
    if (row.is_sum()) return true;
    if (row.is_product()) return identity_bytes(Identity::One, dtype, out);
    if (!row.is_extremum() || !real) return false;
    identity_bytes(Identity::MinusInf, dtype, out);
    if (row.has(kMinimal)) out[itemsize(dtype) - 1] &= 0x7f;
    return true;
}

// Finds the bool that determines a reduction of bools: the one that is not the identity, if
// combining it with itself keeps it (any: true; exclusive or: none).
void find_decisive(ReductionCode& c) {
    if (c.accumulator != DType::Bool || !c.row_form || c.sequential || !c.has_identity) return;
    c.decisive = static_cast<char>(1 - c.identity[0]);
    char both = 0;
    char* p[3] = {&both, &c.decisive, &c.decisive};
    c.map(p, 0, 1);
    c.decides = both == c.decisive;
}

}  // namespace

void Compiler::add_reduction(std::size_t index) {
    const PlanReduction& r = plan_.reductions[index];
    const Statement& s = *std::find_if(
        plan_.statements.begin(), plan_.statements.end(),
        [index](const Statement& x) { return x.reduction == static_cast<int>(index); });
    const PlanOperand& result = plan_.operands[r.result];
    ReductionCode c{};
    c.op = s.op;
    c.accumulator = r.accumulator;
    c.result = result.dtype;
    c.bytes = static_cast<std::uint8_t>(itemsize(r.accumulator));
    c.row_form = r.tree.row_form;
    c.sequential = r.tree.sequential;
    c.planes = folds_planes(r);
    c.from_zero = begins_with_zero(s.op, r.accumulator);
    c.base = result.index;
    choose_kernels(c, s.compute);
    find_decisive(c);
    code_.reductions.push_back(std::move(c));
}

void Compiler::choose_kernels(ReductionCode& c, DType compute) const {
    int op = static_cast<int>(c.op), acc = static_cast<int>(c.accumulator);
    int middle = static_cast<int>(compute), result = static_cast<int>(c.result);
    const KernelTable& t = *code_.table;
    c.map = t.map[op][acc];
    c.chunk = t.chunk[op][acc];
    c.tree = t.tree[op][acc];
    c.scan = t.scan[op][acc];
    c.columns = t.columns[op][acc];
    c.round = acc == middle ? nullptr : t.cast[acc][middle];
    c.cast = middle == result ? nullptr : t.cast[middle][result];
    c.has_identity = identity_bytes(info(c.op).identity, c.accumulator, c.identity);
    c.has_neutral = neutral_bytes(c.op, c.accumulator, c.neutral);
    bool has = c.map && (c.sequential ? c.scan != nullptr : c.chunk && c.tree);
    HS_CHECK(has, std::string("no reduction kernel for ") + std::string(info(c.op).name));
}

PointerId Compiler::partial_pointer(const Statement& s) {
    Pointer p{Source::Partial};
    p.index = static_cast<std::uint32_t>(s.reduction);
    return add_pointer(p);
}

void Compiler::emit_reduction(const Statement& s) {
    const ReductionCode& c = code_.reductions[static_cast<std::size_t>(s.reduction)];
    const PlanOperand& in = operand(s, 1);
    // Rounds to the compute dtype first if the accumulator has another one.
    PointerId value;
    if (in.dtype != s.compute && s.compute != c.accumulator) {
        PointerId narrow = fetch_all(in, s.compute);
        value = temporary();
        cast(value, narrow, s.compute, c.accumulator, false);
    } else {
        value = fetch_all(in, c.accumulator);
    }
    if (s.masked) {
        HS_CHECK(c.has_identity, "a masked reduction has an identity");
        PointerId mask = fetch_all(operand(s, 2), DType::Bool), to = temporary();
        fill(to, literal(c.identity), c.accumulator);
        Step& blend = add(StepKind::Blend, {to, value, mask});
        blend.blend = code_.table->blend[item_log2(c.bytes)];
        blend.stride = c.bytes;
        value = to;
    }
    PointerId partial = partial_pointer(s);
    StepKind kind = !c.row_form                 ? StepKind::Columns
                    : c.sequential && !c.planes ? StepKind::RowScan
                                                : StepKind::RowChunks;
    PointerId buffer = temporary();
    add(kind, {partial, value, buffer}).walk = static_cast<std::uint32_t>(s.reduction);
}

}  // namespace hassium
