// An array that there is no memory for.
#pragma once

#include <cstdint>
#include <utility>

#include "base/error.hpp"
#include "base/small_vec.hpp"
#include "base/types.hpp"
#include "record/base.hpp"
#include "runtime/platform.hpp"

namespace hassium {

// Raised where the array would be made, if it is known there; else where its values are wanted.
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

// Whether an array of so many bytes is larger than all memory that the process may have.
inline bool exceeds_memory(std::int64_t bytes) {
    constexpr std::int64_t kAlwaysThere = std::int64_t{1} << 28;  // asking the system takes a while
    return bytes > kAlwaysThere && bytes > platform::most_allocatable();
}
// Refuses such an array, of which nothing has been computed. Asked where a program makes an array
// of its own; results of operations may never exist as arrays.
inline void require_memory(const View& view) {
    if (exceeds_memory(view.base->bytes)) throw AllocationError(Dims(view.shape), view.dtype);
}

}  // namespace hassium
