// Loop peeling: of runs that differ in length by one, the last elements of the longer ones are
// computed apart, so that all runs have one form and can be rerolled (reroll.cpp), as
//
//     a[:, 0::3] = 1.0    # 334 columns of 1000        a[:, 0:999:3] = 1.0
//     a[:, 1::3] = 2.0    # 333                   ->   a[:, 1:999:3] = 2.0
//     a[:, 2::3] = 3.0    # 333                        a[:, 2:999:3] = 3.0
//                                                      a[:, 999:1000] = 1.0
//
// Legal if the elements that are peeled off are apart from all that the later runs touch. An array
// that lives and dies within a run, seen by one view, becomes two: one for what is peeled off, and
// one that is laid out as in the shorter runs. Results are bit-identical.
#include <algorithm>
#include <map>

#include "program/overlap.hpp"
#include "rewrite/base_uses.hpp"
#include "rewrite/forms.hpp"
#include "rewrite/rewrite.hpp"

namespace hassium {
namespace {

constexpr std::uint32_t kMostPeriod = 8;  // instructions per run
constexpr std::size_t kMostTests = 1024;  // of operands for overlap, per loop

// `count` runs of `period` instructions, starting at instruction `first`. The first `longer` of
// them have one element more along the axis.
struct UnevenRuns {
    std::uint32_t first, period, longer, count;
    SmallVec<std::uint8_t, 8> axis;  // per instruction of a run

    std::uint32_t peeled_end() const { return first + period * longer; }
    std::uint32_t end() const { return first + period * count; }
    std::size_t axis_of(std::uint32_t i) const { return axis[(i - first) % period]; }
};

class Peeler {
  public:
    Peeler(const Program& recorded, std::int64_t least_bytes)
        : in_(recorded), least_bytes_(least_bytes) {}

    std::optional<RewrittenProgram> peel() {
        std::vector<UnevenRuns> found;
        for (std::uint32_t i = 0; i < in_.instructions.size();) {
            std::optional<UnevenRuns> runs = runs_at(i);
            i = runs ? runs->end() : i + 1;
            if (runs) found.push_back(std::move(*runs));
        }
        if (found.empty()) return std::nullopt;
        made_ = without_instructions(in_);
        std::uint32_t i = 0;
        for (const UnevenRuns& runs : found) {
            while (i < runs.first) made_.append(in_, i, in_.instructions[i]), ++i;
            for (; i < runs.end(); ++i) append_part(runs, i, false);
            for (std::uint32_t s = runs.first; s < runs.peeled_end(); ++s)
                append_part(runs, s, true);
        }
        while (i < in_.instructions.size()) made_.append(in_, i, in_.instructions[i]), ++i;
        return std::move(made_);
    }

  private:
    const Program& in_;
    const std::int64_t least_bytes_;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> uses_;  // per base: first and last
    std::map<std::pair<BaseId, bool>, BaseId> instead_;  // of private arrays; true: peeled off
    RewrittenProgram made_;
    Program& out_ = made_.program;

    // ---- where runs are ----

    std::optional<UnevenRuns> runs_at(std::uint32_t first) {
        const auto size = static_cast<std::uint32_t>(in_.instructions.size());
        for (std::uint32_t period = 1; period <= kMostPeriod && first + 2 * period <= size;
             ++period) {
            if (!write_neighbours(in_, at(first + period - 1), at(first + 2 * period - 1)))
                continue;
            UnevenRuns runs{first, period, 1, 1, {}};
            while (same_run(runs, runs.count)) ++runs.count;
            runs.longer = runs.count;
            if (!is_shorter(runs)) continue;
            do ++runs.count;
            while (same_run(runs, runs.count));
            if (is_worth_it(runs) && is_legal(runs)) return runs;
        }
        return std::nullopt;
    }
    // Returns whether run `k` has the form of the one before.
    bool same_run(const UnevenRuns& runs, std::uint32_t k) const {
        const std::uint32_t begin = runs.first + k * runs.period;
        if (begin + runs.period > in_.instructions.size()) return false;
        for (std::uint32_t i = begin; i < begin + runs.period; ++i) {
            if (!compare_forms(in_, at(i - runs.period), at(i)).exactly()) return false;
        }
        return write_neighbours(in_, at(begin - 1), at(begin + runs.period - 1));
    }
    // Returns whether the run after the longer ones has one element less along an axis; sets it.
    bool is_shorter(UnevenRuns& runs) const {
        const std::uint32_t begin = runs.peeled_end();
        if (begin + runs.period > in_.instructions.size()) return false;
        runs.axis.clear();
        for (std::uint32_t i = begin; i < begin + runs.period; ++i) {
            const SameForm form = compare_forms(in_, at(i - runs.period), at(i));
            if (!form.but_for_an_element()) return false;
            runs.axis.push_back(static_cast<std::uint8_t>(form.axis));
        }
        return write_neighbours(in_, at(begin - 1), at(begin + runs.period - 1));
    }
    const Instruction& at(std::uint32_t i) const { return in_.instructions[i]; }

    // ---- what is legal and worth it ----

    bool is_worth_it(const UnevenRuns& runs) const {
        const Operand& out = in_.outputs(in_.instructions[runs.first + runs.period - 1])[0];
        return element_count(in_.shape(out)) * itemsize(out.dtype) * runs.count >= least_bytes_ &&
               in_.shape(out)[runs.axis.back()] > 2;
    }
    void find_uses() {
        if (!uses_.empty()) return;
        uses_.resize(in_.bases.size(), {0xffffffffu, 0});
        for (std::uint32_t i = 0; i < in_.instructions.size(); ++i) {
            for (const Operand& o : in_.operands_of(in_.instructions[i])) {
                if (o.is_constant()) continue;
                uses_[o.base].first = std::min(uses_[o.base].first, i);
                uses_[o.base].second = i;
            }
        }
    }
    // Returns whether the operand of instruction `i` is the one view of a base that lives and dies
    // in a run.
    bool is_private(const UnevenRuns& runs, std::uint32_t i, const Operand& o) const {
        if (o.is_constant() || in_.bases[o.base].input || !in_.bases[o.base].dies) return false;
        const std::uint32_t begin = i - (i - runs.first) % runs.period;
        const auto [first, last] = uses_[o.base];
        if (first < begin || last >= begin + runs.period) return false;
        for (std::uint32_t j = first; j <= last; ++j) {
            for (const Operand& other : in_.operands_of(in_.instructions[j])) {
                const bool same = other.is_constant() || other.base != o.base;
                if (!same && !same_operand(in_, o, other)) return false;
            }
        }
        return true;
    }
    // Returns the operand of the first shorter run that corresponds to one of instruction `i`.
    const Operand& counterpart(const UnevenRuns& runs, std::uint32_t i, std::size_t operand) const {
        const std::uint32_t j = runs.peeled_end() + (i - runs.first) % runs.period;
        return in_.operands_of(in_.instructions[j])[operand];
    }
    bool is_legal(const UnevenRuns& runs) {
        find_uses();
        std::size_t tests = 0;
        for (std::uint32_t i = runs.first; i < runs.peeled_end(); ++i) {
            const Instruction& peeled = in_.instructions[i];
            const std::span<const Operand> operands = in_.operands_of(peeled);
            for (std::size_t k = 0; k < operands.size(); ++k) {
                const Operand &o = operands[k], &other = counterpart(runs, i, k);
                if (o.is_constant()) continue;
                if (is_private(runs, i, o)) {
                    if (!corresponds(runs, i, o, other)) return false;
                } else if (o.base != other.base ||
                           !std::ranges::equal(in_.strides(o), in_.strides(other)) ||
                           !is_apart(runs, i, o, k < peeled.nout, tests)) {
                    return false;
                }
            }
        }
        return true;
    }
    // Returns whether two private arrays are first used by corresponding operands.
    bool corresponds(const UnevenRuns& runs, std::uint32_t i, const Operand& o,
                     const Operand& other) const {
        const std::uint32_t j = runs.peeled_end() + (i - runs.first) % runs.period;
        if (!is_private(runs, j, other)) return false;
        const std::uint32_t first = uses_[o.base].first;
        if (uses_[other.base].first != runs.peeled_end() + (first - runs.first) % runs.period) {
            return false;
        }
        const std::span<const Operand> operands = in_.operands_of(in_.instructions[first]);
        for (std::size_t k = 0; k < operands.size(); ++k) {
            if (operands[k].is_constant() || operands[k].base != o.base) continue;
            return counterpart(runs, first, k).base == other.base;
        }
        return false;
    }
    // Returns whether the last elements of an operand of instruction `i`, which are computed behind
    // all runs, are apart from what the instructions between write, and, if they are written, from
    // what these read: the rest of its own run without the last elements, and the later runs.
    bool is_apart(const UnevenRuns& runs, std::uint32_t i, const Operand& o, bool written,
                  std::size_t& tests) const {
        const Part last = part_of(o, runs.axis_of(i), true);
        const Extent end{last.offset, itemsize(o.dtype), last.shape, in_.strides(o)};
        const std::uint32_t next = i - (i - runs.first) % runs.period + runs.period;
        for (std::uint32_t j = i + 1; j < runs.end(); ++j) {
            const Instruction& later = in_.instructions[j];
            const std::span<const Operand> operands = in_.operands_of(later);
            for (std::size_t k = 0; k < operands.size(); ++k) {
                const Operand& other = operands[k];
                if (other.is_constant() || other.base != o.base) continue;
                if (!written && k >= later.nout) continue;
                Part part{other.offset, Dims(in_.shape(other))};
                if (j < next) part = part_of(other, runs.axis_of(j), false);
                const Extent touched{part.offset, itemsize(other.dtype), part.shape,
                                     in_.strides(other)};
                if (++tests > kMostTests || may_overlap(end, touched)) return false;
            }
        }
        return true;
    }

    // ---- the program ----

    struct Part {
        std::int64_t offset;
        Dims shape;
    };
    // Returns the last elements of an operand along an axis, or the others.
    Part part_of(const Operand& o, std::size_t axis, bool last) const {
        Part part{o.offset, Dims(in_.shape(o))};
        const std::int64_t others = part.shape[axis] - 1;
        if (last) part.offset += others * in_.strides(o)[axis];
        part.shape[axis] = last ? 1 : others;
        return part;
    }
    BaseId new_base(BaseId base, bool last, const BaseInfo& info) {
        const auto [at, is_new] =
            instead_.try_emplace({base, last}, static_cast<BaseId>(out_.bases.size()));
        if (is_new) out_.bases.push_back(info);
        return at->second;
    }
    // Appends the last elements of instruction `i`, or the others.
    void append_part(const UnevenRuns& runs, std::uint32_t i, bool last) {
        Instruction copy = in_.instructions[i];
        if (i < runs.peeled_end()) {
            const std::span<const Operand> operands = in_.operands_of(copy);
            copy.operands = static_cast<std::uint32_t>(out_.operands.size());
            for (std::size_t k = 0; k < operands.size(); ++k) {
                append_part(runs, i, operands[k], counterpart(runs, i, k), last);
            }
        }
        made_.append(in_, i, copy);
    }
    void append_part(const UnevenRuns& runs, std::uint32_t i, const Operand& o,
                     const Operand& other, bool last) {
        if (o.is_constant()) return out_.operands.push_back(o);
        const bool is_new = is_private(runs, i, o);
        if (is_new && !last) {
            const BaseId base = new_base(o.base, last, in_.bases[other.base]);
            append_view(out_, base, o.dtype, other.offset, in_.shape(other), in_.strides(other));
            return;
        }
        const Part part = part_of(o, runs.axis_of(i), last);
        if (!is_new) {
            append_view(out_, o.base, o.dtype, part.offset, part.shape, in_.strides(o));
            return;
        }
        Dims dense(o.ndim, 0);
        BaseInfo small = in_.bases[o.base];
        small.bytes = itemsize(o.dtype);
        for (std::size_t k = o.ndim; k-- > 0;) {
            dense[k] = in_.strides(o)[k] == 0 ? 0 : small.bytes;
            if (dense[k] != 0) small.bytes *= part.shape[k];
        }
        append_view(out_, new_base(o.base, last, small), o.dtype, 0, part.shape, dense);
    }
};

}  // namespace

// Returns the program with the ends of uneven runs of at least `least_bytes` peeled off; none if it
// has none.
std::optional<RewrittenProgram> peel_loops(const Program& recorded, std::int64_t least_bytes) {
    return Peeler(recorded, least_bytes).peel();
}

}  // namespace hassium
