// The cost models, one file each. Paper: "Fusion of Array Operations at Runtime". Its models count
// views of bases: `new` and `del` are per base, and a `del` saves nothing for a base that the
// program syncs, since its data remain visible.
#pragma once

#include "fuse/cost/cost.hpp"

namespace hassium {

// Returns whether the deletion of a base in a block saves that block its writes to it.
inline bool del_counts(const BaseLife& life) { return life.deleted != kNone && !life.synced; }

std::vector<std::uint32_t> blocks_of(const Partition& partition, std::size_t count);

double bohrium_cost(const Costing& costing, const Partition& partition);
Nets bohrium_nets(const Costing& costing);

double max_contract_cost(const Costing& costing, const Partition& partition);
Nets max_contract_nets(const Costing& costing);

double max_locality_cost(const Costing& costing, const Partition& partition);
Nets max_locality_nets(const Costing& costing);

double robinson_cost(const Costing& costing, const Partition& partition);
Nets robinson_nets(const Costing& costing);

double machine_cost(const Costing& costing, const Partition& partition);
Nets machine_nets(const Costing& costing);
double machine_extra(const Costing& costing, std::span<const std::uint32_t> members);

}  // namespace hassium
