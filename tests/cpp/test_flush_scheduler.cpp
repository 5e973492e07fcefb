// How many instructions automatic flushes have: units of loops, longer ones where that pays, small
// ones where jobs go aside.
#include "record/flush_scheduler.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "support/check.hpp"

using hassium::FlushScheduler;

namespace {

constexpr std::size_t kLimit = 4096;
using Cuts = std::vector<std::size_t>;

// A loop of so many instructions that is recorded so many times, and what is due meanwhile;
// `known`: every flush but the first.
struct Loop {
    FlushScheduler& cadence;
    std::size_t period;
    double seconds = 0;  // of a flush
    std::vector<std::uint64_t> kinds = {};
    Cuts cuts = {};

    void record(std::uint64_t kind) {
        cadence.recorded(kind, kinds.size());
        kinds.push_back(kind);
    }
    std::size_t due() {
        const std::size_t n = kinds.size();
        if (const std::size_t unit = cadence.unit_due()) return unit;
        if (cadence.early(n, n, kLimit, false)) return 0;
        cadence.looked();
        return n < 3 * period ? 0 : cadence.cut(std::span(kinds).first(period), n, kLimit);
    }
    void run(std::size_t instructions, bool longer = false,
             std::optional<bool> known = std::nullopt) {
        for (std::size_t k = 0; k < instructions; ++k) {
            record(k % period);
            const std::size_t cut = due();
            if (cut == 0) continue;
            CHECK(cut % period == 0 && cut < kinds.size());
            const bool first = cuts.empty() || cuts.back() != cut;
            cuts.push_back(cut);
            const Cuts left(kinds.begin() + static_cast<std::ptrdiff_t>(cut), kinds.end());
            kinds.clear();
            cadence.begin();
            for (std::uint64_t kind : left) record(kind);
            cadence.flushed(known.value_or(!first), seconds, longer);
        }
    }
    // Somebody reads: the rest is flushed.
    Cuts wait() {
        kinds.clear();
        cadence.begin();
        cadence.waited();
        return std::exchange(cuts, {});
    }
};

// Whatever the period: nothing but the first unit is planned.
void units_are_about_as_long_whatever_the_period() {
    for (std::size_t period : {1u, 7u, 40u, 70u, 100u, 400u}) {
        FlushScheduler cadence;
        Loop loop{cadence, period};
        loop.run(std::max<std::size_t>(256, 6 * period) + 6 * std::max<std::size_t>(96, period));
        const Cuts cuts = loop.wait();
        CHECK(cuts.size() >= 4);
        for (std::size_t cut : cuts)
            CHECK(cut == cuts[0] && cut <= 2 * std::max<std::size_t>(96, period));
    }
}

// Units grow once, where that is worth a plan: of 384 instructions one takes 768 us, so longer ones
// come after 15.4 ms, of which they would have spared a tenth, or 1.54 ms that could have gone
// aside.
void units_grow_where_that_is_worth_a_plan() {
    auto of = [](double seconds, bool longer) {
        FlushScheduler cadence;
        Loop loop{cadence, 3, seconds};
        loop.run(10'000, longer);
        CHECK(!cadence.small());
        const Cuts cuts = loop.wait();
        const auto units = static_cast<std::size_t>(std::count(cuts.begin(), cuts.end(), 96u));
        CHECK(static_cast<std::size_t>(std::count(cuts.begin(), cuts.end(), 384u)) ==
              cuts.size() - units);
        return units;
    };
    CHECK(of(1e-6, false) > 100);
    CHECK(of(1e-3, false) == 17);
    CHECK(of(15e-6, false) > 100);
    CHECK(of(1e-6, true) > 100);
    CHECK(of(20e-6, true) == 78);
}

// They stay so when the loop comes again, whatever came between.
void units_of_a_loop_are_remembered() {
    FlushScheduler cadence;
    Loop loop{cadence, 3, 1e-3}, other{cadence, 5};
    while (loop.cuts.size() < 17) loop.run(3);
    CHECK(cadence.cut_anew());
    loop.run(801);  // one that is new, and one that is known
    CHECK(!cadence.cut_anew());
    CHECK(loop.wait().back() == 384);
    other.run(1000);
    const Cuts others = other.wait();
    CHECK(others == Cuts(others.size(), 95) && others.size() >= 8);
    loop.run(1500);
    CHECK(loop.wait() == Cuts(3, 384));
    loop.run(380);
    CHECK(loop.wait().empty());
}

// Small ones begin after an interval all of whose flushes were known.
void what_is_known_may_be_small() {
    FlushScheduler cadence;
    Loop loop{cadence, 3};
    loop.run(1000);
    loop.wait();
    CHECK(!cadence.may_be_small());
    loop.run(1000, false, true);
    loop.wait();
    CHECK(cadence.may_be_small());
    loop.wait();  // no flush tells nothing
    CHECK(cadence.may_be_small());
    loop.run(1000, false, false);
    loop.wait();
    CHECK(!cadence.may_be_small());
}

// What is estimated about jobs changes a little, and the flushes that are known are those that were
// cut before.
void small_ones_stay_as_they_are() {
    FlushScheduler cadence;
    Loop loop{cadence, 3};
    cadence.begin_small(100, kLimit);
    CHECK(cadence.small() && cadence.may_be_small() && cadence.cut_anew());
    for (std::size_t least : {60u, 100u, 200u}) {
        cadence.waited();
        cadence.begin_small(least, kLimit);
        CHECK(cadence.small() && !cadence.cut_anew());
    }
    cadence.begin_small(30, kLimit);
    CHECK(cadence.cut_anew());
    loop.run(3000, false, true);
    const Cuts worth = loop.wait();
    CHECK(worth[0] == 24 && worth[1] == 48 && worth[2] == 96 && worth.back() == 192);
    cadence.begin_small(30, kLimit);
    loop.run(6000, true, true);
    CHECK(loop.wait().back() == 768);
    CHECK(!cadence.small());
    cadence.end_small();
    cadence.begin_small(4096, kLimit);
    CHECK(!cadence.small());
}

}  // namespace

int main() {
    units_are_about_as_long_whatever_the_period();
    units_grow_where_that_is_worth_a_plan();
    units_of_a_loop_are_remembered();
    what_is_known_may_be_small();
    small_ones_stay_as_they_are();
    return 0;
}
