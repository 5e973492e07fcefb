// The order of compilation, slots and pointers.
#include "exec/compile/compiler.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "exec/compile/parameters.hpp"

namespace hassium {

std::shared_ptr<BlockCode> Compiler::compile() {
    code_.table = &kernels();
    code_.tiles = &tiles_of(*code_.table);
    code_.lies = operand_layouts(plan_);
    code_.pointers.reserve(plan_.operands.size() + plan_.slots.size() + 2);
    bind_shape(code_, plan_);
    list_slots();
    operand_pointers_.assign(plan_.operands.size(), kNoPointer);
    for (std::size_t k = 0; k < plan_.reductions.size(); ++k) add_reduction(k);
    if (code_.jobs > 0) {
        find_sums();
        for (std::size_t k = 0; k < plan_.statements.size(); ++k) {
            const Statement& s = plan_.statements[k];
            if (absorbed_[k]) continue;
            if (tiled(s)) {
                chain_statement(s);
                continue;
            }
            if (folds_in_chain(s)) {
                chain_fold(s);
                continue;
            }
            close_chain(k);
            free_temporaries();
            if (sums_[k].found) {
                emit_sum(s, sums_[k]);
            } else if (s.reduction >= 0) {
                emit_reduction(s);
            } else if (info(s.op).is_generator()) {
                emit_range(s);
            } else if (info(s.op).is_gather()) {
                emit_pick(s);
            } else {
                emit_map(s);
            }
        }
        close_chain(plan_.statements.size());
    }
    lay_out_chains();
    code_.interruptible = !overwrites_input();
    code_.only_reduces = std::ranges::all_of(plan_.statements, [this](const Statement& s) {
        auto kept = [this](std::uint32_t o) { return plan_.operands[o].home == Home::Tile; };
        return s.reduction >= 0 ||
               std::all_of(s.operands.begin(), s.operands.begin() + s.nout, kept);
    });
    order_pointers();
    bind_numbers(code_, plan_);
    return std::make_shared<BlockCode>(std::move(code_));
}

const PlanOperand& Compiler::operand(const Statement& s, std::size_t k) const {
    return plan_.operands[s.operands[k]];
}

std::uint32_t Compiler::number_of(const PlanOperand& o) const {
    return static_cast<std::uint32_t>(&o - plan_.operands.data());
}

void Compiler::list_slots() {
    std::int64_t widest = 1;
    for (DType dtype : plan_.slots) {
        code_.slot_items.push_back(static_cast<std::uint8_t>(itemsize(dtype)));
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
    code_.temporary_item = widest;
}

PointerId Compiler::add_pointer(const Pointer& pointer) {
    code_.pointers.push_back(pointer);
    HS_CHECK(code_.pointers.size() < kNoPointer, "a block has fewer than 65535 pointers");
    return static_cast<PointerId>(code_.pointers.size() - 1);
}

PointerId Compiler::scratch_pointer(std::size_t number) {
    if (number >= scratch_pointers_.size()) scratch_pointers_.resize(number + 1, kNoPointer);
    PointerId& known = scratch_pointers_[number];
    if (known == kNoPointer) {
        Pointer p{Source::Scratch};
        p.index = static_cast<std::uint32_t>(number);
        known = add_pointer(p);
    }
    return known;
}

PointerId Compiler::temporary() {
    std::size_t number = plan_.slots.size() + static_cast<std::size_t>(temporaries_++);
    code_.temporaries = std::max<std::int64_t>(code_.temporaries, temporaries_);
    return scratch_pointer(number);
}

PointerId Compiler::kept_temporary() {
    temporaries_ = static_cast<int>(code_.temporaries);
    const PointerId made = temporary();
    kept_ = temporaries_;
    return made;
}

PointerId Compiler::literal(const unsigned char* bytes) {
    LiteralBytes value;
    std::memcpy(value.bytes, bytes, 16);
    code_.literals.push_back(value);
    Pointer p{Source::Literal};
    p.index = static_cast<std::uint32_t>(code_.literals.size() - 1);
    return add_pointer(p);
}

OperandLayout Compiler::operand_layout(const PlanOperand& o) const {
    if (o.home == Home::Tile)
        return slot_scalar_[o.index] ? OperandLayout::Scalar : OperandLayout::Contiguous;
    return code_.lies[number_of(o)].layout;
}

PointerId Compiler::pointer_of(const PlanOperand& o, OperandLayout layout) {
    if (o.home == Home::Tile) return slot_pointer(o);
    PointerId& known = operand_pointers_[number_of(o)];
    if (known != kNoPointer) return known;
    Pointer p{o.home == Home::Constant   ? Source::Constant
              : o.home == Home::Position ? Source::Position
                                         : Source::Base,
              layout};
    p.index = o.index;
    p.operand = number_of(o);
    return known = add_pointer(p);
}

std::uint32_t Compiler::walk_of(const PlanOperand& o) {
    code_.walks.emplace_back();
    code_.walk_operands.push_back(number_of(o));
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
    SmallVec<std::uint8_t, 32> rank(code_.pointers.size(), 0);
    for (std::size_t k = 0; k < rank.size(); ++k) rank[k] = moves(code_.pointers[k]) ? 1 : 2;
    auto name = [&rank](PointerId p) {
        if (p < rank.size() && rank[p] == 1) rank[p] = 0;
    };
    for (const Step& step : code_.steps) std::for_each(step.p, std::end(step.p), name);
    for (const Chain& chain : code_.chains) {
        for (const ChainAddress& a : chain.singles) name(a.pointer);
    }
    SmallVec<PointerId, 32> renamed(rank.size(), 0);
    std::vector<Pointer> ordered;
    ordered.reserve(rank.size());
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
    link_pointers();
}

void Compiler::rename_pointers(std::span<const PointerId> renamed) {
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

void Compiler::link_pointers() {
    // The last entry is for positions; partials have one pointer each.
    std::uint32_t bases = 0;
    for (const Pointer& p : code_.pointers) {
        if (p.source == Source::Base) bases = std::max(bases, p.index + 1);
    }
    SmallVec<PointerId, 32> last(bases + 1, kNoPointer);
    for (std::size_t k = 0; k < code_.moving; ++k) {
        Pointer& p = code_.pointers[k];
        if (p.source == Source::Partial) continue;
        std::uint32_t memory = p.source == Source::Base ? p.index : bases;
        p.before = std::exchange(last[memory], static_cast<PointerId>(k));
    }
    code_.on_track.resize(code_.moving);
}

namespace {

// Returns whether a base with memory of its own is both written and read.
bool phases_overwrite(const LoopPlan& plan) {
    std::vector<std::uint32_t> written, read;
    for (const LoopPlan& phase : plan.phases) {
        for (const Statement& s : phase.statements) {
            for (std::size_t k = 0; k < s.operands.size(); ++k) {
                const PlanOperand& o = phase.operands[s.operands[k]];
                if (o.home != Home::Base) continue;
                (k < s.nout ? written : read).push_back(o.index);
                // A scatter updates its output in place, so it reads it.
                if (k < s.nout && is_scatter(s.op, s.method)) read.push_back(o.index);
            }
        }
    }
    for (const PanelBase& b : plan.panels.bases) std::erase(written, b.base);
    std::sort(written.begin(), written.end());
    return std::any_of(read.begin(), read.end(), [&](std::uint32_t base) {
        return std::binary_search(written.begin(), written.end(), base);
    });
}

std::shared_ptr<BlockCode> compile_phases(const LoopPlan& plan) {
    BlockCode code;
    for (const LoopPlan& phase : plan.phases) code.phases.push_back(std::move(*compile(phase)));
    code.interruptible = !phases_overwrite(plan);
    code.tiles = &tiles_of(kernels());
    return std::make_shared<BlockCode>(std::move(code));
}

}  // namespace

std::shared_ptr<BlockCode> compile(const LoopPlan& plan) {
    if (plan.kind == BlockKind::Rows) return compile_phases(plan);
    if (plan.kind != BlockKind::Nest) return std::make_shared<BlockCode>();
    return Compiler(plan).compile();
}

}  // namespace hassium
