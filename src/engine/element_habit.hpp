// What becomes of elements that are read from pending arrays. Where they go straight into
// operations on arrays, nobody needs to know them: reading is deferred (record/deferred_reads.hpp).
#pragma once

namespace hassium {

class ElementHabit {
  public:
    // An element was waited for, and became a number.
    void waited() {
        if (!used_) fed_ = 0;
        used_ = false;
    }
    // That number is an operand of an operation on arrays.
    void used() {
        if (!used_ && fed_ < kFed) ++fed_;
        used_ = true;
    }
    // A deferred one was wanted for itself.
    void missed() {
        fed_ = 0;
        used_ = true;
    }
    bool defers() const { return fed_ == kFed; }

  private:
    static constexpr int kFed = 4;  // in a row that tell what is usual
    int fed_ = 0;
    bool used_ = true;  // the last one
};

// Of the process, under the host's lock.
inline ElementHabit& element_habit() {
    static ElementHabit habit;
    return habit;
}

}  // namespace hassium
