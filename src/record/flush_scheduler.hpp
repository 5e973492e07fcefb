// The flush scheduler: chooses the number of instructions of a queue's automatic flushes, in whole
// flush periods.
//
// Planning a new flush takes microseconds per instruction, finding a known one next to nothing. So
// a loop is flushed in units of a few periods, of which only the first has to be planned. Longer
// units fuse more, since arrays alive between two units must be stored; they are tried once the
// known units have run so long that another plan is negligible. With background flushes
// (engine/background/background_flush.cpp) the first flush after a wait is small, so that the other
// core has work soon, and each next one has twice as many instructions. Decisions rest on
// instruction counts and estimates, so that a program is cut the same way each time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "record/thresholds.hpp"

namespace hassium {

class FlushScheduler {
  public:
    // Resets the counters: the queue is empty.
    void begin() {
        looks_ = 0;
        repeats_ = place_ = 0;
    }
    // Notes that an instruction of this kind was recorded after `index` pending ones.
    void recorded(std::uint64_t kind, std::size_t index) {
        if (repeats_ != index || units_.empty()) return;
        const std::vector<std::uint64_t>& period = units_.front().period;
        if (kind != period[place_]) return;
        ++repeats_;
        place_ = place_ + 1 < period.size() ? place_ + 1 : 0;
    }
    // Returns the instructions to flush now because the pending ones repeat the last unit, plus one
    // period that shows which of its results die; else 0.
    std::size_t unit_due() const {
        return !small_ && repeats_ >= enough() ? units_.front().size : 0;
    }
    // Returns whether it is too early to look for a period, with `pending` instructions of which
    // `fresh` are not deferred. `trying`: use shorter flushes to measure whether recording pays.
    bool early(std::size_t pending, std::size_t fresh, std::size_t limit, bool trying) const {
        if (!small_ && repeats_ == pending && enough() <= limit) return true;
        const int first = trying ? kMostLooks : first_look_;
        return fresh < limit >> std::max(first - looks_, 0);
    }
    void looked() { ++looks_; }
    // Returns where to cut `pending` instructions of a loop with this period; 0 if its units are
    // longer.
    std::size_t cut(std::span<const std::uint64_t> period, std::size_t pending, std::size_t limit) {
        const std::size_t p = period.size(), most = p * ((pending - p) / p);
        if (small_) return std::clamp(p * (std::min(pending, limit) * 3 / 4 / p), p, most);
        auto same = [&](const Unit& u) { return std::ranges::equal(u.period, period); };
        auto found = std::ranges::find_if(units_, same);
        if (found == units_.end()) {
            if (units_.size() == kUnits) units_.pop_back();
            const std::size_t wanted = p * ((std::min(kUnit, limit) + p / 2) / p);
            units_.insert(units_.begin(),
                          {{period.begin(), period.end()}, std::clamp(wanted, p, most)});
        } else {
            std::rotate(units_.begin(), found, found + 1);
        }
        repeats_ = pending;
        place_ = pending % p;
        if (enough() > limit) return most;
        return units_.front().size <= most ? units_.front().size : 0;
    }

    // Notes an automatic flush of `seconds` and whether its plan was known. `longer`: it could run
    // in the background if it were longer.
    void flushed(bool known, double seconds, bool longer) {
        some_ = true;
        all_known_ &= known;
        if (small_) {
            first_look_ -= first_look_ > (longer ? kLeastLooks : kSmallLooks);
            return;
        }
        if (known) cut_anew_ = false;
        if (known && !units_.empty() && units_.front().size < kLonger * kUnit) {
            Unit& unit = units_.front();
            // If longer units would run in the background, all of the time is saved.
            unit.spared += (longer ? 1 : threshold_share(Threshold::unit_spared)) * seconds;
            const double plan =
                threshold_seconds(Threshold::unit_plan) * static_cast<double>(kLonger * unit.size);
            if (unit.spared < 2 * plan) return;
            unit.size *= kLonger;
            cut_anew_ = true;
        }
    }
    // Notes that a thread waited for a flush.
    void waited() {
        if (some_) known_ = all_known_;
        some_ = false;
        all_known_ = true;
        cut_anew_ = false;
        begin_as_usual();
    }
    void begin_as_usual() {
        first_look_ = kLooks;
        small_ = false;
    }
    // Starts small flushes of at least `least` instructions. Estimates that differ by less than a
    // factor of two change no cuts.
    void begin_small(std::size_t least, std::size_t limit) {
        int look = kMostLooks;
        while (look >= kSmallLooks && limit >> look < least) --look;
        if (std::abs(look - small_look_) > 1) {
            small_look_ = look;
            cut_anew_ = true;
        }
        if (small_look_ < kSmallLooks) return;
        small_ = true;
        first_look_ = small_look_;
    }
    void end_small() { small_look_ = 0; }
    bool small() const { return small_; }
    // Returns whether flushes may become small. Other cuts need other plans, so not before all are
    // known.
    bool may_be_small() const { return small_look_ > 0 || known_; }
    // Returns whether flushes are cut differently than before: new plans then say nothing about the
    // program, until a thread waits or a unit is known again.
    bool cut_anew() const { return cut_anew_; }

  private:
    // A whole number of periods.
    struct Unit {
        std::vector<std::uint64_t> period;  // kinds of instructions
        std::size_t size;                   // instructions
        double spared = 0;                  // seconds that longer units would have saved
    };
    static constexpr std::size_t kUnits = 8;  // number of loops remembered
    static constexpr std::size_t kUnit = threshold_count(Threshold::unit_instructions);
    static constexpr std::size_t kLonger = threshold_count(Threshold::unit_growth);
    static constexpr auto kLooks = static_cast<int>(threshold(Threshold::first_look));
    static constexpr auto kMostLooks = static_cast<int>(threshold(Threshold::look_after_pause));
    static constexpr auto kSmallLooks = static_cast<int>(threshold(Threshold::small_look));
    static constexpr auto kLeastLooks = static_cast<int>(threshold(Threshold::long_look));

    // Returns the number of repeating instructions after which the next unit is due.
    std::size_t enough() const {
        return units_.empty() ? SIZE_MAX : units_.front().size + units_.front().period.size();
    }

    std::vector<Unit> units_;  // most recent first
    std::size_t repeats_ = 0;  // how many of the pending instructions repeat its period
    std::size_t place_ = 0;    // position in the period after them
    int first_look_ = kLooks;  // log2 of the divisor of the limit at the first search
    int looks_ = 0;            // searches since the last job
    bool small_ = false;
    int small_look_ = 0;                    // log2 for the first small flush; 0: none
    bool some_ = false, all_known_ = true;  // of the flushes since the last wait
    bool known_ = false;                    // whether all flushes before that wait were known
    bool cut_anew_ = false;
};

}  // namespace hassium
