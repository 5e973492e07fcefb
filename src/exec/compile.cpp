// Compiling: the order of the work, slots and pointers.
#include "exec/compiler.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace hassium {
namespace {

// Neighbouring slots start in different cache sets and never at the same offset in a page: a store
// and a later load of the same offset would be taken for dependent.
constexpr std::int64_t kSlotGap = 320;

}  // namespace

std::shared_ptr<const BlockCode> Compiler::compile() {
    code_.table = &kernels();
    code_.tiles = &tiles_of(*code_.table);
    shape();
    lay_out_slots();
    for (std::size_t k = 0; k < plan_.reductions.size(); ++k) add_reduction(k);
    if (code_.jobs > 0) {
        for (std::size_t k = 0; k < plan_.statements.size(); ++k) {
            const Statement& s = plan_.statements[k];
            if (tiled(s)) {
                chain_statement(s);
                continue;
            }
            close_chain(k);
            temporaries_ = 0;
            if (s.reduction >= 0) {
                emit_reduction(s);
            } else if (info(s.op).cls == OpClass::Generate) {
                emit_range(s);
            } else {
                emit_map(s);
            }
        }
        close_chain(plan_.statements.size());
    }
    lay_out_chains(slots_end_ + (most_temporaries_ + 1) * temporary_bytes_);
    code_.interruptible = !overwrites_input();
    order_pointers();
    return std::make_shared<const BlockCode>(std::move(code_));
}

const PlanOperand& Compiler::operand(const Statement& s, std::size_t k) const {
    return plan_.operands[s.operands[k]];
}

void Compiler::shape() {
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

void Compiler::lay_out_slots() {
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

PointerId Compiler::add_pointer(const Pointer& pointer) {
    for (std::size_t k = 0; k < code_.pointers.size(); ++k) {
        const Pointer& p = code_.pointers[k];
        if (p.source == pointer.source && p.index == pointer.index && p.offset == pointer.offset &&
            p.advance == pointer.advance && p.outer == pointer.outer) {
            return static_cast<PointerId>(k);
        }
    }
    code_.pointers.push_back(pointer);
    HS_CHECK(code_.pointers.size() < 65536, "a block has fewer than 65536 pointers");
    return static_cast<PointerId>(code_.pointers.size() - 1);
}

PointerId Compiler::scratch_pointer(std::int64_t offset) {
    Pointer p{Source::Scratch, 0, offset, 0, {}};
    return add_pointer(p);
}

PointerId Compiler::temporary() {
    most_temporaries_ = std::max(most_temporaries_, ++temporaries_);
    return scratch_pointer(slots_end_ + (temporaries_ - 1) * temporary_bytes_);
}

PointerId Compiler::literal(const unsigned char* bytes) {
    Literal value;
    std::memcpy(value.bytes, bytes, 16);
    code_.literals.push_back(value);
    Pointer p{Source::Literal, static_cast<std::uint32_t>(code_.literals.size() - 1), 0, 0, {}};
    return add_pointer(p);
}

Dims Compiler::outer_strides(const PlanOperand& o) const {
    Dims out;
    for (std::size_t k = 0; k < span_at_; ++k) out.push_back(o.strides[k]);
    return out;
}

std::int64_t Compiler::unit_stride(const PlanOperand& o) const {
    return o.home == Home::Register ? 1 : itemsize(o.dtype);
}

Compiler::Lie Compiler::lie_of(const PlanOperand& o) const {
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

PointerId Compiler::pointer_of(const PlanOperand& o, Lie lie) {
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

std::uint32_t Compiler::walk_of(const PlanOperand& o) {
    Walk walk;
    for (std::size_t k = span_at_; k < plan_.extents.size(); ++k) {
        walk.extents.push_back(plan_.extents[k]);
        walk.strides.push_back(o.strides[k]);
    }
    code_.walks.push_back(std::move(walk));
    return static_cast<std::uint32_t>(code_.walks.size() - 1);
}

bool Compiler::overwrites_input() const {
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

bool Compiler::moves(const Pointer& p) {
    return p.source == Source::Base || p.source == Source::Partial || p.source == Source::Position;
}

void Compiler::order_pointers() {
    std::vector<int> rank(code_.pointers.size());
    for (std::size_t k = 0; k < rank.size(); ++k) rank[k] = moves(code_.pointers[k]) ? 1 : 2;
    auto name = [&rank](PointerId p) {
        if (p < rank.size() && rank[p] == 1) rank[p] = 0;
    };
    for (const Step& step : code_.steps) std::for_each(step.p, std::end(step.p), name);
    for (const Chain& chain : code_.chains) {
        for (const ChainAddress& a : chain.singles) name(a.pointer);
    }
    std::vector<PointerId> renamed(rank.size());
    std::vector<Pointer> ordered;
    for (int wanted : {0, 1, 2}) {
        for (std::size_t k = 0; k < rank.size(); ++k) {
            if (rank[k] != wanted) continue;
            renamed[k] = static_cast<PointerId>(ordered.size());
            ordered.push_back(code_.pointers[k]);
        }
        if (wanted == 0) code_.named = ordered.size();
        if (wanted == 1) code_.moving = ordered.size();
    }
    code_.pointers = std::move(ordered);
    rename_pointers(renamed);
    lay_tracks();
}

void Compiler::rename_pointers(const std::vector<PointerId>& renamed) {
    for (Step& step : code_.steps) {
        for (PointerId& p : step.p) {
            if (p < renamed.size()) p = renamed[p];
        }
    }
    for (Chain& chain : code_.chains) {
        for (auto* list : {&chain.arrays, &chain.singles}) {
            for (ChainAddress& a : *list) a.pointer = renamed[a.pointer];
        }
        for (auto* list : {&chain.loads, &chain.stores}) {
            for (ChainArray& a : *list) a.pointer = renamed[a.pointer];
        }
    }
}

void Compiler::lay_tracks() {
    for (std::size_t k = 0; k < code_.moving; ++k) {
        const Pointer& p = code_.pointers[k];
        auto same = std::find_if(code_.tracks.begin(), code_.tracks.end(), [&p](const Track& t) {
            return t.source == p.source && t.index == p.index && t.advance == p.advance &&
                   t.outer == p.outer;
        });
        auto number = static_cast<std::uint32_t>(same - code_.tracks.begin());
        if (same == code_.tracks.end()) {
            code_.tracks.push_back({p.source, p.index, p.advance, p.outer});
        }
        code_.on_track.push_back({number, p.offset});
    }
}

std::shared_ptr<const BlockCode> compile(const LoopPlan& plan) {
    if (plan.kind != BlockKind::Nest) return std::make_shared<const BlockCode>();
    return Compiler(plan).compile();
}

}  // namespace hassium
