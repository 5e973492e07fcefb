// Partitioning, planning and compiling of a flush that the cache does not have.
#pragma once

#include "engine/cache/merge_cache.hpp"
#include "rewrite/rewrite.hpp"

namespace hassium {

// Returns the form of a recorded program; `rewritten` is the result of the passes, or null.
std::shared_ptr<FinishedForm> finished_form(const Program& recorded,
                                            const RewrittenProgram* rewritten);
// Returns whether a program with the symbolic key of the form equals the form in all but numbers:
// if passes changed it, its instructions come from the same recorded ones.
bool has_form(const FinishedForm& form, const Program& recorded, const RewrittenProgram* rewritten);
// Returns the constants of a run of the form: the recorded ones, then those of the passes.
std::vector<Constant> constants_of(const FinishedForm& form, const Program& recorded);
// Returns the program that a flush runs, with values and origins. Sets `from` to the recorded
// instruction of each.
Program finished_program(const CachedFlush& flush, const Program& recorded,
                         std::vector<std::uint32_t>& from);

// Partitions a program as the settings say. `auto` is the exact partitioner with a time limit: the
// greedy partition, then a search for a proof that may take `partition_microseconds`, and at most a
// fraction of the estimated time of the program itself. So a flush that is not repeated never pays
// much for its partition.
Partition partition_flush(const Program& program, std::vector<Guard>& guards);

// Fills in plans, code and bytes saved, from the program, form and partition.
void plan_blocks(CachedFlush& flush);

// Fills in the rebindings and congruences, while the program still has the plans' numbers.
void prepare_rebinding(CachedFlush& flush);
// Binds plans and code to the numbers of a program of the family, without dels. Replans and counts
// the blocks for which planning would decide otherwise; returns how many instructions they have.
std::size_t rebind_blocks(CachedFlush& flush, const Program& program);
// Gives a flush's program the numbers that its plans are bound to. Done on demand: kernels do not
// need them, and copying takes as long as checking.
void number(CachedFlush& flush, const Program& program);
// Returns a copy that shares no plans or code.
std::shared_ptr<CachedFlush> copy_of(const CachedFlush& flush);

}  // namespace hassium
