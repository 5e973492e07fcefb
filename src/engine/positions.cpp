#include "engine/positions.hpp"

#include "exec/true_positions.hpp"

namespace hassium {

void true_positions(const char* bools, std::int64_t rows, std::int64_t columns, std::int64_t pitch,
                    const std::function<std::int64_t*(std::int64_t)>& place) {
    const TruePositions found({bools, rows, columns, pitch});
    found.store(place(found.count()));
}

}  // namespace hassium
