// Failed allocations of arrays.
#pragma once

#include <cstdint>
#include <utility>

#include "base/error.hpp"
#include "base/small_vec.hpp"
#include "base/types.hpp"
#include "record/base.hpp"
#include "runtime/platform.hpp"

namespace hassium {

// Thrown where the array is made if the failure is known there, else where its values are needed.
class AllocationError : public UserError {
  public:
    AllocationError(Dims shape, DType dtype)
        : UserError(ErrorKind::Memory, "Unable to allocate an array"),
          shape_(std::move(shape)),
          dtype_(dtype) {}
    const Dims& shape() const { return shape_; }
    DType dtype() const { return dtype_; }

  private:
    Dims shape_;
    DType dtype_;
};

// Returns whether an array of `bytes` exceeds all memory that the process may have.
inline bool exceeds_memory(std::int64_t bytes) {
    constexpr std::int64_t kAlwaysThere = std::int64_t{1} << 28;  // the query to the system is slow
    return bytes > kAlwaysThere && bytes > platform::most_allocatable();
}
// Throws if the view's base exceeds memory, before anything is computed. Call where a program makes
// an array explicitly; results of operations may never be materialized.
inline void require_memory(const View& view) {
    if (exceeds_memory(view.base->bytes)) throw AllocationError(Dims(view.shape), view.dtype);
}

}  // namespace hassium
