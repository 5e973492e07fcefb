// How soon results are read. A program that reads again and again after a few operations has little
// to fuse: on small arrays a flush costs more than running the operations at the call.
#pragma once

#include <algorithm>

#include "record/thresholds.hpp"

namespace hassium {

struct Base;

class ReadHeuristic {
  public:
    void recorded(const Base* result) {
        if (operations_ <= kMost) ++operations_;
        last_ = result;
    }
    // Notes that a result was copied at once: reads of the copy count as reads of it.
    void copied(const Base& from, const Base& to) {
        if (last_ == &from) last_ = &to;
    }
    // Notes a read. Reads of older results say nothing about the current ones.
    void read(const Base& base) {
        if (&base != last_) return;
        last_ = nullptr;
        std::shift_right(before_, before_ + kReads, 1);
        before_[0] = operations_;
        usual_ = *std::max_element(before_, before_ + kReads);
        operations_ = 0;
    }
    // Returns how many operations usually precede a read if that read is near, else 0.
    int operations_to_read() const { return usual_ <= kMost && operations_ <= usual_ ? usual_ : 0; }

  private:
    static constexpr auto kMost = static_cast<int>(threshold(Threshold::read_soon));
    static constexpr auto kReads = static_cast<int>(threshold(Threshold::reads_counted));
    int operations_ = 0;  // since the last read
    int before_[kReads] = {kMost + 1, kMost + 1, kMost + 1};
    int usual_ = kMost + 1;
    const Base* last_ = nullptr;  // compared, never followed
};

}  // namespace hassium
