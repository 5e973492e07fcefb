// Whether recording pays.
//
// A flush that was seen before costs next to nothing. One that was not has to be planned, which
// takes microseconds an instruction: a loop over rows or windows in random order plans each of its
// flushes, and on few elements that takes longer than to run the operations one by one. So what
// plans cost is held against what fusion spares, and where it is more, flush after flush, small
// operations are not recorded for a while. Costs are estimates, not measurements: the same program
// pauses at the same place.
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

// What a flush cost beside running it, and what it is estimated to have spared; seconds.
struct Price {
    double planning = 0, spared = 0;
};

// For operations, as far as one program differs from another by it: what it does and, of maps and
// reductions, on how many elements, to a factor of two.
inline std::uint32_t kind_of(Op op, Method method, DType compute, std::int64_t elements) {
    const bool plain = info(op).is_elementwise() || info(op).is_arg_reduction();
    const auto log2 = static_cast<std::uint32_t>(
        std::bit_width(static_cast<std::uint64_t>(plain ? elements : 0)));
    return static_cast<std::uint32_t>(op) | static_cast<std::uint32_t>(method) << 8 |
           static_cast<std::uint32_t>(compute) << 12 | log2 << 16;
}

class RecordingBackoff {
  public:
    // A flush of this program is over, which was planned for these settings. For others everything
    // is planned anew, whatever repeats.
    void flushed(const Price& price, const Program& program, std::uint64_t settings) {
        if (settings != settings_) {
            *this = {};
            settings_ = settings;
        }
        const std::size_t instructions = program.instructions.size();
        owed_ = std::clamp(owed_ + price.planning - price.spared, 0.0, kMostOwed);
        const double each = price.planning / static_cast<double>(instructions);
        if (each > threshold_seconds(Threshold::backoff_known)) {
            // A queue that fills up without a period has shown it by itself.
            const bool full =
                length_ == kShortest && instructions >= threshold_count(Threshold::backoff_full);
            planned_ += full ? kFlushes : 1;
            full_ |= full;
            // What is planned in a pause is on more elements than are few.
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
    // Whether the flushes before it were planned anew, not bound to other numbers.
    bool plans_anew() const { return plans_anew_; }
    // An operation of this kind was not recorded because of the pause.
    void called(std::uint32_t kind) {
        if (left_ == 0) return;
        strange_ = std::max(strange_ + (kinds_[slot(kind)] ? -1 : 2), 0);
        if (strange_ > threshold(Threshold::backoff_unknown)) *this = {};
        if (left_ > 0 && --left_ == 0) end();
    }
    // A loop has its set-up and one repetition to be planned before the next pause.
    void end() {
        left_ = 0;
        planned_ = std::min(planned_, full_ ? kFlushes - 1 : kFlushes - 3);
    }
    // Whether the next flush measures if recording pays by now.
    bool trying() const { return length_ > kShortest && left_ == 0; }
    // Whether the program had no period for so long that there is no need to wait for one.
    bool aperiodic() const { return full_ && trying(); }

  private:
    static constexpr auto kFlushes = static_cast<int>(threshold(Threshold::backoff_flushes));
    static constexpr double kMostOwed = threshold_seconds(Threshold::backoff_loss);
    static constexpr std::int64_t kShortest = threshold(Threshold::backoff_first);
    static constexpr std::size_t kSlots = 256;

    int planned_ = 0, larger_ = 0, strange_ = 0;
    bool plans_anew_ = false;
    bool full_ = false;  // was the queue, before the pause
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
