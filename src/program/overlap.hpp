// Tests whether views share a byte. Exact within bounded effort, else "yes", which is counted.
#pragma once

#include <cstdint>
#include <span>

#include "base/types.hpp"

namespace hassium {

// Geometry of one view of one base, strides in bytes.
struct Extent {
    std::int64_t offset;
    std::int64_t itemsize;
    std::span<const std::int64_t> shape;
    std::span<const std::int64_t> strides;
};

bool same_view(const Extent& a, const Extent& b);
// Returns whether two views share a byte: compares bounding boxes, then solves a Diophantine
// equation with bounded effort; true when that gives up (Counter::overlap_unknown).
bool may_overlap(const Extent& a, const Extent& b);
// Returns whether every byte of `u` is a byte of `v`, if that is cheap to prove: `v` is contiguous,
// or `u` steps by strides of `v`; else false. `u` must lie between the first and last byte of `v`,
// which span `range` bytes.
bool plainly_within(const Extent& u, const Extent& v, std::int64_t range);
// Returns whether the view contains one byte twice (a broadcast destination).
bool overlaps_itself(const Extent& a);
// Sets the first byte and one past the last byte of the view; equal if it is empty.
void byte_bounds(const Extent& a, std::int64_t& first, std::int64_t& last);

}  // namespace hassium
