// sort and argsort along the last axis, on all cores: each line by the library's routine for the
// dtype, a long one as runs between pivots, bytes and integers of a small range by counting. Option
// kStable keeps equal elements in order. Outputs are contiguous.
#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <numeric>
#include <vector>

#include "exec/routines/bincount.hpp"
#include "exec/routines/extent.hpp"
#include "exec/routines/nonzero.hpp"
#include "exec/routines/packed.hpp"
#include "exec/routines/with_number.hpp"
#include "runtime/thread_pool.hpp"

namespace hassium {
namespace {

using Operands = std::span<const BoundView>;

// Seconds of NumPy's quicksort, per element and bit of the length.
constexpr double kSecondsABit = 0.25e-9;
// Least elements of a run between pivots, and elements of a line that are sampled for pivots.
constexpr std::int64_t kLeastRun = 50'000, kSample = 1000;
// Fewer bytes are sorted faster by comparison; fewer than kFewBytes are counted as fast in one
// table.
constexpr std::int64_t kLeastCounted = 32, kFewBytes = 2048;
// Fewer integers are sorted faster than their extent is found.
constexpr std::int64_t kLeastBins = 2000;

// ---- bytes ----

// Several tables, so that equal neighbours do not wait for each other.
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

void sort_bytes(char* data, std::int64_t n, bool is_signed) {
    auto* const elements = reinterpret_cast<unsigned char*>(data);
    n < kFewBytes ? count_bytes<std::uint16_t, 1>(elements, n, is_signed)
                  : count_bytes<std::int64_t, 4>(elements, n, is_signed);
}

// ---- runs of elements ----

// Calls work(run) for all runs of `n` elements, on as many threads as sorting them is worth.
template <class Work>
void for_runs(std::int64_t runs, std::int64_t n, Work work) {
    if (runs == 1) return work(0);
    auto call = [](void* context, std::int64_t run, int) { (*static_cast<Work*>(context))(run); };
    const auto length = static_cast<std::uint64_t>(n / std::max(runs, std::int64_t{1}));
    const double seconds =
        kSecondsABit * static_cast<double>(n) * static_cast<double>(std::bit_width(length));
    parallel_for(runs, threads_for(seconds), call, &work);
}

struct Sorter {
    const Instruction& instruction;
    RunState& state;
    DType dtype;

    // Sorts n elements in place.
    void operator()(char* data, std::int64_t n) const {
        if (n < 2) return;
        const std::int64_t item = itemsize(dtype);
        if (item == 1 && n >= kLeastCounted) return sort_bytes(data, n, dtype == DType::I8);
        const BoundView line = {data, dtype, {&n, 1}, {&item, 1}};
        run_library_routine(instruction, {&line, 1}, state);
    }
};

// Returns the pivots of a long line's runs, from a sample. A NaN is below no pivot, so NaNs go to
// the last run.
template <class T>
std::vector<T> pivots_of(const T* line, std::int64_t n, std::int64_t runs) {
    std::vector<T> sample;
    for (std::int64_t k = 0; k < n; k += n / kSample) {
        if (line[k] == line[k]) sample.push_back(line[k]);
    }
    std::sort(sample.begin(), sample.end());
    std::vector<T> pivots;
    for (std::int64_t k = 1; k < runs && !sample.empty(); ++k) {
        pivots.push_back(sample[static_cast<std::size_t>(k * std::ssize(sample) / runs)]);
    }
    return pivots;
}

// Moves the elements of a line to their runs, in order; returns the bounds of the runs. The
// elements of a run are not below the pivot before it, and below the next one.
template <class T>
std::vector<std::int64_t> split(const T* line, std::int64_t n, const std::vector<T>& pivots,
                                T* out) {
    const std::size_t last = pivots.size();
    const auto parts = static_cast<std::int64_t>(last + 1);
    const std::unique_ptr<char[]> inside(new char[static_cast<std::size_t>(n)]);
    std::vector<std::int64_t> bounds = {0};
    for (std::size_t run = 0; run <= last; ++run) {
        auto mark = [&](auto belongs) {
            for_runs(parts, n, [&](std::int64_t part) {
                const std::int64_t end = n * (part + 1) / parts;
                for (std::int64_t k = n * part / parts; k < end; ++k) {
                    inside[static_cast<std::size_t>(k)] = belongs(line[k]);
                }
            });
        };
        const T low = pivots[run > 0 ? run - 1 : 0], high = pivots[run < last ? run : last - 1];
        if (run == 0) {
            mark([high](T x) { return x < high; });
        } else if (run == last) {
            mark([low](T x) { return !(x < low); });
        } else {
            mark([low, high](T x) { return !(x < low) & (x < high); });
        }
        const NonzeroPositions found({inside.get(), 1, n, n});
        found.take(reinterpret_cast<char*>(out + bounds.back()), sizeof(T),
                   reinterpret_cast<const char*>(line), sizeof(T));
        bounds.push_back(bounds.back() + found.count());
    }
    return bounds;
}

// Sorts one long line by runs on all cores; returns false if that does not pay.
template <class T>
bool sort_long(const Sorter& sorter, const T* line, std::int64_t n, T* out) {
    const std::int64_t runs = std::min<std::int64_t>(thread_count(), n / kLeastRun);
    if (runs < 2) return false;
    const std::vector<T> pivots = pivots_of(line, n, runs);
    if (pivots.empty()) return false;
    const std::vector<std::int64_t> bounds = split(line, n, pivots, out);
    for_runs(runs, n, [&](std::int64_t run) {
        const std::int64_t first = bounds[static_cast<std::size_t>(run)];
        sorter(reinterpret_cast<char*>(out + first),
               bounds[static_cast<std::size_t>(run) + 1] - first);
    });
    return true;
}

bool sort_long(const Sorter& sorter, const BoundView& in, const BoundView& out) {
    const std::int64_t n = element_count(in), item = itemsize(in.dtype);
    if (n < 2 * kLeastRun || in.shape.back() != n || item == 1) return false;
    const Packed line(in);
    return with_number(in.dtype, [&](auto number) {
        using T = decltype(number);
        return sort_long(sorter, reinterpret_cast<const T*>(line.data()), n,
                         reinterpret_cast<T*>(out.data));
    });
}

void sort(const Instruction& i, Operands operands, RunState& state) {
    const BoundView &out = operands[0], &in = operands[1];
    const Sorter sorter = {i, state, in.dtype};
    if (sort_long(sorter, in, out)) return;
    pack(in, out.data);
    const std::int64_t n = element_count(out), length = out.shape.back();
    if (n == 0) return;
    for_runs(n / length, n, [&](std::int64_t line) {
        sorter(out.data + line * length * itemsize(out.dtype), length);
    });
}

// ---- positions ----

// Sorts the positions of a line of integers whose range is at most their number.
bool order_close(const BoundView& in, const char* line, std::int64_t* positions) {
    const std::int64_t n = in.shape.back();
    if (!is_integer(in.dtype) || n < kLeastBins) return false;
    const IntegerExtent extent = extent_of(in.dtype, line, n);
    if (extent.most - extent.least >= static_cast<std::uint64_t>(n)) return false;
    return order_by_bins({in.dtype, line, itemsize(in.dtype), n, extent.least}, positions,
                         static_cast<std::int64_t>(extent.most - extent.least) + 1);
}

void argsort(const Instruction& i, Operands operands, RunState& state) {
    const BoundView &out = operands[0], &in = operands[1];
    const std::int64_t n = element_count(in), length = in.shape.back();
    if (n == 0) return;
    const Packed elements(in);
    auto* const positions = reinterpret_cast<std::int64_t*>(out.data);
    const std::int64_t item = itemsize(in.dtype), place = itemsize(DType::I64);
    const bool stable = (i.axes & kStable) != 0;
    if (stable && n == length && order_close(in, elements.data(), positions)) return;
    for_runs(n / length, n, [&](std::int64_t line) {
        const std::int64_t first = line * length;
        std::iota(positions + first, positions + first + length, std::int64_t{0});
        const BoundView both[] = {
            {reinterpret_cast<char*>(positions + first), DType::I64, {&length, 1}, {&place, 1}},
            {const_cast<char*>(elements.data()) + first * item,
             in.dtype,
             {&length, 1},
             {&item, 1}}};
        run_library_routine(i, both, state);
    });
}

const RegisteredRoutine routines[] = {{Op::Sort, sort}, {Op::Argsort, argsort}};

}  // namespace
}  // namespace hassium
