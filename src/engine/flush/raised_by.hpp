// Which instructions of a block raised the conditions that the processor shows for all of it.
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
    std::vector<std::uint8_t> flags;  // FpFlag bits of each, as far as they are
    std::vector<std::uint8_t> known;  // FpFlag bits
};

// Runs the instructions of a block again, one by one in program order, on memory of their own. The
// block has just run and nothing that it read is released. Of an instruction whose operand the
// block has overwritten the result tells, if that is still there: nan where no other operand is
// nan, inf where none is inf, if some value could have raised that there. `existed`: by base, had
// it memory before the block? Throws std::bad_alloc.
RaisedBy test_each(const Program& program, std::span<const std::uint32_t> instructions,
                   std::span<const Binding> bases, const std::vector<bool>& existed);

// Answers for blocks that come again: a loop that raises a condition in every step would take
// several times as long if each step were tested. So a block is tested when it raises conditions
// for the first, second, fourth, eighth .. time, and between has its last answer. Thread-safe.
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
    // Every block is tested anew: warnings are counted from here on.
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
