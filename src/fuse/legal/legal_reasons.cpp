// The reasons why two instructions may not share a block: the texts of the decisions in legal.cpp.
#include <cstdlib>

#include "fuse/legal/legal.hpp"
#include "program/axes.hpp"

namespace hassium {
namespace {

// Returns whether two views show the same set of elements, in any order.
bool same_set(const Extent& a, const Extent& b) {
    if (a.itemsize != b.itemsize) return false;
    auto in_memory = [](const Extent& view) {
        return coalesce<1>(view.shape, stride_order(view.strides),
                           [&](int, std::size_t axis) { return std::abs(view.strides[axis]); });
    };
    std::int64_t first_a, last_a, first_b, last_b;
    byte_bounds(a, first_a, last_a);
    byte_bounds(b, first_b, last_b);
    return first_a == first_b && in_memory(a) == in_memory(b);
}

}  // namespace

const char* Legality::access_refusal(const ViewAccess& a, const ViewAccess& b) const {
    const std::uint8_t kinds = a.kinds | b.kinds;
    if (kinds & kAnywhere) return "one gathers elements of what the other computes";
    if (kinds & kResult) return "one uses a reduction that the other has yet to finish";
    const Program& p = *graph_.program;
    auto extent = [&](const ViewAccess& access) {
        return extent_of(p, p.operands[graph_.views[access.view].operand]);
    };
    if (same_set(extent(a), extent(b))) {
        return "they go through the same elements in different orders";
    }
    return "they touch overlapping views that differ";
}

const char* Legality::refusal(std::uint32_t a, std::uint32_t b) const {
    const char* loops = loop_refusal(loops_[a], loops_[b]);
    if (loops[0] != '\0') return loops;
    BlockState first, second;
    load(a, first);
    load(b, second);
    if (may_join(first, second)) return "";
    const std::uint32_t host = host_of(first.loop, second.loop);
    for (const ViewAccess& x : first.accesses) {
        for (const ViewAccess& y : second.accesses) {
            const bool one_base = graph_.views[x.view].base == graph_.views[y.view].base;
            if (one_base && !accesses_agree(x, y, host)) return access_refusal(x, y);
        }
    }
    return "together they are too large";
}

}  // namespace hassium
