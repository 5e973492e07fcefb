// Recording backoff: stops recording small operations while it does not pay.
//
// A known flush costs next to nothing. A new one has to be planned, which takes microseconds per
// instruction: a loop over rows or windows in random order plans each of its flushes, and on few
// elements that takes longer than running the operations one by one. So the cost of planning is
// compared with the savings of fusion, and if it is higher, flush after flush, small operations are
// not recorded for a while. Costs are estimates, not measurements: the same program backs off at
// the same place.
#pragma once

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstddef>
#include <cstdint>

#include "ops/op_info.hpp"
#include "program/program.hpp"
#include "record/thresholds.hpp"

namespace hassium {

// Planning cost of a flush and its estimated savings by fusion, in seconds.
struct Price {
    double planning = 0, spared = 0;
};

// Returns the kind of an operation, by which programs are told apart: the row and, for maps and
// reductions, the number of elements to a factor of two.
inline std::uint32_t kind_of(Op op, Method method, DType compute, std::int64_t elements) {
    const bool plain = info(op).is_elementwise() || info(op).is_arg_reduction();
    const auto log2 = static_cast<std::uint32_t>(
        std::bit_width(static_cast<std::uint64_t>(plain ? elements : 0)));
    return static_cast<std::uint32_t>(op) | static_cast<std::uint32_t>(method) << 8 |
           static_cast<std::uint32_t>(compute) << 12 | log2 << 16;
}

class RecordingBackoff {
  public:
    // Notes the end of a flush of `program` planned under `settings`. Other settings need new plans
    // even for a program that repeats, so they reset the state.
    void flushed(const Price& price, const Program& program, std::uint64_t settings) {
        if (settings != settings_) {
            *this = {};
            settings_ = settings;
        }
        const std::size_t instructions = program.instructions.size();
        owed_ = std::clamp(owed_ + price.planning - price.spared, 0.0, kMostOwed);
        const double each = price.planning / static_cast<double>(instructions);
        if (each > threshold_seconds(Threshold::backoff_known)) {
            // A full queue without a period shows by itself that the program does not repeat.
            const bool full =
                length_ == kShortest && instructions >= threshold_count(Threshold::backoff_full);
            planned_ += full ? kFlushes : 1;
            full_ |= full;
            // Flushes planned during a backoff are of operations too large for the eager path.
            if (left_ > 0 && ++larger_ == kFlushes) plans_anew_ = true;
        } else if (instructions >= threshold_count(Threshold::backoff_reset)) {
            planned_ = 0;
            length_ = kShortest;
            larger_ = 0;
            full_ = false;
        }
        if (left_ > 0 || planned_ < kFlushes || owed_ < kMostOwed) return;
        left_ = length_;
        larger_ = 0;
        length_ = std::min(2 * length_, threshold(Threshold::backoff_longest));
        plans_anew_ = each >= threshold_seconds(Threshold::backoff_anew);
        know(program);
    }
    bool active() const { return left_ > 0; }
    // Returns whether the flushes before the backoff were planned anew, not bound to other numbers.
    bool plans_anew() const { return plans_anew_; }
    // Notes an operation that was not recorded because of the backoff.
    void called(std::uint32_t kind) {
        if (left_ == 0) return;
        strange_ = std::max(strange_ + (kinds_[slot(kind)] ? -1 : 2), 0);
        if (strange_ > threshold(Threshold::backoff_unknown)) *this = {};
        if (left_ > 0 && --left_ == 0) end();
    }
    // Lets a loop plan its set-up and one repetition before the next backoff.
    void end() {
        left_ = 0;
        planned_ = std::min(planned_, full_ ? kFlushes - 1 : kFlushes - 3);
    }
    // Returns whether the next flush measures if recording pays by now.
    bool trying() const { return length_ > kShortest && left_ == 0; }
    // Returns whether the program had no period for so long that waiting for one is pointless.
    bool aperiodic() const { return full_ && trying(); }

  private:
    static constexpr auto kFlushes = static_cast<int>(threshold(Threshold::backoff_flushes));
    static constexpr double kMostOwed = threshold_seconds(Threshold::backoff_loss);
    static constexpr std::int64_t kShortest = threshold(Threshold::backoff_first);
    static constexpr std::size_t kSlots = 256;

    int planned_ = 0, larger_ = 0, strange_ = 0;
    bool plans_anew_ = false;
    bool full_ = false;  // the queue was, before the backoff
    double owed_ = 0;
    std::int64_t left_ = 0, length_ = kShortest;
    std::uint64_t settings_ = 0;
    std::bitset<kSlots> kinds_;

    static std::size_t slot(std::uint32_t kind) { return kind * 0x9e3779b1u >> 24; }
    void know(const Program& program) {
        strange_ = 0;
        kinds_.reset();
        for (const Instruction& i : program.instructions) {
            const std::int64_t elements = element_count(program.iteration_shape(i));
            kinds_[slot(kind_of(i.op, i.method, i.compute, elements))] = true;
        }
    }
};

}  // namespace hassium
