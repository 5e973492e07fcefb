// Rerolls loops: runs of the same maps that differ in constants and in the offsets of their views
// become one run over views with one more axis, the index of the run, as
//
//     a[:, 0::2] = x[:, 0::2] * 3.0          a.reshape(n, m, 2)[...] =
//     a[:, 1::2] = x[:, 1::2] * 5.0    ->        x.reshape(n, m, 2) * [3.0, 5.0]
//
// Each run over interleaved grids or columns traverses all lines of the memory for some of their
// elements; a single map traverses it once, in order. Constants that differ become an array: a copy
// at the beginning of the program takes them from the program's constants in memory.
//
// Legal if no run touches what another one writes. An array that lives and dies within a run gets
// the axis as well; the operands of any other array have a constant step from run to run. The new
// axis is the first of all operands.
#include <algorithm>
#include <array>
#include <numeric>

#include "program/overlap.hpp"
#include "program/word_hash.hpp"
#include "rewrite/base_uses.hpp"
#include "rewrite/forms.hpp"
#include "rewrite/rewrite.hpp"

namespace hassium {
namespace {

constexpr std::uint32_t kMostPeriod = 64;         // instructions per run
constexpr int kMostPeriodsTried = 8;              // for each candidate first instruction
constexpr std::int64_t kMostOverlapTests = 4096;  // per pair of operands

// How an operand of the first run continues in the other runs.
struct Progression {
    enum class Kind : std::uint8_t { Same, Constants, Private, Affine };
    Kind kind;
    std::int64_t step = 0;   // from run to run: in bytes, or constants
    std::int64_t place = 0;  // Constants: byte offset in the array of constants
};

// `count` runs of `period` instructions, starting at instruction `first`.
struct Runs {
    std::uint32_t first, period, count;
    std::vector<Progression> operands;  // of the first run, in program order

    std::uint32_t end() const { return first + period * count; }
};

class Reroller {
  public:
    Reroller(const Program& recorded, std::int64_t least_bytes)
        : in_(recorded), least_bytes_(least_bytes) {}

    std::optional<RewrittenProgram> reroll() {
        if (!writes_in_parts()) return std::nullopt;
        find_candidates();
        std::vector<Runs> found;
        for (std::uint32_t i = 0; i < in_.instructions.size();) {
            std::optional<Runs> runs = runs_at(i);
            i = runs ? runs->end() : i + 1;
            if (runs) found.push_back(std::move(*runs));
        }
        if (found.empty()) return std::nullopt;
        made_ = without_instructions(in_);
        for (Runs& runs : found) place_constants(runs);
        std::uint32_t i = 0;
        for (const Runs& runs : found) {
            while (i < runs.first) append_recorded(i++);
            append_rerolled(runs);
            i = runs.end();
        }
        while (i < in_.instructions.size()) append_recorded(i++);
        return std::move(made_);
    }

  private:
    struct Uses {
        std::uint32_t first = 0, last = 0;
        bool whole = true;  // all operands show whole elements of the base
    };

    const Program& in_;
    const std::int64_t least_bytes_;
    std::vector<Uses> uses_;
    std::vector<std::uint32_t> next_;  // the next instruction of the same form; 0: none nearby
    // Per period: instructions before this index have the form of those a period later, back to the
    // last one that was queried.
    std::array<std::uint32_t, kMostPeriod + 1> repeats_until_{};
    RewrittenProgram made_;
    Program& out_ = made_.program;
    std::vector<BaseId> joined_bases_;  // per base of the source: that of all runs
    BaseId in_memory_ = kNoBase;        // the program's constants
    BaseId constants_ = kNoBase;        // arrays of constants, concatenated

    // ---- where runs may begin ----

    // Returns whether some array is written at several offsets: in most programs none is.
    bool writes_in_parts() const {
        std::vector<std::int64_t> place(in_.bases.size(), -1);
        for (const Instruction& i : in_.instructions) {
            if (i.nout == 0) continue;
            const Operand& out = in_.operands[i.operands];
            if (place[out.base] >= 0 && place[out.base] != out.offset) return true;
            place[out.base] = out.offset;
        }
        return false;
    }

    std::uint64_t hash_of(const Instruction& i) const {
        WordHash hash(static_cast<std::uint64_t>(i.op) | static_cast<std::uint64_t>(i.compute)
                                                             << 16);
        const Operand& out = in_.outputs(i)[0];
        for (std::int64_t extent : in_.shape(out)) hash.add(static_cast<std::uint64_t>(extent));
        return hash.value();
    }
    bool shows_whole_elements(const Operand& o) const {
        const std::int64_t size = itemsize(in_.bases[o.base].dtype);
        const auto whole = [size](std::int64_t bytes) { return bytes % size == 0; };
        return itemsize(o.dtype) == size && whole(o.offset) &&
               std::ranges::all_of(in_.strides(o), whole);
    }
    void find_candidates() {
        const auto count = static_cast<std::uint32_t>(in_.instructions.size());
        uses_.resize(in_.bases.size());
        next_.resize(count);
        std::array<std::uint32_t, 256> seen{};
        for (std::uint32_t i = count; i-- > 0;) {
            const Instruction& instruction = in_.instructions[i];
            for (const Operand& o : in_.operands_of(instruction)) {
                if (o.is_constant()) continue;
                Uses& uses = uses_[o.base];
                if (uses.last == 0) uses.last = i;
                uses.first = i;
                uses.whole &= shows_whole_elements(o);
            }
            if (!is_map(instruction)) continue;
            std::uint32_t& later = seen[hash_of(instruction) % seen.size()];
            if (later != 0 && later - i <= kMostPeriod) next_[i] = later;
            later = i;
        }
    }
    bool same_form(std::uint32_t a, std::uint32_t b) const {
        return compare_forms(in_, in_.instructions[a], in_.instructions[b]).exactly();
    }
    std::uint32_t runs_of_one_form(std::uint32_t first, std::uint32_t period) {
        std::uint32_t& until = repeats_until_[period];
        if (until <= first) {
            until = first;
            while (until + period < in_.instructions.size() && same_form(until, until + period)) {
                ++until;
            }
        }
        return 1 + (until - first) / period;
    }
    // Returns whether the last instructions of two runs write neighbours. Merging such runs saves
    // passes over memory; merging others would save instructions, but their temporaries would no
    // longer stay in the caches together.
    bool interleave(std::uint32_t first, std::uint32_t period) const {
        return first + 2 * period <= in_.instructions.size() &&
               write_neighbours(in_, in_.instructions[first + period - 1],
                                in_.instructions[first + 2 * period - 1]);
    }
    std::optional<Runs> runs_at(std::uint32_t first) {
        std::uint32_t at = next_[first];
        for (int tried = 0; at != 0 && tried < kMostPeriodsTried; ++tried, at = next_[at]) {
            const std::uint32_t period = at - first;
            if (period > kMostPeriod) break;
            if (!interleave(first, period)) continue;
            const std::uint32_t most = runs_of_one_form(first, period);
            Runs runs{first, period, 2, {}};
            if (most < 2 || !find_progressions(runs)) continue;
            if (largest(runs) * most < least_bytes_ || !are_independent(runs)) continue;
            extend(runs, most);
            while (!are_independent(runs)) runs.count = std::max(runs.count / 2, 2u);
            if (largest(runs) * runs.count >= least_bytes_) return runs;
        }
        return std::nullopt;
    }

    // ---- what runs do to their operands ----

    // Calls each(operand, its number, its instruction's number) for the operands of the first run;
    // stops and returns false when it does.
    template <class Each>
    bool all_operands(const Runs& runs, Each each) const {
        std::size_t number = 0;
        for (std::uint32_t s = runs.first; s < runs.first + runs.period; ++s) {
            for (const Operand& o : in_.operands_of(in_.instructions[s])) {
                if (!each(o, number++, s)) return false;
            }
        }
        return true;
    }
    const Operand& in_run(const Runs& runs, std::uint32_t s, const Operand& o,
                          std::uint32_t run) const {
        const std::uint32_t place =
            static_cast<std::uint32_t>(&o - in_.operands.data()) - in_.instructions[s].operands;
        return in_.operands[in_.instructions[s + run * runs.period].operands + place];
    }
    bool is_private(const Runs& runs, BaseId base, std::uint32_t run) const {
        const BaseInfo& info = in_.bases[base];
        const std::uint32_t begin = runs.first + run * runs.period;
        return info.dies && !info.input && uses_[base].first >= begin &&
               uses_[base].last < begin + runs.period;
    }
    // Sets how the operands of the first run continue in the second; false if they do not.
    bool find_progressions(Runs& runs) const {
        return all_operands(runs, [&](const Operand& o, std::size_t, std::uint32_t s) {
            const Operand& second = in_run(runs, s, o, 1);
            const std::int64_t step = second.offset - o.offset;
            Progression p{Progression::Kind::Affine, step};
            if (o.is_constant()) {
                p.kind = step == 0 ? Progression::Kind::Same : Progression::Kind::Constants;
            } else if (is_private(runs, o.base, 0)) {
                p.kind = Progression::Kind::Private;
            }
            runs.operands.push_back(p);
            return o.ndim < kMaxDims && continues(runs, s, o, p, 1);
        });
    }
    // Extends `runs`, to at most `most`, while they continue as the second one does.
    void extend(Runs& runs, std::uint32_t most) const {
        auto run_continues = [&](std::uint32_t k) {
            return all_operands(runs, [&](const Operand& o, std::size_t number, std::uint32_t s) {
                return continues(runs, s, o, runs.operands[number], k);
            });
        };
        while (runs.count < most && run_continues(runs.count)) ++runs.count;
    }
    bool continues(const Runs& runs, std::uint32_t s, const Operand& o, const Progression& p,
                   std::uint32_t run) const {
        const Operand& other = in_run(runs, s, o, run);
        if (p.kind == Progression::Kind::Private) return is_counterpart(runs, s, o, other, run);
        return other.base == o.base && other.offset == o.offset + run * p.step;
    }
    // Returns whether two operands show the same part of arrays that are private to their runs: the
    // first uses of both arrays correspond.
    bool is_counterpart(const Runs& runs, std::uint32_t s, const Operand& o, const Operand& other,
                        std::uint32_t run) const {
        if (other.is_constant() || !is_private(runs, other.base, run)) return false;
        const BaseInfo &a = in_.bases[o.base], &b = in_.bases[other.base];
        const std::uint32_t shift = run * runs.period;
        if (a.bytes != b.bytes || a.dtype != b.dtype || o.offset != other.offset) return false;
        if (uses_[o.base].first + shift != uses_[other.base].first) return false;
        if (uses_[o.base].first == s) return true;
        const Instruction& i = in_.instructions[uses_[o.base].first];
        for (const Operand& first : in_.operands_of(i)) {
            if (first.base != o.base) continue;
            return in_run(runs, uses_[o.base].first, first, run).base == other.base;
        }
        return false;
    }

    // ---- what is legal and worth it ----

    struct Joined {
        Dims shape, strides;
        std::int64_t offset, itemsize;
        Extent extent() const { return {offset, itemsize, shape, strides}; }
    };
    Joined joined(const Runs& runs, const Operand& o, std::int64_t step) const {
        Joined j{{}, {}, o.offset, hassium::itemsize(o.dtype)};
        j.shape.push_back(runs.count);
        j.shape.append(in_.shape(o));
        j.strides.push_back(step);
        j.strides.append(in_.strides(o));
        return j;
    }
    Extent extent_of(const Operand& o, std::int64_t shift) const {
        return {o.offset + shift, itemsize(o.dtype), in_.shape(o), in_.strides(o)};
    }
    bool are_independent(const Runs& runs) const {
        return all_operands(runs, [&](const Operand& o, std::size_t number, std::uint32_t s) {
            return !is_output(runs, o, number, s) || is_apart(runs, o, runs.operands[number], s);
        });
    }
    // Returns whether the operand is written and visible outside its run.
    bool is_output(const Runs& runs, const Operand& o, std::size_t number, std::uint32_t s) const {
        const Instruction& i = in_.instructions[s];
        return &o < in_.operands.data() + i.operands + i.nout &&
               runs.operands[number].kind == Progression::Kind::Affine;
    }
    // Returns whether no run touches what another run writes through the output.
    bool is_apart(const Runs& runs, const Operand& out, const Progression& p,
                  std::uint32_t s) const {
        const Joined all = joined(runs, out, p.step);
        if (overlaps_itself(all.extent())) return false;
        return all_operands(runs, [&](const Operand& other, std::size_t k, std::uint32_t t) {
            return &other == &out || other.base != out.base ||
                   is_apart(runs, out, p.step, all, other, runs.operands[k].step, s == t);
        });
    }
    // Returns the bytes of the largest operand of a run.
    std::int64_t largest(const Runs& runs) const {
        std::int64_t bytes = 0;
        all_operands(runs, [&](const Operand& o, std::size_t, std::uint32_t) {
            bytes = std::max(bytes, element_count(in_.shape(o)) * itemsize(o.dtype));
            return true;
        });
        return bytes;
    }
    // Returns whether no run accesses through `other` what another run writes through `out`.
    bool is_apart(const Runs& runs, const Operand& out, std::int64_t step, const Joined& all,
                  const Operand& other, std::int64_t other_step, bool one_instruction) const {
        if (step == other_step && same_view(extent_of(out, 0), extent_of(other, 0))) return true;
        if (!may_overlap(all.extent(), joined(runs, other, other_step).extent())) return true;
        if (one_instruction || step != other_step || 2 * runs.count > kMostOverlapTests) {
            return false;
        }
        for (std::int64_t k = 1; k < runs.count; ++k) {
            if (may_overlap(extent_of(out, 0), extent_of(other, k * step)) ||
                may_overlap(extent_of(out, 0), extent_of(other, -k * step))) {
                return false;
            }
        }
        return true;
    }
    // ---- the program ----

    void append_recorded(std::uint32_t i) { made_.append(in_, i, in_.instructions[i]); }

    void place_constants(Runs& runs) {
        all_operands(runs, [&](const Operand& o, std::size_t number, std::uint32_t s) {
            Progression& p = runs.operands[number];
            if (p.kind == Progression::Kind::Constants) copy_constants(runs, o, p, s);
            return true;
        });
    }
    void copy_constants(const Runs& runs, const Operand& o, Progression& p, std::uint32_t s) {
        constexpr auto kBytes = static_cast<std::int64_t>(sizeof(Constant));
        if (in_memory_ == kNoBase) {
            in_memory_ = new_base(constants_in_memory(in_));
            constants_ = new_base({.bytes = 0, .dtype = DType::U8, .input = 0, .dies = 1});
        }
        const std::int64_t size = itemsize(o.dtype), count = runs.count, step = p.step * kBytes;
        std::int64_t& bytes = out_.bases[constants_].bytes;
        p.place = (bytes + size - 1) / size * size;
        bytes = p.place + size * count;
        Instruction copy{Op::Copy, Method::Call, o.dtype, 1, 1, 0, 0, 0, 0, 0};
        copy.operands = append_view(out_, constants_, o.dtype, p.place, {&count, 1}, {&size, 1});
        append_view(out_, in_memory_, o.dtype, o.offset * kBytes, {&count, 1}, {&step, 1});
        note_rerolled(0, 0);
        made_.append(in_, s, copy);
    }
    BaseId new_base(const BaseInfo& info) {
        out_.bases.push_back(info);
        return static_cast<BaseId>(out_.bases.size() - 1);
    }
    // Returns the array that holds a private array of all runs: run after run, or element by
    // element.
    BaseId joined_base(const Runs& runs, BaseId base) {
        if (joined_bases_.empty()) joined_bases_.resize(in_.bases.size(), kNoBase);
        if (joined_bases_[base] == kNoBase) {
            BaseInfo all = in_.bases[base];
            all.bytes *= runs.count;
            joined_bases_[base] = new_base(all);
        }
        return joined_bases_[base];
    }
    void append_operand(const Runs& runs, const Operand& o, const Progression& p,
                        std::span<const std::int64_t> shape) {
        if (p.kind == Progression::Kind::Same) return out_.operands.push_back(o);
        if (p.kind == Progression::Kind::Constants) {
            Dims strides(shape.size(), 0);
            strides[0] = itemsize(o.dtype);
            append_view(out_, constants_, o.dtype, p.place, shape, strides);
            return;
        }
        Joined all = joined(runs, o, p.step);
        BaseId base = o.base;
        if (p.kind == Progression::Kind::Private) {
            base = joined_base(runs, o.base);
            all.strides[0] = in_.bases[o.base].bytes;
            if (uses_[o.base].whole) {
                for (std::int64_t& stride : all.strides) stride *= runs.count;
                all.strides[0] = all.itemsize;
                all.offset *= runs.count;
            }
        }
        append_view(out_, base, o.dtype, all.offset, all.shape, all.strides);
    }
    void append_rerolled(const Runs& runs) {
        std::size_t number = 0;
        for (std::uint32_t s = runs.first; s < runs.first + runs.period; ++s) {
            Instruction map = in_.instructions[s];
            const std::span<const Operand> operands = in_.operands_of(map);
            map.operands = static_cast<std::uint32_t>(out_.operands.size());
            Dims shape;
            shape.push_back(runs.count);
            shape.append(in_.shape(operands[0]));
            for (const Operand& o : operands) {
                append_operand(runs, o, runs.operands[number++], shape);
            }
            note_rerolled(runs.period, runs.count);
            made_.append(in_, s, map);
        }
    }
    // Notes that the instruction appended next replaces `count` others.
    void note_rerolled(std::uint32_t period, std::uint32_t count) {
        made_.rerolled.push_back(
            {static_cast<std::uint32_t>(out_.instructions.size()), period, count});
    }
};

}  // namespace

// Returns the program with loops over at least `least_bytes` rerolled; none if it has none.
std::optional<RewrittenProgram> reroll(const Program& recorded, std::int64_t least_bytes) {
    return Reroller(recorded, least_bytes).reroll();
}

}  // namespace hassium
