// Pulls views through maps: `f(x)[::-1] * w` becomes `f(x[::-1]) * w`.
//
// A map and its readers share a block when they traverse the result in the same order. If every
// reader is a map and reads the result through one and the same other view, the map computes the
// elements of that view, in its order, from views of its operands: the result lives and dies in the
// block. This is a gather whose index is an affine function (pull_gathers.cpp), but the map keeps
// its place in the program, so that intermediate writes need no check.
//
// Maps that produce its operands for it alone are pulled with it. If an operand has other readers
// as well, nothing is pulled: the map would leave the block of its source.
//
// Views that permute axes are not pulled: writing a transposed array in memory order and reading it
// again block by block (exec/nest/transpose.cpp) is faster than a block that traverses its operands
// one way and its result the other. Elements are computed by the same operations on the same
// values: results are bit-identical.
#include <algorithm>
#include <numeric>

#include "rewrite/base_uses.hpp"
#include "rewrite/regions.hpp"
#include "rewrite/rewrite.hpp"

namespace hassium {
namespace {

class ViewPulling {
  public:
    ViewPulling(const Program& recorded, std::int64_t least)
        : in_(recorded), least_(least), uses_(recorded, least) {}

    // Visits readers first: the operands of a pulled map are those that the maps before it write.
    std::optional<RewrittenProgram> run() {
        if (std::ranges::none_of(in_.bases,
                                 [&](const BaseInfo& b) { return is_large_temporary(b); })) {
            return std::nullopt;
        }
        out_ = in_;
        is_pulled_.resize(in_.instructions.size());
        bool any = false;
        for (std::size_t i = in_.instructions.size(); i-- > 0;) {
            any |= pull(static_cast<std::uint32_t>(i));
        }
        if (!any) return std::nullopt;
        made_.from.resize(out_.instructions.size());
        std::iota(made_.from.begin(), made_.from.end(), 0u);
        return std::move(made_);
    }

  private:
    const Program& in_;
    std::int64_t least_;
    ProgramUses uses_;
    RewrittenProgram made_;
    Program& out_ = made_.program;
    std::vector<bool> is_pulled_;  // maps of groups that are pulled

    bool is_large_temporary(const BaseInfo& base) const {
        return !base.input && base.dies && base.bytes >= least_;
    }

    bool pull(std::uint32_t index) {
        const Instruction map = out_.instructions[index];
        if (map.nout != 1) return false;
        const Operand result = out_.outputs(map)[0];
        const std::vector<std::uint32_t> reads = reads_of(result.base, index);
        if (reads.empty()) return false;
        const ReadView view = ReadView::of(out_, out_.operands[reads[0]]);
        const ReadView shown = without_broadcast_axes(view);
        if (is_whole(shown, result)) return false;
        const std::optional<Domain> domain = domain_for(index, view);
        if (!domain || !(is_pulled_[index] || stays_with_producers(index, *domain, shown)))
            return false;
        write_in_order(index, *domain, shown, result);
        for (const std::uint32_t read : reads) read_in_order(read, result);
        return true;
    }

    bool is_whole(const ReadView& shown, const Operand& result) const {
        return same_elements(shown.extent(), ReadView::of(out_, result).extent());
    }

    // Returns the domain of a map that can compute the elements of the view of its result in the
    // view's order; none if it cannot.
    std::optional<Domain> domain_for(std::uint32_t index, const ReadView& view) const {
        const Instruction& map = out_.instructions[index];
        if (!is_map(map) || map.nout != 1 || map.masked) return std::nullopt;
        const Operand& result = out_.outputs(map)[0];
        if (!is_large_temporary(out_.bases[result.base])) return std::nullopt;
        std::optional<Domain> domain = Domain::of(out_, map);
        if (!domain) return std::nullopt;
        if (domain->volume() * itemsize(result.dtype) != out_.bases[result.base].bytes) {
            return std::nullopt;
        }
        if (!domain->find(view)) domain->split(view);
        if (!domain->keeps_order(view)) return std::nullopt;
        const std::int64_t volume = element_count(without_broadcast_axes(view).shape);
        if (map.all_elements && volume != domain->volume()) return std::nullopt;
        return domain;
    }

    // Maps that are pulled together, with the views through which their results are read.
    struct Group {
        std::vector<std::uint32_t> maps;
        std::vector<std::pair<BaseId, ReadView>> results;
    };
    // Returns whether a pulled map still traverses its operands in the order of the maps that
    // produce them. Producers whose results nothing else reads are pulled with it; inputs of the
    // program can be read in any order. Otherwise the map would join the block of its readers but
    // leave that of its sources.
    bool stays_with_producers(std::uint32_t index, const Domain& domain, const ReadView& shown) {
        Group group{{index}, {}};
        if (!collect(index, domain, shown, group)) return false;
        for (const auto& [base, view] : group.results) {
            const bool alone = std::ranges::all_of(uses_[base].readers, [&](std::uint32_t reader) {
                return std::ranges::find(group.maps, reader) != group.maps.end();
            });
            if (!alone) return false;
        }
        for (const std::uint32_t map : group.maps) is_pulled_[map] = true;
        return true;
    }
    bool collect(std::uint32_t index, const Domain& domain, const ReadView& shown, Group& group) {
        const std::vector<Operand> inputs = domain.inputs_through(out_, shown);
        return std::ranges::all_of(inputs, [&](const Operand& o) {
            if (o.is_constant()) return true;
            const BaseUse& use = uses_[o.base];
            if (use.writers.empty() || use.writers[0] > index) return true;
            if (use.writers.size() > 1) return false;
            const ReadView view = ReadView::of(out_, o), part = without_broadcast_axes(view);
            const std::uint32_t writer = use.writers[0];
            if (is_whole(part, out_.outputs(out_.instructions[writer])[0])) return true;
            for (const auto& [base, known] : group.results) {
                if (base == o.base) return same_view(known.extent(), view.extent());
            }
            group.maps.push_back(writer);
            group.results.emplace_back(o.base, view);
            const std::optional<Domain> source = domain_for(writer, view);
            return source && collect(writer, *source, part, group);
        });
    }

    // Returns the operands that read the base if all are of maps after `writer`, its only writer,
    // show one view and have the dtype that it writes; else empty.
    std::vector<std::uint32_t> reads_of(BaseId base, std::uint32_t writer) const {
        std::vector<std::uint32_t> reads;
        if (uses_[base].writers.size() != 1) return {};
        const DType written = out_.outputs(out_.instructions[writer])[0].dtype;
        for (const std::uint32_t reader : uses_[base].readers) {
            const Instruction& i = out_.instructions[reader];
            if (reader <= writer || !is_map(i)) return {};
            for (int k = i.nout; k < i.operand_count(); ++k) {
                const std::uint32_t operand = i.operands + static_cast<std::uint32_t>(k);
                const Operand& o = out_.operands[operand];
                if (o.is_constant() || o.base != base) continue;
                const bool same = reads.empty() || same_operand(out_, out_.operands[reads[0]], o);
                if (!same || o.dtype != written) return {};
                reads.push_back(operand);
            }
        }
        return reads;
    }
    static ReadView without_broadcast_axes(const ReadView& view) {
        ReadView shown{view.offset, view.itemsize, {}, {}};
        for (std::size_t k = 0; k < view.shape.size(); ++k) {
            if (view.shape[k] == 1 || view.strides[k] == 0) continue;
            shown.shape.push_back(view.shape[k]);
            shown.strides.push_back(view.strides[k]);
        }
        return shown;
    }

    // Makes the map write the elements of the view contiguously, from the start of the base.
    void write_in_order(std::uint32_t index, const Domain& domain, const ReadView& shown,
                        const Operand& result) {
        const std::vector<Operand> inputs = domain.inputs_through(out_, shown);
        out_.instructions[index].operands = static_cast<std::uint32_t>(out_.operands.size());
        append_view(out_, result.base, result.dtype, 0, shown.shape,
                    strides_in_order(shown.shape, {}, shown.itemsize));
        out_.operands.insert(out_.operands.end(), inputs.begin(), inputs.end());
    }
    void read_in_order(std::uint32_t read, const Operand& result) {
        const Operand before = out_.operands[read];
        Dims shape;
        shape.assign(out_.shape(before).data(), before.ndim);
        append_view(out_, result.base, result.dtype, 0, shape,
                    strides_in_order(shape, out_.strides(before), itemsize(result.dtype)));
        out_.operands[read] = out_.operands.back();
        out_.operands.pop_back();
    }
    // Returns C-ordered strides, with 0 for broadcast axes.
    static Dims strides_in_order(const Dims& shape, std::span<const std::int64_t> before,
                                 std::int64_t itemsize) {
        Dims strides;
        strides.resize(shape.size());
        for (std::size_t k = shape.size(), step = static_cast<std::size_t>(itemsize); k-- > 0;) {
            const bool repeats = shape[k] == 1 || (!before.empty() && before[k] == 0);
            strides[k] = repeats ? 0 : static_cast<std::int64_t>(step);
            if (!repeats) step *= static_cast<std::size_t>(shape[k]);
        }
        return strides;
    }
};

}  // namespace

// Returns the program with bases of at least `least_bytes` stored in the order in which they are
// read; none if all are.
std::optional<RewrittenProgram> pull_views(const Program& recorded, std::int64_t least_bytes) {
    return ViewPulling(recorded, least_bytes).run();
}

}  // namespace hassium
