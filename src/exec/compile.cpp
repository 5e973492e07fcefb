// LoopPlan to BlockCode: picks the kernels, decides for every operand whether the kernel may work
// on its memory directly or on a staged copy, and puts casts where stored and computed dtypes
// differ.
#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "exec/code.hpp"
#include "ops/dtype_rules.hpp"

namespace hassium {
namespace {

// Neighbouring slots start in different cache sets and never at the same offset in a page: a store
// and a later load of the same offset would be taken for dependent.
constexpr std::int64_t kSlotGap = 320;

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

// How an operand lies over the span.
enum class Lie : std::uint8_t { Scalar, Contiguous, Strided, Walked };

struct Value {
    PointerId pointer;
    bool scalar;
};

class Compiler {
  public:
    explicit Compiler(const LoopPlan& plan) : plan_(plan) {}

    std::shared_ptr<const BlockCode> compile() {
        code_.table = &kernels();
        shape();
        lay_out_slots();
        for (std::size_t k = 0; k < plan_.reductions.size(); ++k) add_reduction(k);
        if (code_.jobs > 0) {
            for (const Statement& s : plan_.statements) {
                temporaries_ = 0;
                if (s.reduction >= 0) {
                    emit_reduction(s);
                } else if (info(s.op).cls == OpClass::Generate) {
                    emit_range(s);
                } else {
                    emit_map(s);
                }
            }
        }
        code_.scratch_bytes = slots_end_ + (most_temporaries_ + 1) * temporary_bytes_;
        code_.interruptible = !overwrites_input();
        order_pointers();
        return std::make_shared<const BlockCode>(std::move(code_));
    }

  private:
    const LoopPlan& plan_;
    BlockCode code_;
    std::size_t span_at_ = 0;  // first nest axis of the span
    std::int64_t slots_end_ = 0, temporary_bytes_ = 0;
    int temporaries_ = 0, most_temporaries_ = 0;
    std::vector<std::int64_t> slot_offset_;
    std::vector<bool> slot_scalar_;

    const PlanOperand& operand(const Statement& s, std::size_t k) const {
        return plan_.operands[s.operands[k]];
    }

    void shape() {
        std::size_t rank = plan_.extents.size();
        span_at_ = rank - plan_.span;
        std::size_t swept_at = span_at_ - plan_.swept;
        code_.span_elements = 1;
        std::int64_t prefixes = 1;
        for (std::size_t k = 0; k < rank; ++k) {
            std::int64_t extent = plan_.extents[k];
            if (k < swept_at) {
                code_.outer.push_back(extent);
                prefixes *= extent;
            } else if (k < span_at_) {
                code_.swept.push_back(extent);
                code_.swept_steps *= extent;
            } else {
                code_.span_elements *= extent;
            }
        }
        code_.tile = std::min(plan_.tile, std::max<std::int64_t>(code_.span_elements, 1));
        code_.unit = plan_.unit;
        code_.run = plan_.run;
        code_.units = (code_.span_elements + code_.unit - 1) / code_.unit;
        code_.sweeps = plan_.swept ? (code_.swept_steps + code_.run - 1) / code_.run : 1;
        code_.jobs = prefixes * code_.units * code_.sweeps;
    }

    void lay_out_slots() {
        std::int64_t at = 0, widest = 1;
        for (DType dtype : plan_.slots) {
            slot_offset_.push_back(at);
            at += (itemsize(dtype) * code_.tile + 63) / 64 * 64 + kSlotGap;
            widest = std::max(widest, itemsize(dtype));
        }
        slot_scalar_.assign(plan_.slots.size(), false);
        for (const PlanOperand& o : plan_.operands) widest = std::max(widest, itemsize(o.dtype));
        for (const Statement& s : plan_.statements) {
            if (auto loop = loop_of(s.op, s.compute)) {
                for (DType t : loop->in) widest = std::max(widest, itemsize(t));
                for (DType t : loop->out) widest = std::max(widest, itemsize(t));
            }
        }
        for (const PlanReduction& r : plan_.reductions) {
            widest = std::max(widest, itemsize(r.accumulator));
        }
        slots_end_ = at;
        temporary_bytes_ = (widest * code_.tile + 63) / 64 * 64 + kSlotGap;
    }

    // --- pointers
    // ---------------------------------------------------------------------------------

    PointerId add_pointer(const Pointer& pointer) {
        for (std::size_t k = 0; k < code_.pointers.size(); ++k) {
            const Pointer& p = code_.pointers[k];
            if (p.source == pointer.source && p.index == pointer.index &&
                p.offset == pointer.offset && p.advance == pointer.advance &&
                p.outer == pointer.outer) {
                return static_cast<PointerId>(k);
            }
        }
        code_.pointers.push_back(pointer);
        HS_CHECK(code_.pointers.size() < 65536, "a block has fewer than 65536 pointers");
        return static_cast<PointerId>(code_.pointers.size() - 1);
    }

    PointerId scratch_pointer(std::int64_t offset) {
        Pointer p{Source::Scratch, 0, offset, 0, {}};
        return add_pointer(p);
    }

    PointerId temporary() {
        most_temporaries_ = std::max(most_temporaries_, ++temporaries_);
        return scratch_pointer(slots_end_ + (temporaries_ - 1) * temporary_bytes_);
    }

    PointerId literal(const unsigned char* bytes) {
        Literal value;
        std::memcpy(value.bytes, bytes, 16);
        code_.literals.push_back(value);
        Pointer p{Source::Literal, static_cast<std::uint32_t>(code_.literals.size() - 1), 0, 0, {}};
        return add_pointer(p);
    }

    Dims outer_strides(const PlanOperand& o) const {
        Dims out;
        for (std::size_t k = 0; k < span_at_; ++k) out.push_back(o.strides[k]);
        return out;
    }

    std::int64_t unit_stride(const PlanOperand& o) const {
        return o.home == Home::Register ? 1 : itemsize(o.dtype);
    }

    Lie lie_of(const PlanOperand& o) const {
        if (o.home == Home::Constant) return Lie::Scalar;
        if (o.home == Home::Tile) {
            return slot_scalar_[o.index] ? Lie::Scalar : Lie::Contiguous;
        }
        std::int64_t inside = unit_stride(o);
        bool still = true, contiguous = true;
        for (std::size_t k = plan_.extents.size(); k-- > span_at_;) {
            still = still && o.strides[k] == 0;
            contiguous = contiguous && o.strides[k] == inside;
            inside *= plan_.extents[k];
        }
        if (still) return Lie::Scalar;
        if (contiguous) return Lie::Contiguous;
        return plan_.span == 1 ? Lie::Strided : Lie::Walked;
    }

    // The pointer of an operand as it lies: to the tile when contiguous, to the span's first
    // element when walked.
    PointerId pointer_of(const PlanOperand& o, Lie lie) {
        if (o.home == Home::Tile) return scratch_pointer(slot_offset_[o.index]);
        Pointer p{Source::Base, o.index, o.offset, 0, {}};
        if (o.home == Home::Constant) {
            p.source = Source::Constant;
            return add_pointer(p);
        }
        if (o.home == Home::Register) p.source = Source::Position;
        p.outer = outer_strides(o);
        if (lie == Lie::Contiguous) p.advance = unit_stride(o);
        if (lie == Lie::Strided) p.advance = o.strides[span_at_];
        return add_pointer(p);
    }

    std::uint32_t walk_of(const PlanOperand& o) {
        Walk walk;
        for (std::size_t k = span_at_; k < plan_.extents.size(); ++k) {
            walk.extents.push_back(plan_.extents[k]);
            walk.strides.push_back(o.strides[k]);
        }
        code_.walks.push_back(std::move(walk));
        return static_cast<std::uint32_t>(code_.walks.size() - 1);
    }

    // --- steps
    // ------------------------------------------------------------------------------------

    Step& add(StepKind kind, std::initializer_list<PointerId> pointers) {
        Step step{};
        step.kind = kind;
        std::copy(pointers.begin(), pointers.end(), step.p);
        code_.steps.push_back(step);
        return code_.steps.back();
    }

    void cast(PointerId out, PointerId in, DType from, DType to, bool one) {
        Step& step = add(StepKind::Cast, {out, in});
        step.cast = code_.table->cast[static_cast<int>(from)][static_cast<int>(to)];
        step.one = one;
        HS_CHECK(step.cast, "every pair of native dtypes has a cast kernel");
    }

    void fill(PointerId out, PointerId value, DType dtype) {
        Step& step = add(StepKind::Fill, {out, value});
        step.fill = code_.table->fill[item_log2(itemsize(dtype))];
    }

    void load(PointerId out, const PlanOperand& o, Lie lie) {
        PointerId from = pointer_of(o, lie);
        std::uint32_t walk = lie == Lie::Walked ? walk_of(o) : 0;
        Step& step = add(lie == Lie::Walked ? StepKind::Gather : StepKind::Load, {out, from});
        step.bytes = static_cast<std::uint8_t>(itemsize(o.dtype));
        step.walk = walk;
        if (lie == Lie::Strided) {
            step.stride = o.strides[span_at_];
            step.load = code_.table->load[item_log2(itemsize(o.dtype))];
        }
    }

    // An input as contiguous elements (or one element) of `wanted`. What has to be moved goes to
    // `target` when one is given.
    Value fetch(const PlanOperand& o, DType wanted, int target = -1) {
        Lie lie = lie_of(o);
        bool scalar = lie == Lie::Scalar;
        bool casts = o.dtype != wanted;
        PointerId at;
        if (lie == Lie::Strided || lie == Lie::Walked) {
            at = target >= 0 && !casts ? static_cast<PointerId>(target) : temporary();
            load(at, o, lie);
        } else {
            at = pointer_of(o, lie);
        }
        if (!casts) return {at, scalar};
        PointerId to = target >= 0 && !scalar ? static_cast<PointerId>(target) : temporary();
        cast(to, at, o.dtype, wanted, scalar);
        return {to, scalar};
    }

    // Contiguous elements even where the operand is a single one.
    PointerId fetch_all(const PlanOperand& o, DType wanted) {
        Value v = fetch(o, wanted);
        if (!v.scalar) return v.pointer;
        PointerId to = temporary();
        fill(to, v.pointer, wanted);
        return to;
    }

    PointerId copy_one(PointerId from, DType dtype) {
        PointerId to = temporary();
        add(StepKind::CopyOne, {to, from}).bytes = static_cast<std::uint8_t>(itemsize(dtype));
        return to;
    }

    // Stores contiguous elements of the operand's dtype.
    void store(const PlanOperand& o, PointerId from, int mask) {
        Lie lie = lie_of(o);
        HS_CHECK(lie != Lie::Scalar || o.home == Home::Tile, "an output is not broadcast");
        PointerId to = pointer_of(o, lie);
        std::uint32_t walk = lie == Lie::Walked ? walk_of(o) : 0;
        int log = item_log2(itemsize(o.dtype));
        if (o.stream && lie == Lie::Contiguous) {
            Step& step = add(StepKind::Stream, {to, from});
            step.bytes = static_cast<std::uint8_t>(itemsize(o.dtype));
            return;
        }
        if (mask >= 0) {
            Step& step = add(lie == Lie::Walked ? StepKind::ScatterBlend : StepKind::Blend,
                             {to, from, static_cast<PointerId>(mask)});
            step.blend = code_.table->blend[log];
            step.stride = lie == Lie::Strided ? o.strides[span_at_] : itemsize(o.dtype);
            step.bytes = static_cast<std::uint8_t>(itemsize(o.dtype));
            step.walk = walk;
            return;
        }
        Step& step = add(lie == Lie::Walked ? StepKind::Scatter : StepKind::Store, {to, from});
        step.store = code_.table->store[log];
        step.stride = lie == Lie::Strided ? o.strides[span_at_] : itemsize(o.dtype);
        step.bytes = static_cast<std::uint8_t>(itemsize(o.dtype));
        step.walk = walk;
    }

    bool in_place(const PlanOperand& o) {
        return o.home == Home::Tile || lie_of(o) == Lie::Contiguous;
    }

    // Where a kernel may put elements of `dtype` for this output, and what remains to be done.
    struct Target {
        PointerId pointer;
        bool final;
    };
    Target target_of(const PlanOperand& o, DType dtype, bool masked) {
        if (!masked && o.dtype == dtype && in_place(o) && !o.stream) {
            if (o.home == Home::Tile) slot_scalar_[o.index] = false;
            return {pointer_of(o, Lie::Contiguous), true};
        }
        return {temporary(), false};
    }

    void finish_output(const PlanOperand& o, PointerId from, DType dtype, int mask) {
        if (o.home == Home::Tile) slot_scalar_[o.index] = false;
        if (o.dtype != dtype) {
            bool direct = mask < 0 && in_place(o) && !o.stream;
            PointerId to = direct ? pointer_of(o, Lie::Contiguous) : temporary();
            cast(to, from, dtype, o.dtype, false);
            if (direct) return;
            from = to;
        }
        store(o, from, mask);
    }

    // A slot that holds one element for all gets them all, before some are overwritten.
    void spread_slot(const PlanOperand& o) {
        PointerId slot = scratch_pointer(slot_offset_[o.index]);
        fill(slot, copy_one(slot, o.dtype), o.dtype);
        slot_scalar_[o.index] = false;
    }

    // --- maps
    // -------------------------------------------------------------------------------------

    void emit_map(const Statement& s) {
        auto loop = loop_of(s.op, s.compute);
        HS_CHECK(loop, "a map has a loop in its compute dtype");
        if (info(s.op).rule == DTypeRule::Any && !s.masked) return emit_move(s, s.compute);
        for (std::size_t k = 0; s.masked && k < s.nout; ++k) {
            // Ahead of the guard, which may skip what the statement does.
            const PlanOperand& o = operand(s, k);
            if (o.home == Home::Tile && slot_scalar_[o.index]) spread_slot(o);
        }
        Value in[3];
        bool all_scalar = true;
        for (std::size_t k = 0; k < s.nin; ++k) {
            in[k] = fetch(operand(s, s.nout + k), loop->in[k]);
            all_scalar = all_scalar && in[k].scalar;
        }
        int mask = -1;
        std::size_t after_guard = 0;
        if (s.masked) {
            mask = fetch_all(operand(s, s.nout + std::size_t{s.nin}), DType::Bool);
            if (can_raise(s, *loop)) {
                after_guard = emit_guard(s, in, *loop, static_cast<PointerId>(mask));
            }
        }
        if (all_scalar) {
            emit_single(s, in, *loop, mask);
        } else {
            emit_kernel(s, in, *loop, mask);
        }
        if (after_guard) {
            code_.steps[after_guard - 1].skip =
                static_cast<std::uint16_t>(code_.steps.size() - after_guard);
        }
    }

    bool can_raise(const Statement& s, const Loop& loop) const {
        std::uint8_t flags = raises(s.op, s.compute);
        for (std::size_t k = 0; k < s.nout; ++k) {
            flags |= cast_raises(loop.out[k], operand(s, k).dtype);
        }
        return flags != 0;
    }

    Step& add_map(const Statement& s) {
        Step& step = add(StepKind::Map, {});
        step.map = code_.table->map[static_cast<int>(s.op)][static_cast<int>(s.compute)];
        HS_CHECK(step.map, std::string("no kernel for ") + std::string(info(s.op).name));
        step.pointers = static_cast<std::uint8_t>(s.nout + s.nin);
        return step;
    }

    void emit_kernel(const Statement& s, const Value* in, const Loop& loop, int mask) {
        Target out[2];
        for (std::size_t k = 0; k < s.nout; ++k) {
            out[k] = target_of(operand(s, k), loop.out[k], mask >= 0);
        }
        PointerId from[3];
        for (std::size_t k = 0; k < s.nin; ++k) {
            // A single element in a slot that becomes an output would be lost with the first store.
            bool lost = in[k].scalar && (out[0].pointer == in[k].pointer ||
                                         (s.nout > 1 && out[1].pointer == in[k].pointer));
            from[k] = lost ? copy_one(in[k].pointer, loop.in[k]) : in[k].pointer;
        }
        Step& step = add_map(s);
        for (std::size_t k = 0; k < s.nout; ++k) step.p[k] = out[k].pointer;
        for (std::size_t k = 0; k < s.nin; ++k) {
            step.p[s.nout + k] = from[k];
            step.scalars |= std::uint32_t{in[k].scalar} << k;
        }
        for (std::size_t k = 0; k < s.nout; ++k) {
            if (!out[k].final) finish_output(operand(s, k), out[k].pointer, loop.out[k], mask);
        }
    }

    // All inputs are single elements: computed once a tile, then spread; in a slot it stays single.
    void emit_single(const Statement& s, const Value* in, const Loop& loop, int mask) {
        PointerId one[2];
        for (std::size_t k = 0; k < s.nout; ++k) one[k] = temporary();
        Step& step = add_map(s);
        step.one = true;
        for (std::size_t k = 0; k < s.nout; ++k) step.p[k] = one[k];
        for (std::size_t k = 0; k < s.nin; ++k) {
            step.p[s.nout + k] = in[k].pointer;
            step.scalars |= 1u << k;
        }
        for (std::size_t k = 0; k < s.nout; ++k) {
            spread(operand(s, k), one[k], loop.out[k], mask);
        }
    }

    // One element of `dtype` to all of an output.
    void spread(const PlanOperand& o, PointerId one, DType dtype, int mask) {
        if (o.home == Home::Tile && mask < 0) {
            slot_scalar_[o.index] = true;
            PointerId slot = scratch_pointer(slot_offset_[o.index]);
            if (o.dtype != dtype) return cast(slot, one, dtype, o.dtype, true);
            add(StepKind::CopyOne, {slot, one}).bytes = static_cast<std::uint8_t>(itemsize(dtype));
            return;
        }
        if (o.dtype != dtype) {
            PointerId to = temporary();
            cast(to, one, dtype, o.dtype, true);
            one = to;
        }
        if (mask < 0 && in_place(o)) return fill(pointer_of(o, Lie::Contiguous), one, o.dtype);
        PointerId all = temporary();
        fill(all, one, o.dtype);
        finish_output(o, all, o.dtype, mask);
    }

    // A copy is its load, its cast and its store; at most one of them is more than an address.
    void emit_move(const Statement& s, DType through) {
        const PlanOperand& in = operand(s, 1);
        const PlanOperand& out = operand(s, 0);
        bool direct = in_place(out) && out.dtype == through && !out.stream;
        if (lie_of(in) == Lie::Scalar) {
            Value v = fetch(in, through);
            return spread(out, v.pointer, through, -1);
        }
        if (out.home == Home::Tile) slot_scalar_[out.index] = false;
        int target = direct ? pointer_of(out, Lie::Contiguous) : -1;
        Value v = fetch(in, through, target);
        if (direct && v.pointer == target) return;
        if (direct) return store(out, v.pointer, -1);
        finish_output(out, v.pointer, through, -1);
    }

    // Unselected elements must raise nothing: before the operation they are replaced by a selected
    // one, which raises what it raises anyhow; without a selected one the statement is skipped.
    // Returns the number of the step after the guard.
    std::size_t emit_guard(const Statement& s, Value* in, const Loop& loop, PointerId mask) {
        add(StepKind::Guard, {mask});
        std::size_t after = code_.steps.size();
        for (std::size_t k = 0; k < s.nin; ++k) {
            if (in[k].scalar) continue;
            PointerId to = temporary();
            Step& step = add(StepKind::Guarded, {to, in[k].pointer, mask});
            step.bytes = static_cast<std::uint8_t>(itemsize(loop.in[k]));
            in[k].pointer = to;
        }
        return after;
    }

    void emit_range(const Statement& s) {
        auto loop = loop_of(s.op, s.compute);
        HS_CHECK(loop && !s.masked, "a generator has a loop and no mask");
        Value start = fetch(operand(s, 1), loop->in[0]), step = fetch(operand(s, 2), loop->in[1]);
        HS_CHECK(start.scalar && step.scalar, "a generator's start and step are single elements");
        const PlanOperand& position = operand(s, 3);
        Lie lie = lie_of(position);
        bool runs = lie != Lie::Contiguous;
        PointerId at = pointer_of(position, runs ? Lie::Walked : lie);
        std::uint32_t walk = runs ? walk_of(position) : 0;
        Target out = target_of(operand(s, 0), loop->out[0], false);
        Step& made = add(runs ? StepKind::RangeRuns : StepKind::Range,
                         {out.pointer, start.pointer, step.pointer, at});
        made.range = code_.table->range[static_cast<int>(loop->out[0])];
        made.bytes = static_cast<std::uint8_t>(itemsize(loop->out[0]));
        made.walk = walk;
        HS_CHECK(made.range, "every dtype has a generator kernel");
        if (!out.final) finish_output(operand(s, 0), out.pointer, loop->out[0], -1);
    }

    // --- reductions
    // -------------------------------------------------------------------------------

    void add_reduction(std::size_t index) {
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

    void choose_kernels(ReductionCode& c, DType compute) const {
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

    static bool lies_in_order(const ReductionCode& c) {
        std::int64_t inside = c.bytes;
        for (std::size_t k = c.extents.size(); k-- > 0;) {
            if (c.strides[k] != inside) return false;
            inside *= c.extents[k];
        }
        return true;
    }

    // Partials in memory: row form [output][position of the row][chunk], column form
    // [chunk][output]; outputs in nest order.
    PointerId partial_pointer(const Statement& s) {
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

    void emit_reduction(const Statement& s) {
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

    // --- the end
    // ----------------------------------------------------------------------------------

    bool overwrites_input() const {
        auto in_memory = [&](const Statement& s, std::size_t k) {
            return operand(s, k).home == Home::Base;
        };
        for (const Statement& w : plan_.statements) {
            for (std::size_t k = 0; k < w.nout; ++k) {
                if (!in_memory(w, k)) continue;
                for (const Statement& r : plan_.statements) {
                    for (std::size_t j = r.nout; j < r.operands.size(); ++j) {
                        if (in_memory(r, j) && operand(r, j).index == operand(w, k).index) {
                            return true;
                        }
                    }
                }
            }
        }
        return false;
    }

    // Moving pointers first.
    void order_pointers() {
        auto moves = [](const Pointer& p) {
            return p.source == Source::Base || p.source == Source::Partial ||
                   p.source == Source::Position;
        };
        std::vector<PointerId> renamed(code_.pointers.size());
        std::vector<Pointer> ordered;
        for (bool first : {true, false}) {
            for (std::size_t k = 0; k < code_.pointers.size(); ++k) {
                if (moves(code_.pointers[k]) != first) continue;
                renamed[k] = static_cast<PointerId>(ordered.size());
                ordered.push_back(code_.pointers[k]);
            }
            if (first) code_.moving = ordered.size();
        }
        code_.pointers = std::move(ordered);
        for (Step& step : code_.steps) {
            for (PointerId& p : step.p) {
                if (p < renamed.size()) p = renamed[p];
            }
        }
    }
};

}  // namespace

std::shared_ptr<const BlockCode> compile(const LoopPlan& plan) {
    if (plan.kind != BlockKind::Nest) return std::make_shared<const BlockCode>();
    return Compiler(plan).compile();
}

}  // namespace hassium
