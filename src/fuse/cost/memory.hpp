// Computes the peak memory of a partition, and makes partitions that hold no more than the program
// would without fusion.
//
// Merging pays for every array that two operations read, however far apart they are in the program:
// twenty steps that read one array and each make another end up in one block, and twenty arrays are
// alive where the program, run one operation at a time, holds one. The cost models count traffic
// alone, so memory is an additional bound: a program whose partition exceeds it is cut where few
// bytes are alive, each part is partitioned by itself, and the parts run one after another.
#pragma once

#include <cstdint>
#include <vector>

#include "fuse/fuse.hpp"
#include "fuse/legal/guards.hpp"
#include "fuse/partition.hpp"
#include "program/program.hpp"

namespace hassium {

// Returns the peak bytes in addition to the program's inputs. Arrays that live and die inside a
// block take none; others are alive from their first block to their last if they die.
std::int64_t peak_bytes(const Program& program, const std::vector<Block>& blocks);
// Returns whether the program makes so few bytes that no partition of it can swell.
bool makes_little(const Program& program);
// Returns whether the partition's peak exceeds that of one operation at a time, plus some slack.
bool swells(const Program& program, const Partition& partition);

// Returns partition() of the program if that does not swell, otherwise the concatenated partitions
// of parts that do not; their guards are discarded, since other extents may need another cut.
Partition partition_within_memory(const Program& program, const FuseOptions& options,
                                  std::vector<Guard>& guards);

}  // namespace hassium
