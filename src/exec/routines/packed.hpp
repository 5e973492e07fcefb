// The elements of a routine's operand side by side. Internal to exec.
#pragma once

#include <vector>

#include "program/routine.hpp"

namespace hassium {

bool is_contiguous(const BoundView& view);
// Copies the elements in C order to `to`.
void pack(const BoundView& view, char* to);
std::int64_t element_count(const BoundView& view);

// The elements in C order: in place where they are contiguous, else a copy of them.
class Packed {
  public:
    explicit Packed(const BoundView& view);
    const char* data() const { return data_; }

  private:
    std::vector<char> copy_;
    const char* data_;
};

}  // namespace hassium
