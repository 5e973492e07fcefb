// An array that no machine has the memory for.
#pragma once

#include "base/error.hpp"
#include "base/small_vec.hpp"
#include "base/types.hpp"

namespace hassium {

// Raised where the array would be made, as by NumPy: in the queue it would fail every flush.
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

}  // namespace hassium
