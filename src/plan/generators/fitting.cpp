// Fitting: section 4 of the paper, last step.
//
// An interval that ends within a period is split into its whole periods and a rest, whose blocks
// end with it, so that no loop over a period needs a minimum. The rest refers to the same children.
#include <algorithm>
#include <utility>

#include "plan/generators/phases.hpp"

namespace hassium {
namespace {

NestIntervals fit_axis(NestIntervals intervals) {
    NestIntervals fitted;
    for (NestInterval& i : intervals) {
        const std::int64_t length = (i.upper - i.lower) % i.period;
        if (length == 0) {
            fitted.push_back(std::move(i));
            continue;
        }
        NestInterval rest{i.upper - length, i.upper, length, {}};
        for (const NestBlock& b : i.blocks) {
            if (b.offset >= length) break;
            rest.blocks.push_back({b.offset, std::min(b.width, length - b.offset), b.child});
        }
        const bool fills = !rest.blocks.empty() && rest.blocks[0].width == length;
        if (fills) rest.period = rest.blocks[0].width = 1;
        i.upper = rest.lower;
        fitted.push_back(std::move(i));
        if (!rest.blocks.empty()) fitted.push_back(std::move(rest));
    }
    return fitted;
}

}  // namespace

GeneratorNest fit(const GeneratorNest& nest) { return nest.map(fit_axis); }

}  // namespace hassium
