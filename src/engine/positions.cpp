#include "engine/positions.hpp"

#include "exec/routines/nonzero.hpp"
#include "exec/routines/position_range.hpp"

namespace hassium {

void nonzero_positions(const char* bools, std::int64_t rows, std::int64_t columns,
                       std::int64_t pitch,
                       const std::function<std::int64_t*(std::int64_t)>& place) {
    const NonzeroPositions found({bools, rows, columns, pitch});
    found.store(place(found.count()));
}

std::pair<std::int64_t, std::int64_t> least_and_most(const std::int64_t* positions,
                                                     std::int64_t n) {
    const PositionRange range = position_range(positions, n);
    return {range.least, range.most};
}

std::int64_t count_true(const char* bools, std::int64_t n) {
    return NonzeroPositions({bools, 1, n, n}).count();
}

void take_true(const char* bools, std::int64_t rows, std::int64_t columns, std::int64_t pitch,
               std::int64_t item, const char* from, std::int64_t stride,
               const std::function<char*(std::int64_t)>& place) {
    const NonzeroPositions found({bools, rows, columns, pitch});
    found.take(place(found.count()), item, from, stride);
}

bool put_true(const char* bools, std::int64_t n, std::int64_t item, const char* in,
              std::int64_t count, char* to, std::int64_t stride) {
    const NonzeroPositions found({bools, 1, n, n});
    if (found.count() != count) return false;
    found.put(in, item, to, stride);
    return true;
}

}  // namespace hassium
