// Whether two views touch a common byte. Exact where the effort is bounded, else "yes", counted.
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
// Bounding boxes first, then a diophantine test with bounded effort; conservative when it gives up
// (Counter::overlap_unknown).
bool may_overlap(const Extent& a, const Extent& b);
// Whether every byte of u is a byte of v. They are given to lie between the first and the last byte
// of v, which are `range` bytes. Only says yes when that is plain: v is a solid run of bytes, or u
// takes steps of v's own strides.
bool plainly_within(const Extent& u, const Extent& v, std::int64_t range);
// Whether the view touches one byte twice (a broadcast destination).
bool overlaps_itself(const Extent& a);
// First byte and one past the last byte touched; equal when the view is empty.
void byte_bounds(const Extent& a, std::int64_t& first, std::int64_t& last);

}  // namespace hassium
