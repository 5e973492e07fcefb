// Contiguous elements of a routine's operand. Internal to exec.
#pragma once

#include <vector>

#include "program/routine.hpp"

namespace hassium {

// Copies the elements in C order to `to`.
void pack(const BoundView& view, char* to);
std::int64_t element_count(const BoundView& view);

// The elements in C order: in place if they are contiguous, otherwise a copy.
class Packed {
  public:
    explicit Packed(const BoundView& view);
    const char* data() const { return data_; }

  private:
    std::vector<char> copy_;
    const char* data_;
};

}  // namespace hassium
