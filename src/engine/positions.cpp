#include "engine/positions.hpp"

#include "exec/routines/extent.hpp"
#include "exec/routines/nonzero.hpp"

namespace hassium {

std::pair<std::int64_t, std::int64_t> least_and_most(const std::int64_t* positions,
                                                     std::int64_t n) {
    const IntegerExtent range = extent_of(DType::I64, reinterpret_cast<const char*>(positions), n);
    return {static_cast<std::int64_t>(range.least), static_cast<std::int64_t>(range.most)};
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
