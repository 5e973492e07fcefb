#include "exec/count_bins.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "exec/moves_common.hpp"
#include "exec/thread_pool.hpp"

namespace hassium {
namespace {

// Equal numbers follow one another in many data, and adding to what was just stored waits for it:
// four in a row go to tables of their own, as long as these are small.
constexpr std::int64_t kTables = 4, kSmall = 2048;
// A thread has tables of its own; larger ones take longer to be cleared and added up.
constexpr std::int64_t kShared = std::int64_t{1} << 16, kLeastJob = 32'768;
// Counts that no other thread's lie beside.
constexpr std::int64_t kLine = 16;

// A negative number is beyond all bins.
template <class T>
std::uint64_t bin_of(const char* at) {
    T x;
    std::memcpy(&x, at, sizeof(T));
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
}

// Tables lie `apart`; 0: there is one.
template <class T>
bool count(const char* at, std::int64_t stride, std::int64_t n, std::int64_t* tables,
           std::int64_t bins, std::int64_t apart) {
    const auto most = static_cast<std::uint64_t>(bins);
    std::int64_t *const second = tables + apart, *const third = second + apart,
                        *const fourth = third + apart;
    std::int64_t k = 0;
    for (; k + 4 <= n; k += 4, at += 4 * stride) {
        const std::uint64_t a = bin_of<T>(at), b = bin_of<T>(at + stride),
                            c = bin_of<T>(at + 2 * stride), d = bin_of<T>(at + 3 * stride);
        if (std::max({a, b, c, d}) >= most) return false;
        ++tables[a];
        ++second[b];
        ++third[c];
        ++fourth[d];
    }
    for (; k < n; ++k, at += stride) {
        const std::uint64_t a = bin_of<T>(at);
        if (a >= most) return false;
        ++tables[a];
    }
    return true;
}

bool count(DType dtype, const char* at, std::int64_t stride, std::int64_t n, std::int64_t* tables,
           std::int64_t bins, std::int64_t apart) {
    switch (dtype) {
        case DType::I8:
            return count<std::int8_t>(at, stride, n, tables, bins, apart);
        case DType::U8:
            return count<std::uint8_t>(at, stride, n, tables, bins, apart);
        case DType::I16:
            return count<std::int16_t>(at, stride, n, tables, bins, apart);
        case DType::U16:
            return count<std::uint16_t>(at, stride, n, tables, bins, apart);
        case DType::I32:
            return count<std::int32_t>(at, stride, n, tables, bins, apart);
        case DType::U32:
            return count<std::uint32_t>(at, stride, n, tables, bins, apart);
        case DType::I64:
            return count<std::int64_t>(at, stride, n, tables, bins, apart);
        default:
            return false;
    }
}

}  // namespace

bool count_bins(DType dtype, const char* numbers, std::int64_t stride, std::int64_t n,
                std::int64_t* counts, std::int64_t bins) {
    const std::int64_t tables = bins <= kSmall && bins * kTables < n ? kTables : 1;
    const std::int64_t jobs =
        bins <= kShared ? std::clamp<std::int64_t>(n / kLeastJob, 1, thread_count()) : 1;
    std::fill(counts, counts + bins, 0);
    if (jobs * tables == 1) return count(dtype, numbers, stride, n, counts, bins, 0);
    const std::int64_t own = (tables * bins + kLine - 1) / kLine * kLine + kLine;
    std::vector<std::int64_t> all(static_cast<std::size_t>(jobs * own));
    std::atomic<bool> fit = true;
    RunState state;
    auto work = [&](std::int64_t first, std::int64_t last) {
        for (; first < last; ++first) {
            const std::int64_t begin = n * first / jobs, end = n * (first + 1) / jobs;
            if (!count(dtype, numbers + begin * stride, stride, end - begin,
                       all.data() + first * own, bins, tables > 1 ? bins : 0)) {
                fit = false;
            }
        }
    };
    spread(jobs, jobs > 1 ? 2 * n : n, state, work);
    for (std::int64_t k = 0; k < jobs; ++k) {
        for (std::int64_t t = 0; t < tables; ++t) {
            const std::int64_t* const table = all.data() + k * own + t * bins;
            for (std::int64_t b = 0; b < bins; ++b) counts[b] += table[b];
        }
    }
    return fit;
}

}  // namespace hassium
