// Phases compute again what an earlier one has computed where that is cheaper than to store and
// load it: by one cheap operation on what is in memory anyhow and stays as it is.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/lower/rows.hpp"

namespace hassium {

struct RepeatedWork {
    PhaseList phases;
    std::vector<std::uint32_t> bases;  // of which no phase sees what another one has written
};
RepeatedWork repeat_cheap_work(const LoweringContext& context, const PhaseList& once);

}  // namespace hassium
