// Pulls gathers through maps: `f(x)[i]` becomes `f(x[i])`.
//
// A map whose result dies and is read by gathers alone computes every element, of which the gathers
// read few. After the pass each gather reads the operands of the map instead, and the map runs on
// the gathered elements: unread elements are never computed, and the map joins the block of the
// gather. Step by step a gather passes a whole expression; an operand that occurs twice is gathered
// once. Operands that are constant along the gathered axis are not gathered.
//
// A gather is pulled when its result has no more elements than its source, and when random reads of
// several operands cost no more than sequential reads (pull_pays). The other conditions preserve
// values: nothing writes an operand between the map and the gather, and no element is computed only
// for its floating-point conditions (Instruction::all_elements). Elements are computed by the same
// operations on the same values: results are bit-identical.
#include <algorithm>
#include <bit>
#include <utility>

#include "rewrite/base_uses.hpp"
#include "rewrite/regions.hpp"
#include "rewrite/rewrite.hpp"

namespace hassium {
namespace {

// Cycles per element of eight bytes, from memory beyond the caches.
constexpr std::int64_t kStreamed = 2;   // sequential reads
constexpr std::int64_t kGathered = 12;  // random reads
// Longer programs are not searched.
constexpr std::size_t kMostInstructions = 1024;

// Returns whether gathering `sources` operands at `gathered` elements is cheaper than computing
// `all`.
bool pull_pays(std::int64_t gathered, std::int64_t all, std::int64_t sources, double cycles) {
    if (gathered > all) return false;
    const auto later = static_cast<double>(gathered);
    return later * (static_cast<double>(kGathered * (sources - 1)) + cycles) <=
           static_cast<double>(all) * (static_cast<double>(kStreamed * (sources + 1)) + cycles);
}

class GatherPulling {
  public:
    GatherPulling(const Program& recorded, std::int64_t least) : in_(recorded), least_(least) {}

    std::optional<RewrittenProgram> run() {
        if (in_.instructions.size() > kMostInstructions) return std::nullopt;
        const auto is_gather_of = [](const Instruction& i) { return info(i.op).is_gather(); };
        if (std::ranges::none_of(in_.instructions, is_gather_of)) return std::nullopt;
        made_ = without_instructions(in_);
        for (std::uint32_t i = 0; i < in_.instructions.size(); ++i) {
            steps_.push_back({in_.instructions[i], i});
        }
        bool any = false;
        while (pull_one()) any = true;
        if (!any) return std::nullopt;
        share_gathers();
        for (const Step& step : steps_) {
            made_.append(in_, step.from, step.instruction);
        }
        return std::move(made_);
    }

  private:
    struct Step {
        Instruction instruction;
        std::uint32_t from;
    };
    // A gather and the inputs of the map as seen through the gather's source.
    struct Pull {
        std::size_t gather;
        std::vector<Operand> operands;
    };
    const Program& in_;
    std::int64_t least_;
    RewrittenProgram made_;
    Program& out_ = made_.program;
    std::vector<Step> steps_;

    std::span<const Operand> inputs(std::size_t step) const {
        return out_.inputs(steps_[step].instruction);
    }
    const Operand& output(std::size_t step) const {
        return out_.outputs(steps_[step].instruction)[0];
    }
    bool writes(std::size_t step, BaseId base) const {
        return std::ranges::any_of(out_.outputs(steps_[step].instruction),
                                   [&](const Operand& o) { return o.base == base; });
    }
    bool is_written(BaseId base, std::size_t behind, std::size_t before) const {
        for (std::size_t s = behind + 1; s < before; ++s) {
            if (writes(s, base)) return true;
        }
        return false;
    }
    // Returns whether the operand does not change along the axis; it is not gathered then.
    bool is_constant_along(const Operand& o, std::size_t axis) const {
        return o.is_constant() || out_.strides(o)[axis] == 0;
    }

    bool pull_one() {
        for (std::size_t s = 0; s < steps_.size(); ++s) {
            if (!info(steps_[s].instruction.op).is_gather()) continue;
            const std::optional<std::size_t> map = map_before(s);
            std::vector<Pull> pulls;
            if (map && find_pulls(*map, pulls)) {
                apply(*map, pulls);
                return true;
            }
        }
        return false;
    }
    // Returns the map that writes the source of a gather, if that is a large temporary.
    std::optional<std::size_t> map_before(std::size_t gather) const {
        const Operand& source = inputs(gather)[0];
        if (source.is_constant()) return std::nullopt;
        const BaseInfo& base = out_.bases[source.base];
        if (base.input || !base.dies || base.bytes < least_) return std::nullopt;
        for (std::size_t s = gather; s-- > 0;) {
            if (!writes(s, source.base)) continue;
            const Instruction& i = steps_[s].instruction;
            if (!is_map(i) || i.nout != 1 || i.masked || i.all_elements) return std::nullopt;
            return s;
        }
        return std::nullopt;
    }

    bool find_pulls(std::size_t map, std::vector<Pull>& pulls) {
        const BaseId base = output(map).base;
        for (std::size_t s = 0; s < steps_.size(); ++s) {
            if (s != map && writes(s, base)) return false;
            const std::span<const Operand> operands = out_.operands_of(steps_[s].instruction);
            const std::size_t results = steps_[s].instruction.nout;
            const auto reads = std::ranges::count_if(operands.subspan(results), [&](auto& o) {
                return !o.is_constant() && o.base == base;
            });
            if (reads == 0) continue;
            if (s < map || reads > 1 || !info(steps_[s].instruction.op).is_gather()) return false;
            if (inputs(s)[0].is_constant() || inputs(s)[0].base != base) return false;
            pulls.push_back({s, {}});
        }
        if (pulls.empty()) return false;
        std::int64_t gathered = 0, sources = 0;
        for (Pull& pull : pulls) {
            if (!find_operands(map, pull)) return false;
            gathered += element_count(out_.shape(output(pull.gather)));
            sources = std::max(sources, count_sources(pull));
        }
        const Instruction& i = steps_[map].instruction;
        return pull_pays(gathered, element_count(out_.shape(output(map))), sources,
                         static_cast<double>(info(i.op).cycles));
    }
    bool find_operands(std::size_t map, Pull& pull) {
        const Operand source = inputs(pull.gather)[0];
        const Operand& result = output(map);
        if (source.dtype != result.dtype || output(pull.gather).dtype != result.dtype) return false;
        if (element_count(out_.shape(output(pull.gather))) == 0) return false;
        for (const Operand& o : inputs(map)) {
            if (o.is_constant()) continue;
            if (o.base == output(pull.gather).base) return false;
            if (is_written(o.base, map, pull.gather)) return false;
        }
        const Instruction writer = steps_[map].instruction;
        const ReadView view = ReadView::of(out_, source);
        std::optional<Domain> domain = Domain::of(out_, writer);
        if (!domain) return false;
        if (!domain->find(view)) domain->split(view);
        if (!domain->find(view)) return false;
        pull.operands = domain->inputs_through(out_, view);
        return true;
    }
    std::size_t axis_of(std::size_t gather) const {
        return static_cast<std::size_t>(std::countr_zero(steps_[gather].instruction.axes));
    }
    std::int64_t count_sources(const Pull& pull) const {
        std::int64_t sources = 0;
        for (std::size_t k = 0; k < pull.operands.size(); ++k) {
            sources += !is_constant_along(pull.operands[k], axis_of(pull.gather)) &&
                       first_same_view(pull.operands, k) == k;
        }
        return sources;
    }
    std::size_t first_same_view(const std::vector<Operand>& operands, std::size_t k) const {
        std::size_t first = 0;
        while (first < k && !same_operand(out_, operands[first], operands[k])) ++first;
        return first;
    }

    // Replaces later gathers first, so that the indices of earlier ones stay valid.
    void apply(std::size_t map, const std::vector<Pull>& pulls) {
        for (std::size_t p = pulls.size(); p-- > 0;) {
            std::vector<Step> pulled = pulled_steps(map, pulls[p]);
            const auto at = steps_.begin() + static_cast<std::ptrdiff_t>(pulls[p].gather);
            steps_.insert(steps_.erase(at), pulled.begin(), pulled.end());
        }
        steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(map));
    }
    std::vector<Step> pulled_steps(std::size_t map, const Pull& pull) {
        const Step gather = steps_[pull.gather];
        const std::size_t axis = axis_of(pull.gather);
        const Operand result = output(pull.gather), index = inputs(pull.gather)[1];
        std::vector<Step> steps;
        std::vector<Operand> operands{result};
        for (std::size_t k = 0; k < pull.operands.size(); ++k) {
            const std::size_t first = first_same_view(pull.operands, k);
            if (first < k) {
                operands.push_back(operands[first + 1]);
            } else if (pull.operands[k].is_constant()) {
                operands.push_back(pull.operands[k]);
            } else if (is_constant_along(pull.operands[k], axis)) {
                operands.push_back(spread(pull.operands[k], result, index, axis));
            } else {
                steps.push_back(gather);
                operands.push_back(
                    gather_into_new(steps.back().instruction, pull.operands[k], index, axis));
                operands.back() = widened(operands.back(), result);
            }
        }
        steps.push_back(steps_[map]);
        steps.back().instruction.operands = static_cast<std::uint32_t>(out_.operands.size());
        out_.operands.insert(out_.operands.end(), operands.begin(), operands.end());
        return steps;
    }
    // Returns an operand that is constant along the axis, with the axes of the index in place of
    // it.
    Operand spread(const Operand& o, const Operand& result, const Operand& index,
                   std::size_t axis) {
        const std::span<const std::int64_t> own = out_.strides(o);
        Dims shape, strides;
        shape.assign(out_.shape(result).data(), out_.shape(result).size());
        for (std::size_t k = 0; k < shape.size(); ++k) {
            const bool indexed = k >= axis && k < axis + index.ndim;
            const std::size_t before = k < axis ? k : k - index.ndim + 1;
            strides.push_back(indexed ? 0 : own[before]);
        }
        append_view(out_, o.base, o.dtype, o.offset, shape, strides);
        return last_operand();
    }
    // Completes a gather of an operand into a new base; broadcast axes of the operand are gathered
    // once.
    Operand gather_into_new(Instruction& gather, const Operand& o, const Operand& index,
                            std::size_t axis) {
        Dims shape, strides, result;
        strides.assign(out_.strides(o).data(), o.ndim);
        for (std::size_t k = 0; k < o.ndim; ++k) {
            shape.push_back(strides[k] == 0 ? 1 : out_.shape(o)[k]);
            if (k != axis) {
                result.push_back(shape[k]);
                continue;
            }
            for (const std::int64_t extent : out_.shape(index)) result.push_back(extent);
        }
        const auto base = static_cast<BaseId>(out_.bases.size());
        const std::int64_t item = itemsize(o.dtype);
        out_.bases.push_back({element_count(result) * item, o.dtype, 0, 1, {}});
        gather.compute = o.dtype;
        gather.operands = static_cast<std::uint32_t>(out_.operands.size());
        Dims steps;
        for (std::size_t k = result.size(), step = 1; k-- > 0;) {
            steps.push_back(static_cast<std::int64_t>(step) * item);
            step *= static_cast<std::size_t>(result[k]);
        }
        std::ranges::reverse(steps);
        append_view(out_, base, o.dtype, 0, result, steps);
        const Operand made = out_.operands.back();
        append_view(out_, o.base, o.dtype, o.offset, shape, strides);
        out_.operands.push_back(index);
        return made;
    }
    // Returns the gathered operand broadcast to the shape of the map's result.
    Operand widened(const Operand& made, const Operand& result) {
        Dims shape, strides;
        shape.assign(out_.shape(result).data(), out_.shape(result).size());
        for (std::size_t k = 0; k < shape.size(); ++k) {
            strides.push_back(out_.shape(made)[k] == shape[k] ? out_.strides(made)[k] : 0);
        }
        append_view(out_, made.base, made.dtype, made.offset, shape, strides);
        return last_operand();
    }
    Operand last_operand() {
        const Operand last = out_.operands.back();
        out_.operands.pop_back();
        return last;
    }

    // Removes gathers that repeat an earlier one.
    void share_gathers() {
        for (std::size_t s = 0; s < steps_.size(); ++s) {
            if (!is_new_gather(s)) continue;
            for (std::size_t later = s + 1; later < steps_.size();) {
                if (is_same_gather(s, later)) {
                    read_instead(output(later).base, output(s).base);
                    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(later));
                } else {
                    ++later;
                }
            }
        }
    }
    bool is_new_gather(std::size_t s) const {
        return info(steps_[s].instruction.op).is_gather() && output(s).base >= in_.bases.size();
    }
    bool is_same_gather(std::size_t first, std::size_t later) const {
        if (!is_new_gather(later) || axis_of(first) != axis_of(later)) return false;
        if (!same_operand(out_, inputs(first)[0], inputs(later)[0])) return false;
        if (!same_operand(out_, inputs(first)[1], inputs(later)[1])) return false;
        return !is_written(inputs(first)[0].base, first, later) &&
               !is_written(inputs(first)[1].base, first, later);
    }
    void read_instead(BaseId base, BaseId other) {
        for (const Step& step : steps_) {
            const Instruction& i = step.instruction;
            for (int k = i.nout; k < i.operand_count(); ++k) {
                Operand& o = out_.operands[i.operands + static_cast<std::uint32_t>(k)];
                if (!o.is_constant() && o.base == base) o.base = other;
            }
        }
    }
};

}  // namespace

// Returns the program without bases of at least `least_bytes` that only gathers read; none if it
// has none.
std::optional<RewrittenProgram> pull_gathers(const Program& recorded, std::int64_t least_bytes) {
    return GatherPulling(recorded, least_bytes).run();
}

}  // namespace hassium
