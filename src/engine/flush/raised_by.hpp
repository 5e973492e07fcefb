// Finds the instructions of a block that raised the floating-point exceptions of the whole block.
// Private to src/engine.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "program/program.hpp"

namespace hassium {

// By instruction of the program.
struct RaisedBy {
    std::vector<std::uint8_t> flags;  // FpFlag bits that each raised, of those known
    std::vector<std::uint8_t> known;  // FpFlag bits for which `flags` is valid
};

// Runs the instructions of a block again, one by one in program order, on memory of their own. The
// block has just run and none of its inputs is released. If the block has overwritten an operand,
// the result decides, if it is still there: NaN where no other operand is NaN, inf where none is
// inf, if some value could have raised that there. `existed`: by base, whether it had memory before
// the block. Throws std::bad_alloc.
RaisedBy test_each(const Program& program, std::span<const std::uint32_t> instructions,
                   std::span<const Binding> bases, const std::vector<bool>& existed);

// Results of test_each by block: a loop that raises an exception in every step would take several
// times as long if each step were tested. So a block is tested when it raises for the first,
// second, fourth, eighth .. time, and reuses its last result in between. Thread-safe.
class RaisedAnswers {
  public:
    template <class Test>
    std::shared_ptr<const RaisedBy> of(std::uint64_t block, Test test) {
        {
            std::lock_guard guard(lock_);
            if (answers_.size() >= kMost) answers_.clear();
            Answer& answer = answers_[block];
            if (++answer.times != answer.next && answer.raised_by) return answer.raised_by;
            answer.next = 2 * answer.times;
        }
        auto raised_by = std::make_shared<const RaisedBy>(test());
        std::lock_guard guard(lock_);
        answers_[block].raised_by = raised_by;
        return raised_by;
    }
    // Forgets all results, so that every block is tested again: warnings are counted from here on.
    void clear() {
        std::lock_guard guard(lock_);
        answers_.clear();
    }

  private:
    static constexpr std::size_t kMost = 256;
    struct Answer {
        std::uint64_t times = 0, next = 1;
        std::shared_ptr<const RaisedBy> raised_by;
    };
    std::mutex lock_;
    std::unordered_map<std::uint64_t, Answer> answers_;
};

}  // namespace hassium
