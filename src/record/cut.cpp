// Chooses where an automatic flush cuts the queue.
//
// A time loop that never reads fills the queue with repetitions of its body. Cutting wherever the
// queue happens to be full would give every flush another phase of the loop: another key, and
// arrays stored only because a name was still bound there. So the cut is placed earlier, after a
// whole number of periods, where the fewest bytes are alive; the deaths recorded after it are
// already known.
//
// The period is that of the instruction stream's longest periodic suffix, found with the prefix
// function of Knuth, Morris and Pratt on the reversed stream: linear in the queue's length, and a
// constant per instruction because every automatic flush empties most of the queue.
#include <algorithm>
#include <span>
#include <vector>

#include "record/queue.hpp"
#include "record/thresholds.hpp"

namespace hassium {
namespace {

struct Suffix {
    std::size_t begin = 0, period = 0;  // period 0: none
};

Suffix periodic_suffix(const std::vector<std::uint64_t>& kinds) {
    std::size_t n = kinds.size();
    auto at = [&](std::size_t k) { return kinds[n - 1 - k]; };
    std::vector<std::size_t> border(n, 0);  // prefix function of the reversed stream
    Suffix best;
    for (std::size_t k = 1, length = 0; k < n; ++k) {
        while (length > 0 && at(k) != at(length)) length = border[length - 1];
        if (at(k) == at(length)) ++length;
        border[k] = length;
        std::size_t period = k + 1 - length;
        if (period * threshold_count(Threshold::periods) <= k + 1) best = {n - (k + 1), period};
    }
    return best;
}

}  // namespace

// Returns, for each c, the live bytes that a cut between instructions c-1 and c would have to
// store.
std::vector<std::int64_t> Queue::live_bytes() const {
    std::vector<std::int64_t> change(size() + 2, 0);
    for (std::size_t b = 0; b < entries_.size(); ++b) {
        const Entry& e = entries_[b];
        if (pending_.bases[b].input) continue;  // stored anyway
        change[e.first_use + 1] += e.base->bytes;
        if (e.base->dead) change[e.last_use + 1] -= e.base->bytes;
    }
    for (std::size_t c = 1; c < change.size(); ++c) change[c] += change[c - 1];
    return change;
}

// A flush of some hundred instructions costs next to nothing if it is known, and partitioning it
// for the first time is the cheaper the shorter it is. So the stream is searched for a period long
// before the queue is full, each time it has doubled; a flush is due when most of it repeats.
std::size_t Queue::look_for_cut(std::size_t limit) {
    std::size_t n = size();
    const bool full =
        n >= limit || (backoff.aperiodic() && n >= limit >> threshold(Threshold::aperiodic_look));
    if (full) return std::max<std::size_t>(n >= limit, automatic_cut(limit));
    scheduler.looked();
    Suffix suffix = periodic_suffix(kinds_);
    if (suffix.period == 0 || 2 * suffix.begin > n) return 0;
    return automatic_cut(limit);
}

std::size_t Queue::automatic_cut(std::size_t limit) {
    std::size_t n = size();
    Suffix suffix = periodic_suffix(kinds_);
    std::size_t p = suffix.period;
    if (suffix.begin == 0 && p > 0) {  // the queue begins at the phase chosen earlier
        return scheduler.cut(std::span(kinds_).first(p), n, limit);
    }
    const std::vector<std::int64_t> live = live_bytes();
    // Returns the first place in the range after which the fewest bytes are alive.
    auto least = [&](std::size_t first, std::size_t last, auto place) {
        std::size_t best = first;
        for (std::size_t c = first + 1; c <= last; ++c) {
            if (live[place(c)] < live[place(best)]) best = c;
        }
        return best;
    };
    if (p == 0) return least(n / 2, n - n / 8, [](std::size_t c) { return c; });
    // The set-up before the loop is flushed alone, up to the first repetition of the best phase; it
    // is flushed with the loop if the other core waits for work, as it would be too little alone.
    // The best phase is found in the last repetition but one, whose deaths are known.
    const std::size_t seen = n - 2 * p + 1;
    const std::size_t first = least(suffix.begin, suffix.begin + p - 1,
                                    [&](std::size_t c) { return seen + (c + p - seen % p) % p; });
    const bool alone = first > 0 && !(scheduler.small() && first <= p);
    return alone ? first : first + p * ((n - p - first) / p);
}

}  // namespace hassium
