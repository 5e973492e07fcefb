// Positions of what is true in memory that is ready, and elements there, on all cores.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace hassium {

// The least and the largest of n > 0 positions.
std::pair<std::int64_t, std::int64_t> least_and_most(const std::int64_t* positions, std::int64_t n);

std::int64_t count_true(const char* bools, std::int64_t n);

// The elements of `item` bytes, `stride` bytes from one position to the next, where such bools are
// true.
void take_true(const char* bools, std::int64_t rows, std::int64_t columns, std::int64_t pitch,
               std::int64_t item, const char* from, std::int64_t stride,
               const std::function<char*(std::int64_t)>& place);
// Writes `count` elements to where n bools are true; nothing, and false, where these are not so
// many.
bool put_true(const char* bools, std::int64_t n, std::int64_t item, const char* in,
              std::int64_t count, char* to, std::int64_t stride);

}  // namespace hassium
