#include "exec/sort.hpp"

#include <atomic>
#include <bit>

#include "exec/thread_pool.hpp"

namespace hassium {
namespace {

// NumPy's quicksort, per element and bit of a length.
constexpr double kSecondsABit = 0.25e-9;

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

}  // namespace hassium
