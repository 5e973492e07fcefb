#include "exec/routines/sort.hpp"

#include <atomic>
#include <bit>
#include <cstring>

#include "runtime/thread_pool.hpp"

namespace hassium {
namespace {

// NumPy's quicksort, per element and bit of a length.
constexpr double kSecondsABit = 0.25e-9;

// Fewer take as long as the counters take to clear.
constexpr std::int64_t kFewBytes = 2048;

// Several counters, so that equal neighbours do not wait for each other.
template <class Counter, int kCounters>
void count_bytes(unsigned char* elements, std::int64_t n, bool is_signed) {
    Counter counts[kCounters][256] = {};
    std::int64_t i = 0;
    for (; i + kCounters <= n; i += kCounters) {
        for (int k = 0; k < kCounters; ++k) ++counts[k][elements[i + k]];
    }
    for (; i < n; ++i) ++counts[0][elements[i]];
    for (int k = 0; k < 256; ++k) {
        const int value = is_signed ? k ^ 0x80 : k;
        std::int64_t count = 0;
        for (const auto& own : counts) count += own[value];
        if (count == 0) continue;
        std::memset(elements, value, static_cast<std::size_t>(count));
        elements += count;
    }
}

}  // namespace

bool sort_runs(char* data, std::int64_t bytes, std::span<const std::int64_t> bounds, SortFn sort,
               void* context) {
    const std::int64_t runs = std::ssize(bounds) - 1;
    if (runs < 1) return true;
    std::atomic<bool> failed = false;
    auto work = [&](std::int64_t run) {
        const std::int64_t first = bounds[static_cast<std::size_t>(run)];
        const std::int64_t n = bounds[static_cast<std::size_t>(run) + 1] - first;
        if (n > 1 && sort(data + first * bytes, n, context) < 0) failed = true;
    };
    auto call = [](void* of, std::int64_t run, int) { (*static_cast<decltype(work)*>(of))(run); };
    const auto length = static_cast<std::uint64_t>(bounds.back() / runs);
    const double seconds = kSecondsABit * static_cast<double>(bounds.back()) *
                           static_cast<double>(std::bit_width(length));
    parallel_for(runs, runs > 1 ? threads_for(seconds) : 1, call, &work);
    return !failed;
}

void sort_bytes(unsigned char* elements, std::int64_t n, bool is_signed) {
    n < kFewBytes ? count_bytes<std::uint16_t, 1>(elements, n, is_signed)
                  : count_bytes<std::int64_t, 4>(elements, n, is_signed);
}

}  // namespace hassium
