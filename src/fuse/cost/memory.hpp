// What a partition holds in memory at the same time, and partitions that hold no more than the
// program would without fusion.
//
// Merging pays for every array that two operations read, however far apart they stand: twenty
// steps that read one array and each make another end in one block, and twenty arrays live where
// the program, run an operation at a time, holds one. The cost models count traffic alone, so
// memory is a bound beside them: a program whose partition passes it is cut into pieces at places
// where few bytes live, each piece is partitioned by itself, and the pieces run one after another.
#pragma once

#include <cstdint>
#include <vector>

#include "fuse/fuse.hpp"
#include "fuse/legal/guards.hpp"
#include "fuse/partition.hpp"
#include "program/program.hpp"

namespace hassium {

// Bytes that the run adds to those of the program's inputs, at most at one time. Arrays that live
// and die inside a block do not exist; others do from their first block to their last if they die.
std::int64_t peak_bytes(const Program& program, const std::vector<Block>& blocks);
// The same for one operation after another.
std::int64_t peak_bytes(const Program& program);

// What a partition may hold: as much as the operations one at a time, and some slack.
std::int64_t allowed_bytes(const Program& program);
// Whether the program makes so few bytes that no partition of it can hold too many.
bool makes_little(const Program& program);
// Whether the partition holds more.
bool swells(const Program& program, const Partition& partition);

// partition() of the program if that does not swell, otherwise of pieces that do not, put together;
// their guards are lost then, since another cut may be right for other extents.
Partition partition_within_memory(const Program& program, const FuseOptions& options,
                                  std::vector<Guard>& guards);

}  // namespace hassium
