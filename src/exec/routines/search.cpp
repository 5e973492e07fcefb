// Positions in sorted vectors, and linear interpolation, on the pool's threads if that pays.
// Several values are searched for at a time, as each step of a search waits for the step before.

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "exec/flags.hpp"
#include "exec/routines/packed.hpp"
#include "exec/routines/with_number.hpp"
#include "runtime/thread_pool.hpp"

namespace hassium {
namespace {

constexpr std::int64_t kLanes = 16;  // values searched for at a time
constexpr std::int64_t kRun = 4096;  // values per job
constexpr double kSecondsAStep = 0.4e-9;

template <class T>
bool is_number(T value) {
    return value == value;
}

// Returns how many of the first elements are not NaN.
template <class T>
std::int64_t count_numbers(const T* sorted, std::int64_t n) {
    if constexpr (std::is_floating_point_v<T>) {
        return std::partition_point(sorted, sorted + n, is_number<T>) - sorted;
    }
    return n;
}

// Returns whether the value is inserted after the element.
template <class T, bool kBehind>
bool passes(T element, T value) {
    return kBehind ? !(value < element) : element < value;
}

// Counts the elements before each of kLanes values. None of them is NaN.
template <class T, bool kBehind>
void search_lanes(const T* sorted, std::int64_t n, const T* values, std::int64_t* out) {
    const T* at[kLanes];
    std::fill_n(at, kLanes, sorted);
    std::int64_t left = n;
    while (left > 1) {
        const std::int64_t half = left / 2;
        for (std::int64_t k = 0; k < kLanes; ++k) {
            at[k] = passes<T, kBehind>(at[k][half - 1], values[k]) ? at[k] + half : at[k];
        }
        left -= half;
    }
    for (std::int64_t k = 0; k < kLanes; ++k) {
        out[k] = at[k] - sorted + (n > 0 && passes<T, kBehind>(*at[k], values[k]));
    }
}

// A part of a vector that contains the positions of some values.
struct Part {
    std::int64_t first, n;
};

// Returns the part in which to search for values that are close together, such as sorted ones;
// found by their minimum and maximum.
template <class T, bool kBehind>
Part part_of(const T* sorted, std::int64_t n, const T* values, std::int64_t count, bool rising) {
    constexpr std::int64_t kFew = 64;
    if (n < kFew || count < kFew) return {0, n};
    T lanes[kLanes] = {values[0], values[count - 1]};
    for (std::int64_t k = 0; k < count && !rising; ++k) {
        lanes[0] = std::min(lanes[0], values[k]);
        lanes[1] = std::max(lanes[1], values[k]);
    }
    std::int64_t found[kLanes];
    search_lanes<T, kBehind>(sorted, n, lanes, found);
    return {found[0], found[1] - found[0]};
}

// Searches for ascending values: the position of the next one is not before that of the last one.
template <class T, bool kBehind>
void walk(const T* sorted, std::int64_t n, const T* values, std::int64_t count, std::int64_t* out) {
    std::int64_t at = 0;
    for (std::int64_t k = 0; k < count; ++k) {
        while (at < n && passes<T, kBehind>(sorted[at], values[k])) ++at;
        out[k] = at;
    }
}

constexpr std::int64_t kBlock = 256;

// Copies a block's values, padded to whole lanes, with NaNs replaced by a number. Returns whether
// there are no NaNs.
template <class T>
bool copy_numbers(const T* values, std::int64_t count, T* out) {
    bool all = true;
    for (std::int64_t k = 0; k < count; ++k) {
        out[k] = values[k];
        all &= is_number(values[k]);
    }
    const T* const known = std::find_if(out, out + count, is_number<T>);
    const T number = known == out + count ? T{} : *known;
    if (!all) std::replace_if(out, out + count, [](T value) { return !is_number(value); }, number);
    std::fill(out + count, out + (count + kLanes - 1) / kLanes * kLanes, number);
    return all;
}

// Searches for a run of values. The first `numbers` of the n elements are not NaN.
template <class T, bool kBehind>
void search_run(const T* sorted, std::int64_t n, std::int64_t numbers, const T* values,
                std::int64_t count, std::int64_t* out) {
    T wanted[kBlock];
    std::int64_t found[kBlock];
    for (std::int64_t done = 0; done < count; done += kBlock) {
        const std::int64_t some = std::min(count - done, kBlock);
        const bool all = copy_numbers(values + done, some, wanted);
        const bool rising = std::is_sorted(wanted, wanted + some);
        const Part part = part_of<T, kBehind>(sorted, numbers, wanted, some, rising);
        const T* const from = sorted + part.first;
        if (rising && part.n <= some) {
            walk<T, kBehind>(from, part.n, wanted, some, found);
        } else {
            for (std::int64_t k = 0; k < some; k += kLanes) {
                search_lanes<T, kBehind>(from, part.n, wanted + k, found + k);
            }
        }
        for (std::int64_t k = 0; k < some; ++k) out[done + k] = part.first + found[k];
        for (std::int64_t k = 0; k < some && !all; ++k) {
            if (!is_number(values[done + k])) out[done + k] = kBehind ? n : numbers;
        }
    }
}

// Calls work(first, count) for runs of values, each of which takes the steps of a search in a
// vector of n elements.
template <class Work>
void for_runs(std::int64_t count, std::int64_t n, Work work) {
    if (count <= kRun) return work(0, count);
    const int steps = 4 + std::bit_width(static_cast<std::uint64_t>(n));
    auto some = [&](std::int64_t run) { work(run * kRun, std::min(count - run * kRun, kRun)); };
    auto call = [](void* context, std::int64_t run, int) {
        (*static_cast<decltype(some)*>(context))(run);
    };
    parallel_for((count + kRun - 1) / kRun,
                 threads_for(kSecondsAStep * steps * static_cast<double>(count)), call, &some);
}

// `sorted` has n elements in NumPy's order: NaNs last.
template <class T>
void search(const char* sorted, std::int64_t n, bool behind, const char* values, std::int64_t count,
            std::int64_t* out) {
    const T* const first = reinterpret_cast<const T*>(sorted);
    const T* const wanted = reinterpret_cast<const T*>(values);
    const std::int64_t numbers = count_numbers(first, n);
    const auto run = behind ? search_run<T, true> : search_run<T, false>;
    for_runs(count, n, [&](std::int64_t at, std::int64_t some) {
        run(first, n, numbers, wanted + at, some, out + at);
    });
}

// A piecewise linear function of n > 0 points with ascending x, constant outside of them.
struct Points {
    const double *x, *y;
    std::int64_t n;
};

// Returns the value at x on the line from point `at` to the next.
double between(const Points& p, double slope, std::int64_t at, double x) {
    double y = slope * (x - p.x[at]) + p.y[at];
    if (is_number(y)) [[likely]]
        return y;
    // From the other point, if the first one is infinite.
    y = slope * (x - p.x[at + 1]) + p.y[at + 1];
    return !is_number(y) && p.y[at] == p.y[at + 1] ? p.y[at] : y;
}

double slope_behind(const Points& p, std::int64_t at) {
    return (p.y[at + 1] - p.y[at]) / (p.x[at + 1] - p.x[at]);
}

double value_at(const Points& p, const double* slopes, std::int64_t at, double x) {
    if (!is_number(x)) return x;
    if (at < 0) return p.y[0];
    if (at >= p.n - 1) return p.y[p.n - 1];
    if (p.x[at] == x) return p.y[at];  // the slope may be NaN here
    return between(p, slopes ? slopes[at] : slope_behind(p, at), at, x);
}

// (sorted vector, values) -> the index at which each value would be inserted.
void searchsorted(const Instruction& i, std::span<const BoundView> operands, RunState&) {
    const BoundView &out = operands[0], &vector = operands[1];
    const Packed sorted(vector), values(operands[2]);
    // Bools are bytes that are 0 or 1.
    const DType dtype = vector.dtype == DType::Bool ? DType::U8 : vector.dtype;
    with_number(dtype, [&](auto number) {
        search<decltype(number)>(sorted.data(), vector.shape[0], (i.axes & kBehind) != 0,
                                 values.data(), element_count(out),
                                 reinterpret_cast<std::int64_t*>(out.data));
        return true;
    });
}

// (x, x of points, y of points) -> y at x, with NumPy's operations (compiled_base.c, arr_interp).
// Floating-point exceptions are not reported, as in NumPy.
void interp(const Instruction&, std::span<const BoundView> operands, RunState&) {
    const BoundView& out = operands[0];
    const Packed x(operands[1]), xp(operands[2]), fp(operands[3]);
    auto doubles = [](const Packed& packed) {
        return reinterpret_cast<const double*>(packed.data());
    };
    const Points points = {doubles(xp), doubles(fp), operands[2].shape[0]};
    const std::int64_t count = element_count(out);
    auto* const result = reinterpret_cast<double*>(out.data);
    // One division per value, or per point if there are fewer.
    std::vector<double> slopes;
    if (points.n <= count) {
        for (std::int64_t k = 0; k + 1 < points.n; ++k) slopes.push_back(slope_behind(points, k));
    }
    const double* const known = slopes.empty() ? nullptr : slopes.data();
    for_runs(count, points.n, [&](std::int64_t first, std::int64_t some) {
        std::int64_t at[kBlock];
        for (std::int64_t done = 0; done < some; done += kBlock) {
            const std::int64_t n = std::min(some - done, kBlock);
            const double* const wanted = doubles(x) + first + done;
            search_run<double, true>(points.x, points.n, points.n, wanted, n, at);
            double* const to = result + first + done;
            for (std::int64_t k = 0; k < n; ++k) {
                to[k] = value_at(points, known, at[k] - 1, wanted[k]);
            }
        }
        clear_fp_flags();
    });
}

const RegisteredRoutine routines[] = {{Op::Searchsorted, searchsorted}, {Op::Interp, interp}};

}  // namespace
}  // namespace hassium
