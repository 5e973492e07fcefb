// Positions of what is true in memory that is ready, on all cores.
#pragma once

#include <cstdint>
#include <functional>

namespace hassium {

// Of `rows` rows of `columns` bools, one behind the other; a position is `pitch` times the number
// of the row, plus the place in it. `place` is told how many there are and gives the memory for
// them.
void true_positions(const char* bools, std::int64_t rows, std::int64_t columns, std::int64_t pitch,
                    const std::function<std::int64_t*(std::int64_t)>& place);

}  // namespace hassium
