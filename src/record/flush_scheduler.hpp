// The flush scheduler: how many instructions the automatic flushes of a queue have, in flush
// periods.
//
// One that is unknown takes microseconds an instruction to plan, and one that is known next to
// nothing. So a loop is flushed in units of a few periods, all of which but the first are known.
// Longer ones fuse more, since what is alive between two units need not be stored: they come where
// known ones have taken so long that a plan is nothing beside it. Where jobs go aside
// (engine/background/background_flush.cpp) the first one after a wait is small, so that the other
// core has work soon, and each next one has twice as many instructions. Numbers of instructions and
// estimates decide, so that a program is cut the same way each time.
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
    // Nothing is pending.
    void begin() {
        looks_ = 0;
        repeats_ = place_ = 0;
    }
    // An instruction of this kind follows so many others that are pending.
    void recorded(std::uint64_t kind, std::size_t index) {
        if (repeats_ != index || units_.empty()) return;
        const std::vector<std::uint64_t>& period = units_.front().period;
        if (kind != period[place_]) return;
        ++repeats_;
        place_ = place_ + 1 < period.size() ? place_ + 1 : 0;
    }
    // Instructions of a flush that is due because those pending repeat the last unit, and go on
    // long enough to tell which of its results die.
    std::size_t unit_due() const {
        return !small_ && repeats_ >= enough() ? units_.front().size : 0;
    }
    // With so many pending, `fresh` of them since others were put off, is it too early to
    // look for a period? `trying`: shorter flushes are to tell whether recording pays.
    bool early(std::size_t pending, std::size_t fresh, std::size_t limit, bool trying) const {
        if (!small_ && repeats_ == pending && enough() <= limit) return true;
        const int first = trying ? kMostLooks : first_look_;
        return fresh < limit >> std::max(first - looks_, 0);
    }
    void looked() { ++looks_; }
    // Where to cut so many pending instructions of a loop with this period; 0: its units are
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

    // An automatic flush of so many seconds was known, or not. `longer`: it could go aside if it
    // were longer.
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
            // Where longer units would run in the background, all of the time is spared.
            unit.spared += (longer ? 1 : threshold_share(Threshold::unit_spared)) * seconds;
            const double plan =
                threshold_seconds(Threshold::unit_plan) * static_cast<double>(kLonger * unit.size);
            if (unit.spared < 2 * plan) return;
            unit.size *= kLonger;
            cut_anew_ = true;
        }
    }
    // A thread waited for a flush.
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
    // Small ones begin with so many instructions at the least. Estimates that differ by less than a
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
    // Other cuts make other flushes, to be planned anew: small ones not before all are known.
    bool may_be_small() const { return small_look_ > 0 || known_; }
    // Flushes are cut otherwise than before: that they are new tells nothing about the program,
    // until a thread waits, or a unit is known again.
    bool cut_anew() const { return cut_anew_; }

  private:
    // A whole number of periods.
    struct Unit {
        std::vector<std::uint64_t> period;  // kinds of instructions
        std::size_t size;                   // instructions
        double spared = 0;                  // seconds, if units had been longer
    };
    static constexpr std::size_t kUnits = 8;  // of the loops before
    static constexpr std::size_t kUnit = threshold_count(Threshold::unit_instructions);
    static constexpr std::size_t kLonger = threshold_count(Threshold::unit_growth);
    static constexpr auto kLooks = static_cast<int>(threshold(Threshold::first_look));
    static constexpr auto kMostLooks = static_cast<int>(threshold(Threshold::look_after_pause));
    static constexpr auto kSmallLooks = static_cast<int>(threshold(Threshold::small_look));
    static constexpr auto kLeastLooks = static_cast<int>(threshold(Threshold::long_look));

    // Instructions that repeat the unit until another one is due.
    std::size_t enough() const {
        return units_.empty() ? SIZE_MAX : units_.front().size + units_.front().period.size();
    }

    std::vector<Unit> units_;  // the last one first
    std::size_t repeats_ = 0;  // how many of the pending instructions repeat its period
    std::size_t place_ = 0;    // in the period, behind them
    int first_look_ = kLooks;  // for a period, as a power of two by which the limit is divided
    int looks_ = 0;            // taken since the last job
    bool small_ = false;
    int small_look_ = 0;                    // with which small flushes begin; 0: there are none
    bool some_ = false, all_known_ = true;  // of the flushes since the last wait
    bool known_ = false;                    // were all that came before it?
    bool cut_anew_ = false;
};

}  // namespace hassium
