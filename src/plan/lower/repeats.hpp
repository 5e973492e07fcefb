// Lets phases recompute results of earlier phases where that is cheaper than a store and a load: by
// one cheap operation on operands that are in memory anyway and do not change.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/lower/rows.hpp"

namespace hassium {

struct RepeatedWork {
    PhaseList phases;
    std::vector<std::uint32_t> bases;  // recomputed: no phase reads those that another wrote
};
RepeatedWork repeat_cheap_work(const LoweringContext& context, const PhaseList& once);

}  // namespace hassium
