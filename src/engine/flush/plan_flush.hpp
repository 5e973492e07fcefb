// The costly way of a flush: how its program is cut, and what follows from that, plans and code.
#pragma once

#include "engine/cache/merge_cache.hpp"

namespace hassium {

// Finishes a recorded program as the rewrite passes change it, if they do (rewrite/rewrite.hpp).
void rewrite_form(const Program& recorded, FinishedForm& form);
// Whether they change it, or, with arrays of `any` size, would if it were larger.
bool is_rewritten(const Program& recorded, bool any = false);
// The program that a flush runs, with values and origins. `from` tells which recorded instruction
// each is.
Program finished_program(const CachedFlush& flush, const Program& recorded,
                         std::vector<std::uint32_t>& from);

// Cuts a program as the settings say. `auto` is the exact partitioner with little time: the greedy
// answer, then a search for a proof that may take `partition_microseconds`, and no longer than a
// share of the time that the program itself is estimated to take. So a flush that is not repeated
// never pays much for being cut well.
Partition partition_flush(const Program& program, std::vector<Guard>& guards);

// Fills in plans, codes and bytes saved; program, form and partition are there.
void plan_blocks(CachedFlush& flush);

// Finds out how its plans can be bound anew, while its program still has the plans' numbers.
void prepare_rebinding(CachedFlush& flush);
// Binds plans and codes to the numbers of a recorded program of the family. Blocks for which
// planning would decide otherwise are planned anew and counted. Returns how many instructions these
// have.
std::size_t rebind_blocks(CachedFlush& flush, const Program& recorded);
// Gives a flush's program the numbers that it is bound to. That is left until a reader wants
// them: kernels do not, and to carry them over takes as long as to check them.
void number(CachedFlush& flush, const Program& recorded);
// A copy that shares no plans or code.
std::shared_ptr<CachedFlush> copy_of(const CachedFlush& flush);

}  // namespace hassium
