// Bounds inference: a map computes only the elements of its result that are read.
//
// `f(x)[5:1000]` records f on all of x, and a view. Walking backwards through the program, every
// view that is read of a base is demanded of the instructions that wrote it before. A map whose
// result is demanded in parts computes the smallest regions of its domain that contain them: it
// writes, and reads, views of the views that it was recorded with. So a transposed or reversed view
// is computed in memory order, and readers find the elements at the same addresses as without the
// pass: results are bit-identical. A region is a strided range along each axis. Disjoint regions
// become an instruction each.
//
// Demanded are the views that other instructions read, and for a base that outlives the program
// those that its syncs name; all of it if it has none.
//
// An element that nothing reads raises no floating-point condition either, as long as the errstate
// is NumPy's default: an instruction recorded under a stricter errstate computes all elements
// (Instruction::all_elements).
#include <algorithm>
#include <utility>

#include "rewrite/base_uses.hpp"
#include "rewrite/regions.hpp"
#include "rewrite/rewrite.hpp"

namespace hassium {
namespace {

constexpr std::size_t kMostViews = 64;   // distinct ones of one base
constexpr std::size_t kMostRegions = 4;  // of one map

// The views of a base that instructions after the current one read.
struct Demand {
    bool all = false;
    std::vector<ReadView> views;

    void add(ReadView view) {
        if (all || element_count(view.shape) == 0) return;
        if (std::ranges::any_of(views, [&](const ReadView& known) {
                return same_view(known.extent(), view.extent());
            })) {
            return;
        }
        views.push_back(std::move(view));
        if (views.size() <= kMostViews) return;
        all = true;
        views.clear();
    }
};

// Merges regions until they are disjoint: two are replaced by their hull if they meet or if the
// hull is no larger than both.
std::vector<Region> disjoint(std::vector<Region> regions) {
    auto joins = [](const Region& a, const Region& b) {
        return a.meets(b) || a.hull(b).volume() <= a.volume() + b.volume();
    };
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t a = 0; a < regions.size(); ++a) {
            for (std::size_t b = a + 1; b < regions.size(); ++b) {
                if (regions.size() <= kMostRegions && !joins(regions[a], regions[b])) continue;
                regions[a] = regions[a].hull(regions[b]);
                regions.erase(regions.begin() + static_cast<std::ptrdiff_t>(b--));
                changed = true;
            }
        }
    }
    return regions;
}

class BoundsInference {
  public:
    BoundsInference(const Program& recorded, std::int64_t least)
        : in_(recorded), least_(least), demands_(recorded.bases.size()) {}

    std::optional<RewrittenProgram> run() {
        if (!find_live()) return std::nullopt;
        made_ = without_instructions(in_);
        for (std::size_t i = in_.instructions.size(); i-- > 0;) {
            visit(static_cast<std::uint32_t>(i));
        }
        if (left_out_ < least_) return std::nullopt;
        std::ranges::reverse(out_.instructions);
        std::ranges::reverse(out_.origins);
        std::ranges::reverse(made_.from);
        return std::move(made_);
    }

  private:
    const Program& in_;
    std::int64_t least_;
    std::vector<Demand> demands_;
    RewrittenProgram made_;  // in reverse order
    Program& out_ = made_.program;
    std::int64_t left_out_ = 0;  // bytes

    // Sets which bases are read as a whole after the program. Returns false if none can be computed
    // in part.
    bool find_live() {
        std::vector<bool> synced(in_.bases.size());
        for (const Instruction& i : in_.instructions) {
            if (in_.is_sync(i)) synced[in_.operands[i.operands].base] = true;
        }
        bool any = false;
        for (std::size_t b = 0; b < in_.bases.size(); ++b) {
            demands_[b].all = !in_.bases[b].dies && !synced[b];
            any |= !demands_[b].all && in_.bases[b].bytes >= least_;
        }
        return any;
    }

    void visit(std::uint32_t index) {
        const Instruction& i = in_.instructions[index];
        std::vector<Region> regions;
        const std::optional<Domain> domain = domain_of(i, regions);
        if (i.nout == 1) meet_demand(i);
        if (!domain) return append(index, i);
        left_out_ += domain->volume() * itemsize(in_.outputs(i)[0].dtype);
        for (const Region& region : regions) {
            Instruction part = i;
            part.operands = domain->append_operands(out_, region);
            left_out_ -= region.volume() * itemsize(in_.outputs(i)[0].dtype);
            append(index, part);
        }
    }

    // Returns the domain of a map and sets the regions of it to compute; none: compute all.
    std::optional<Domain> domain_of(const Instruction& i, std::vector<Region>& regions) const {
        if (i.nout != 1 || i.all_elements || !is_map(i)) return std::nullopt;
        const Demand& demand = demands_[in_.outputs(i)[0].base];
        if (demand.all || demand.views.empty()) return std::nullopt;
        if (in_.bases[in_.outputs(i)[0].base].bytes < least_) return std::nullopt;
        std::optional<Domain> domain = Domain::of(in_, i);
        if (!domain) return std::nullopt;
        for (const ReadView& view : demand.views) {
            if (!domain->find(view)) domain->split(view);
        }
        if (!find_regions(i, *domain, demand, regions)) return std::nullopt;
        std::int64_t volume = 0;
        for (const Region& region : regions) volume += region.volume();
        const std::int64_t all = domain->volume();
        if (regions.empty() || volume > largest_part(all)) return std::nullopt;
        return domain;
    }
    bool find_regions(const Instruction& i, const Domain& domain, const Demand& demand,
                      std::vector<Region>& regions) const {
        regions.clear();
        for (const ReadView& view : demand.views) {
            if (std::optional<Region> region = domain.find(view)) {
                regions.push_back(std::move(*region));
            } else if (may_overlap(view.extent(), ReadView::of(in_, in_.outputs(i)[0]).extent())) {
                return false;
            }
        }
        regions = disjoint(std::move(regions));
        return true;
    }

    // Removes what the map writes from the demand on earlier instructions.
    void meet_demand(const Instruction& i) {
        if (!is_map(i) || i.masked) return;
        const Operand& out = in_.outputs(i)[0];
        Demand& demand = demands_[out.base];
        if (element_count(in_.shape(out)) * itemsize(out.dtype) == in_.bases[out.base].bytes) {
            demand = {};
            return;
        }
        if (demand.views.empty()) return;
        std::optional<Domain> domain = Domain::of(in_, i);
        if (!domain) return;
        std::erase_if(demand.views, [&](const ReadView& view) {
            if (!domain->find(view)) domain->split(view);
            return domain->find(view).has_value();
        });
    }

    void append(std::uint32_t index, const Instruction& i) {
        made_.append(in_, index, i);
        for (const Operand& o : out_.operands_of(i).subspan(i.nout)) {
            if (!o.is_constant()) demands_[o.base].add(ReadView::of(out_, o));
        }
    }
};

}  // namespace

// Returns the program without unread elements of bases of at least `least_bytes`; none if all are
// read.
std::optional<RewrittenProgram> infer_bounds(const Program& recorded, std::int64_t least_bytes) {
    return BoundsInference(recorded, least_bytes).run();
}

}  // namespace hassium
