// Integers counted in bins, on all cores.
#include "exec/routines/bincount.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "exec/routines/with_number.hpp"
#include "exec/single/moves_common.hpp"
#include "runtime/thread_pool.hpp"

namespace hassium {
namespace {

// Equal integers are often adjacent, and an increment waits for the store before it: consecutive
// ones go to two or four tables. Counts have 32 bits, so that tables of thousands of bins stay in
// the first-level cache.
using Count = std::uint32_t;
constexpr std::int64_t kMostTables = 4;
constexpr std::int64_t kNear = 8192;  // counts: 32 KiB
// Bins up to which each thread has its own tables; larger ones take longer to clear and add up.
constexpr std::int64_t kShared = std::int64_t{1} << 16, kLeastJob = 32'768;
constexpr std::int64_t kMostJob = std::numeric_limits<Count>::max();
// Padding of a thread's tables, in counts, against false sharing.
constexpr std::int64_t kLine = 32;

// Returns the bin of a number; one below `least` wraps around beyond all bins.
template <class T>
std::uint64_t bin_of(const char* at, std::uint64_t least) {
    T x;
    std::memcpy(&x, at, sizeof(T));
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)) - least;
}

std::int64_t tables_for(std::int64_t bins, std::int64_t n) {
    if (bins > kNear || bins * kMostTables >= n) return 1;
    return bins * kMostTables <= kNear ? kMostTables : 2;
}

// Counts integers [first, last), in turns in `number` tables; false if one is in no bin.
template <class T, class C>
bool count(const BinNumbers& numbers, std::int64_t first, std::int64_t last, C* tables,
           std::int64_t bins, std::int64_t number) {
    const auto most = static_cast<std::uint64_t>(bins);
    const std::int64_t stride = numbers.stride, n = last - first;
    const std::uint64_t least = numbers.least;
    const char* at = numbers.first + first * stride;
    C *const second = tables + 1 % number * bins, *const third = tables + 2 % number * bins,
             *const fourth = tables + 3 % number * bins;
    std::int64_t k = 0;
    for (; k + 4 <= n; k += 4, at += 4 * stride) {
        const std::uint64_t a = bin_of<T>(at, least), b = bin_of<T>(at + stride, least),
                            c = bin_of<T>(at + 2 * stride, least),
                            d = bin_of<T>(at + 3 * stride, least);
        if (std::max({a, b, c, d}) >= most) return false;
        ++tables[a];
        ++second[b];
        ++third[c];
        ++fourth[d];
    }
    for (; k < n; ++k, at += stride) {
        const std::uint64_t a = bin_of<T>(at, least);
        if (a >= most) return false;
        ++tables[a];
    }
    return true;
}

// Returns visit(T{}) for the type T of the integers; false for other dtypes.
template <class Visit>
bool with_integer(DType dtype, Visit visit) {
    return with_number(dtype, [&](auto number) {
        if constexpr (std::is_integral_v<decltype(number)>) return visit(number);
        return false;
    });
}

template <class C>
bool count(const BinNumbers& numbers, std::int64_t first, std::int64_t last, C* tables,
           std::int64_t bins, std::int64_t number) {
    return with_integer(numbers.dtype, [&](auto integer) {
        return count<decltype(integer), C>(numbers, first, last, tables, bins, number);
    });
}

// Stores the positions of integers [first, last) at the offsets that the table has for their bins.
// The integers may have changed since they were counted: nothing is written beyond the positions.
template <class T>
void place(const BinNumbers& numbers, std::int64_t first, std::int64_t last, std::int64_t* table,
           std::int64_t bins, std::span<std::int64_t> positions) {
    const char* at = numbers.first + first * numbers.stride;
    for (std::int64_t k = first; k < last; ++k, at += numbers.stride) {
        const std::uint64_t bin = bin_of<T>(at, numbers.least);
        if (bin >= static_cast<std::uint64_t>(bins)) continue;
        const auto to = static_cast<std::uint64_t>(table[bin]++);
        if (to < positions.size()) positions[to] = k;
    }
}

// Counts all integers. Returns false if one is in no bin; the counts are then invalid.
bool fill_counts(const BinNumbers& numbers, std::int64_t* counts, std::int64_t bins) {
    const std::int64_t n = numbers.n;
    const std::int64_t tables = tables_for(bins, n);
    std::int64_t jobs =
        bins <= kShared ? std::clamp<std::int64_t>(n / kLeastJob, 1, thread_count()) : 1;
    std::fill(counts, counts + bins, 0);
    if (jobs * tables == 1) return count(numbers, 0, n, counts, bins, 1);
    jobs = std::max(jobs, (n + kMostJob - 1) / kMostJob);
    const std::int64_t own = (tables * bins + kLine - 1) / kLine * kLine + kLine;
    std::vector<Count> all(static_cast<std::size_t>(jobs * own));
    std::atomic<bool> fit = true;
    RunState state;
    auto work = [&](std::int64_t first, std::int64_t last) {
        for (; first < last; ++first) {
            const std::int64_t begin = n * first / jobs, end = n * (first + 1) / jobs;
            if (!count(numbers, begin, end, all.data() + first * own, bins, tables)) {
                fit = false;
            }
        }
    };
    spread(jobs, jobs > 1 ? 2 * n : n, state, work);
    for (std::int64_t k = 0; k < jobs; ++k) {
        for (std::int64_t t = 0; t < tables; ++t) {
            const Count* const table = all.data() + k * own + t * bins;
            for (std::int64_t b = 0; b < bins; ++b) counts[b] += table[b];
        }
    }
    return fit;
}

// (integers) -> the number of occurrences of each from 0 on, in as many bins as the result has.
void bincount(const Instruction&, std::span<const BoundView> operands, RunState&) {
    const BoundView &out = operands[0], &in = operands[1];
    const BinNumbers numbers = {in.dtype, in.data, in.strides[0], in.shape[0], 0};
    if (!fill_counts(numbers, reinterpret_cast<std::int64_t*>(out.data), out.shape[0])) {
        throw UserError(ErrorKind::Value, "a number to count is in no bin");
    }
}

const RegisteredRoutine routine(Op::Bincount, bincount);

}  // namespace

bool order_by_bins(const BinNumbers& numbers, std::int64_t* positions, std::int64_t bins) {
    const std::int64_t n = numbers.n;
    const std::int64_t jobs =
        std::clamp<std::int64_t>(n / std::max(kLeastJob, bins), 1, thread_count());
    const std::int64_t own = bins + kLine;
    std::vector<std::int64_t> tables(static_cast<std::size_t>(jobs * own));
    std::atomic<bool> fit = true;
    RunState state;
    auto each = [&](auto job) {
        auto work = [&](std::int64_t first, std::int64_t last) {
            for (; first < last; ++first) {
                job(tables.data() + first * own, n * first / jobs, n * (first + 1) / jobs);
            }
        };
        spread(jobs, jobs > 1 ? 4 * n : n, state, work);
    };
    each([&](std::int64_t* table, std::int64_t first, std::int64_t last) {
        if (!count(numbers, first, last, table, bins, 1)) fit = false;
    });
    if (!fit) return false;
    std::int64_t at = 0;
    for (std::int64_t b = 0; b < bins; ++b) {
        for (std::int64_t k = 0; k < jobs; ++k) {
            at += std::exchange(tables[static_cast<std::size_t>(k * own + b)], at);
        }
    }
    const std::span<std::int64_t> all(positions, static_cast<std::size_t>(n));
    each([&](std::int64_t* table, std::int64_t first, std::int64_t last) {
        with_integer(numbers.dtype, [&](auto integer) {
            place<decltype(integer)>(numbers, first, last, table, bins, all);
            return true;
        });
    });
    return true;
}

}  // namespace hassium
