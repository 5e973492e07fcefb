// Rematerialization: a cheap temporary is recomputed for its later readers, instead of being stored
// for them.
//
// The distances of all pairs, x[:, None] - x, fill a matrix but are computed from two rows. When
// their length has been computed and the diagonal overwritten, later instructions cannot share a
// block with the earlier ones (fuse/legal/legal.hpp, rule 1), and the distances would go to memory
// and back, which takes longer than a second subtraction. So a second instruction computes them
// into a base of its own.
//
// Instructions have levels: an instruction that depends on another is one level later if they
// cannot share a block because their views of one base overlap without being identical. A base is
// recomputed for every later level that reads it when
//
//   - it dies in the program, and one map of few cycles writes all of it;
//   - the operands of that map are small beside it, and unchanged until the last reader has run.
//
// Results are bit-identical.
#include <algorithm>
#include <map>

#include "program/overlap.hpp"
#include "rewrite/base_uses.hpp"
#include "rewrite/rewrite.hpp"

namespace hassium {
namespace {

constexpr float kMostCycles = 1.0f;     // per element of the map
constexpr std::int64_t kSmaller = 32;   // factor by which its operands are smaller
constexpr std::size_t kMostViews = 64;  // of one base, for pairwise comparison

Extent extent_of(const Program& p, const Operand& o) {
    return {o.offset, itemsize(o.dtype), p.shape(o), p.strides(o)};
}

// Returns the bytes that a view shows, each counted once.
std::int64_t distinct_bytes(const Program& p, const Operand& o) {
    std::int64_t bytes = itemsize(o.dtype);
    for (std::size_t k = 0; k < o.ndim; ++k) bytes *= p.strides(o)[k] != 0 ? p.shape(o)[k] : 1;
    return bytes;
}

// Returns whether `i` is a map of low cost and small operands that writes all of a new array that
// dies.
bool is_cheap_map(const Program& p, const Instruction& i, std::int64_t least) {
    const OpInfo& row = info(i.op);
    if (!is_map(i) || i.masked || i.nout != 1 || row.has(kMath)) return false;
    if (row.cycles > kMostCycles) return false;
    const Operand& out = p.outputs(i)[0];
    const BaseInfo& base = p.bases[out.base];
    if (base.input || !base.dies || base.bytes < least) return false;
    if (distinct_bytes(p, out) != base.bytes) return false;
    return std::ranges::all_of(p.inputs(i), [&](const Operand& o) {
        return o.is_constant() || distinct_bytes(p, o) <= base.bytes / kSmaller;
    });
}

// The level of every instruction.
class Levels {
  public:
    explicit Levels(const Program& p)
        : p_(p), of_(p.instructions.size(), 0), past_(p.bases.size()) {
        for (std::uint32_t i = 0; i < of_.size(); ++i) {
            const Instruction& instruction = p.instructions[i];
            const std::span<const Operand> operands = p.operands_of(instruction);
            for (std::size_t k = 0; k < operands.size(); ++k) {
                if (!operands[k].is_constant()) follow(i, operands[k], k < instruction.nout);
            }
            for (std::size_t k = 0; k < operands.size(); ++k) {
                if (!operands[k].is_constant()) note(i, operands[k], k < instruction.nout);
            }
        }
    }
    std::uint32_t of(std::uint32_t instruction) const { return of_[instruction]; }
    // Returns false if a base has too many views, so that levels are unknown.
    bool known() const {
        return std::ranges::none_of(past_, [](const auto& p) { return p.size() > kMostViews; });
    }

  private:
    struct Touch {
        const Operand* view;
        std::uint32_t instruction;
        bool written;
    };
    const Program& p_;
    std::vector<std::uint32_t> of_;
    std::vector<std::vector<Touch>> past_;  // distinct views of each base

    void follow(std::uint32_t i, const Operand& o, bool written) {
        if (past_[o.base].size() > kMostViews) return;
        for (const Touch& t : past_[o.base]) {
            if (!written && !t.written) continue;
            const Extent a = extent_of(p_, o), b = extent_of(p_, *t.view);
            const bool shares = same_view(a, b);
            if (!shares && !may_overlap(a, b)) continue;
            of_[i] = std::max(of_[i], of_[t.instruction] + !shares);
        }
    }
    void note(std::uint32_t i, const Operand& o, bool written) {
        if (past_[o.base].size() > kMostViews) return;
        const Extent a = extent_of(p_, o);
        auto same = [&](const Touch& t) {
            return t.written == written && same_view(a, extent_of(p_, *t.view)) &&
                   of_[t.instruction] <= of_[i];
        };
        std::erase_if(past_[o.base], same);
        past_[o.base].push_back({&o, i, written});
    }
};

class Maker {
  public:
    Maker(const Program& recorded, std::int64_t least)
        : in_(recorded), uses_(recorded, least), least_(least) {}

    std::optional<RewrittenProgram> make() {
        std::vector<BaseId> cheap;
        for (BaseId b = 0; b < uses_.size(); ++b) {
            if (is_cheap(b)) cheap.push_back(b);
        }
        if (cheap.empty()) return std::nullopt;
        const Levels levels(in_);
        if (!levels.known()) return std::nullopt;
        made_ = without_instructions(in_);
        for (BaseId b : cheap) plan(b, levels);
        if (out_.bases.size() == in_.bases.size()) return std::nullopt;
        emit();
        return std::move(made_);
    }

  private:
    const Program& in_;
    ProgramUses uses_;
    std::int64_t least_;
    RewrittenProgram made_;
    Program& out_ = made_.program;
    struct Again {
        BaseId base, made;
        std::uint32_t before;  // the first reader
    };
    std::vector<Again> all_;
    std::map<std::pair<std::uint32_t, BaseId>, BaseId> instead_;  // by reader and base

    bool is_cheap(BaseId base) const {
        const BaseUse& use = uses_[base];
        if (use.writers.size() != 1 || use.readers.size() < 2) return false;
        if (use.readers.front() <= use.writers[0]) return false;
        const Instruction& w = in_.instructions[use.writers[0]];
        if (!is_cheap_map(in_, w, least_)) return false;
        return std::ranges::all_of(in_.inputs(w), [&](const Operand& o) {
            if (o.is_constant()) return true;
            return std::ranges::none_of(uses_[o.base].writers, [&](std::uint32_t i) {
                return i > use.writers[0] && i <= use.readers.back();
            });
        });
    }

    void plan(BaseId base, const Levels& levels) {
        const BaseUse& use = uses_[base];
        std::uint32_t first = levels.of(use.readers[0]);
        for (std::uint32_t r : use.readers) first = std::min(first, levels.of(r));
        std::map<std::uint32_t, BaseId> made;
        for (std::uint32_t r : use.readers) {
            const std::uint32_t level = levels.of(r);
            if (level == first) continue;
            const auto [at, is_new] =
                made.try_emplace(level, static_cast<BaseId>(out_.bases.size()));
            if (is_new) {
                out_.bases.push_back(in_.bases[base]);
                all_.push_back({base, at->second, r});
            }
            instead_[{r, base}] = at->second;
        }
    }

    void emit() {
        for (std::uint32_t i = 0; i < in_.instructions.size(); ++i) {
            for (const Again& again : all_) {
                if (again.before == i)
                    copy_of(uses_[again.base].writers[0], again.base, again.made);
            }
            copy_of(i);
        }
    }

    // Appends an instruction with the recomputed bases in place of the originals.
    void copy_of(std::uint32_t i) {
        Instruction copy = in_.instructions[i];
        const std::span<const Operand> operands = in_.operands_of(copy);
        auto other = [&](const Operand& o) {
            return o.is_constant() ? instead_.end() : instead_.find({i, o.base});
        };
        const bool same = std::ranges::all_of(
            operands, [&](const Operand& o) { return other(o) == instead_.end(); });
        if (!same) {
            copy.operands = static_cast<std::uint32_t>(out_.operands.size());
            for (Operand o : operands) {
                if (auto at = other(o); at != instead_.end()) o.base = at->second;
                out_.operands.push_back(o);
            }
        }
        made_.append(in_, i, copy);
    }
    // Appends a copy of an instruction that writes `made` instead of `base`.
    void copy_of(std::uint32_t i, BaseId base, BaseId made) {
        Instruction copy = in_.instructions[i];
        const std::span<const Operand> operands = in_.operands_of(copy);
        copy.operands = static_cast<std::uint32_t>(out_.operands.size());
        for (Operand o : operands) {
            if (!o.is_constant() && o.base == base) o.base = made;
            out_.operands.push_back(o);
        }
        made_.append(in_, i, copy);
    }
};

}  // namespace

// Returns the program with instructions that recompute bases of at least `least_bytes`; none if no
// base is worth it.
std::optional<RewrittenProgram> rematerialize(const Program& recorded, std::int64_t least_bytes) {
    const bool any = std::ranges::any_of(recorded.instructions, [&](const Instruction& i) {
        return is_cheap_map(recorded, i, least_bytes);
    });
    return any ? Maker(recorded, least_bytes).make() : std::nullopt;
}

}  // namespace hassium
