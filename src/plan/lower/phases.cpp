// Assigns each member of a block to the earliest phase that its dependences allow.
//
// Places are numbered: even ones are nests over the whole space, odd ones over the kept axes; if
// members accumulate or scatter, no statement iterates over kept axes, and odd places are for those
// members. A dependence inside one space is within an iteration and needs no later place. A
// dependence between spaces needs a later place, and so does one on the result of a reduction,
// which is complete only when its nest ends.
#include <algorithm>

#include "plan/lower/rows.hpp"
#include "program/overlap.hpp"

namespace hassium {
namespace {

struct Use {
    const Operand* view;
    std::uint32_t place;
    bool written, result;
    std::uint32_t older;  // the next on the same base
};

class Places {
  public:
    explicit Places(const LoweringContext& context) : context_(context) {
        for (std::uint32_t i : context.work) most_ = std::max(most_, elements(i));
    }

    // Returns false if one nest suffices.
    bool needed() const {
        return most_ > 0 && std::any_of(context_.work.begin(), context_.work.end(), [&](auto i) {
                   const Instruction& one = context_.instruction(i);
                   return one.method != Method::Call || is_ordered(one) || elements(i) != most_;
               });
    }

    std::uint32_t place(std::uint32_t index) {
        const Instruction& i = context_.instruction(index);
        std::uint32_t space = is_ordered(i) || elements(index) < most_;
        auto views = context_.program.operands_of(i);
        std::uint32_t place = space;
        auto result = [&](std::size_t k) { return k < i.nout && is_reduction(i); };
        for (std::size_t k = 0; k < views.size(); ++k) {
            if (!views[k].is_constant()) wait(views[k], k < i.nout, result(k), space, place);
        }
        for (std::size_t k = 0; k < views.size(); ++k) {
            if (views[k].is_constant()) continue;
            std::uint32_t& newest = newest_use(views[k].base);
            uses_.push_back({&views[k], place, k < i.nout, result(k), newest});
            newest = static_cast<std::uint32_t>(uses_.size() - 1);
        }
        return place;
    }

  private:
    std::int64_t elements(std::uint32_t i) const {
        return element_count(context_.program.iteration_shape(context_.instruction(i)));
    }
    std::uint32_t& newest_use(BaseId base) {
        std::uint32_t number = context_.lowering.note(base).use;
        if (number >= newest_.size()) newest_.resize(number + 1, Lowering::kNothing);
        return newest_[number];
    }
    void wait(const Operand& view, bool written, bool result, std::uint32_t space,
              std::uint32_t& place) {
        const Program& p = context_.program;
        auto extent = [&p](const Operand& o) {
            return Extent{o.offset, itemsize(o.dtype), p.shape(o), p.strides(o)};
        };
        std::uint32_t at = newest_use(view.base);
        for (; at != Lowering::kNothing; at = uses_[at].older) {
            const Use& use = uses_[at];
            if (!written && !use.written) continue;
            bool crosses = result || use.result || (use.place & 1) != space;
            std::uint32_t least = use.place + crosses;
            least += (least & 1) != space;
            if (least > place && may_overlap(extent(*use.view), extent(view))) place = least;
        }
    }

    const LoweringContext& context_;
    std::int64_t most_ = 0;
    std::vector<Use> uses_;
    std::vector<std::uint32_t> newest_;  // per base of the block
};

}  // namespace

PhaseList phases_of(const LoweringContext& context) {
    Places places(context);
    if (!places.needed()) return {};
    PhaseList found;
    for (std::uint32_t i : context.work) {
        std::uint32_t place = places.place(i);
        if (place >= found.size()) found.resize(place + 1);
        found[place].push_back(i);
    }
    std::erase_if(found, [](const auto& phase) { return phase.empty(); });
    return found;
}

}  // namespace hassium
