// How soon results are read. A program that reads again and again after a few operations has
// nothing to fuse: on small arrays a flush would cost more than the operations do at the call.
#pragma once

#include <algorithm>

namespace hassium {

struct Base;

class ReadHabit {
  public:
    void recorded(const Base* result) {
        ++operations_;
        last_ = result;
    }
    // Reads of older results say nothing about those under way.
    void read(const Base& base) {
        if (&base != last_) return;
        last_ = nullptr;
        streak_ = operations_ <= kFew ? std::min(streak_ + 1, kEnough) : 0;
        alone_ = operations_ == 1 ? std::min(alone_ + 1, kEnough) : 0;
        operations_ = 0;
    }
    bool soon() const { return streak_ == kEnough && operations_ <= kFew; }
    // Is each result read before there is another?
    bool at_once() const { return alone_ == kEnough && operations_ == 1; }

  private:
    static constexpr int kFew = 3;
    static constexpr int kEnough = 3;  // in a row
    int operations_ = 0, streak_ = 0, alone_ = 0;
    const Base* last_ = nullptr;  // compared, never followed
};

// Of the process, under the host's lock.
inline ReadHabit& read_habit() {
    static ReadHabit habit;
    return habit;
}

}  // namespace hassium
