// The costly way of a flush: how its program is cut, and what follows from that, plans and code.
#pragma once

#include "engine/cache/merge_cache.hpp"
#include "rewrite/rewrite.hpp"

namespace hassium {

// The form of a recorded program; `rewritten`: what passes make of it, or null.
std::shared_ptr<FinishedForm> finished_form(const Program& recorded,
                                            const RewrittenProgram* rewritten);
// Whether a program whose symbolic key is that of the form's has the form in all but numbers: where
// passes changed it, its instructions come from the same recorded ones.
bool has_form(const FinishedForm& form, const Program& recorded, const RewrittenProgram* rewritten);
// The constants of a run of the form: those recorded, and those of the passes.
std::vector<Constant> constants_of(const FinishedForm& form, const Program& recorded);
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
// Binds plans and codes to the numbers of a program of the family, without dels. Blocks for which
// planning would decide otherwise are planned anew and counted. Returns how many instructions these
// have.
std::size_t rebind_blocks(CachedFlush& flush, const Program& program);
// Gives a flush's program the numbers that it is bound to. That is left until a reader wants
// them: kernels do not, and to carry them over takes as long as to check them.
void number(CachedFlush& flush, const Program& program);
// A copy that shares no plans or code.
std::shared_ptr<CachedFlush> copy_of(const CachedFlush& flush);

}  // namespace hassium
