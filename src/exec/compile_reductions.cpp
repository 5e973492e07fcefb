// Reductions: where partials lie, which kernels fold.
#include "exec/compiler.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace hassium {
namespace {

// One element of `identity` in `dtype`; false when the row has none.
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
    c.base = result.index;
    c.offset = result.offset;
    c.extents = r.extents;
    c.strides = r.strides;
    c.outputs = r.tree.outputs;
    c.partials = r.tree.partials();
    c.row = r.tree.row_elements;
    c.piece = c.sequential ? c.row : std::min(c.row, ReductionTree::kChunk);
    c.inner = plan_.extents.back();
    c.run = plan_.run;
    c.chunk_bytes = c.outputs * c.bytes;
    choose_kernels(c, s.compute);
    c.direct = c.partials == 1 && !c.round && !c.cast && lies_in_order(c);
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
    c.round = acc == middle ? nullptr : t.cast[acc][middle];
    c.cast = middle == result ? nullptr : t.cast[middle][result];
    c.has_identity = identity_bytes(info(c.op).identity, c.accumulator, c.identity);
    bool has = c.map && (c.sequential ? c.scan != nullptr : c.chunk && c.tree);
    HS_CHECK(has, std::string("no reduction kernel for ") + std::string(info(c.op).name));
}

bool Compiler::lies_in_order(const ReductionCode& c) {
    std::int64_t inside = c.bytes;
    for (std::size_t k = c.extents.size(); k-- > 0;) {
        if (c.strides[k] != inside) return false;
        inside *= c.extents[k];
    }
    return true;
}

PointerId Compiler::partial_pointer(const Statement& s) {
    auto index = static_cast<std::size_t>(s.reduction);
    const PlanReduction& r = plan_.reductions[index];
    const ReductionCode& c = code_.reductions[index];
    Pointer p{Source::Partial, static_cast<std::uint32_t>(index), 0, 0, {}};
    std::int64_t kept = c.row_form ? c.partials * c.bytes : c.bytes;
    std::int64_t reduced = c.row_form ? r.tree.chunks * c.bytes : 0;
    Dims strides(plan_.extents.size(), 0);
    for (std::size_t k = plan_.extents.size(); k-- > 0;) {
        if (r.role[k] == 2) continue;
        std::int64_t& stride = r.role[k] == 0 ? kept : reduced;
        strides[k] = stride;
        stride *= plan_.extents[k];
    }
    for (std::size_t k = 0; k < span_at_; ++k) p.outer.push_back(strides[k]);
    if (!c.row_form && plan_.span == 1) p.advance = c.bytes;
    return add_pointer(p);
}

void Compiler::emit_reduction(const Statement& s) {
    const ReductionCode& c = code_.reductions[static_cast<std::size_t>(s.reduction)];
    const PlanOperand& in = operand(s, 1);
    // Rounding to the compute dtype comes first where that is not the accumulator's.
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
    StepKind kind = !c.row_form    ? StepKind::Columns
                    : c.sequential ? StepKind::RowScan
                                   : StepKind::RowChunks;
    PointerId buffer = temporary();
    add(kind, {partial, value, buffer}).walk = static_cast<std::uint32_t>(s.reduction);
}

}  // namespace hassium
