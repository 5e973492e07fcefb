// Parallel selection by masks, and the range of positions, in memory that is ready.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace hassium {

// Returns the least and the largest of n > 0 positions.
std::pair<std::int64_t, std::int64_t> least_and_most(const std::int64_t* positions, std::int64_t n);

std::int64_t count_true(const char* bools, std::int64_t n);

// Copies the elements of `item` bytes, `stride` bytes apart, whose bool is true to place(their
// count).
void take_true(const char* bools, std::int64_t rows, std::int64_t columns, std::int64_t pitch,
               std::int64_t item, const char* from, std::int64_t stride,
               const std::function<char*(std::int64_t)>& place);
// Writes `count` elements to the positions where n bools are true. Returns false, writing nothing,
// if not exactly `count` are true.
bool put_true(const char* bools, std::int64_t n, std::int64_t item, const char* in,
              std::int64_t count, char* to, std::int64_t stride);

}  // namespace hassium
