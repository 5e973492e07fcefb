#include "exec/routines/extent.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "exec/routines/packed.hpp"
#include "exec/routines/with_number.hpp"
#include "program/reduction_tree.hpp"
#include "runtime/thread_pool.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium {
namespace {

// Integers per job; the second fold finds a chunk of them in the first-level cache.
constexpr std::int64_t kRun = std::int64_t{1} << 15;
constexpr double kSecondsEach = 0.25e-9;

template <class T>
struct Extent {
    T least, most;

    void add(const Extent& other) {
        least = std::min(least, other.least);
        most = std::max(most, other.most);
    }
};

template <class T>
Extent<T> extent_of_run(DType dtype, const T* integers, std::int64_t n) {
    const auto column = static_cast<int>(dtype);
    const ChunkFn least = kernels().chunk[static_cast<int>(Op::Minimum)][column];
    const ChunkFn most = kernels().chunk[static_cast<int>(Op::Maximum)][column];
    Extent<T> all = {integers[0], integers[0]};
    for (std::int64_t at = 0; at < n; at += ReductionTree::kChunk) {
        const std::int64_t count = std::min(n - at, ReductionTree::kChunk);
        const char* const in = reinterpret_cast<const char*>(integers + at);
        Extent<T> one;
        least(reinterpret_cast<char*>(&one.least), in, count);
        most(reinterpret_cast<char*>(&one.most), in, count);
        all.add(one);
    }
    return all;
}

template <class T>
Extent<T> extent_of_all(DType dtype, const T* integers, std::int64_t n) {
    if (n <= kRun) return extent_of_run(dtype, integers, n);
    const std::int64_t runs = (n + kRun - 1) / kRun;
    std::vector<Extent<T>> found(static_cast<std::size_t>(runs));
    auto look = [&](std::int64_t run) {
        found[static_cast<std::size_t>(run)] =
            extent_of_run(dtype, integers + run * kRun, std::min(n - run * kRun, kRun));
    };
    auto call = [](void* context, std::int64_t run, int) {
        (*static_cast<decltype(look)*>(context))(run);
    };
    parallel_for(runs, threads_for(kSecondsEach * static_cast<double>(n)), call, &look);
    for (const Extent<T>& one : found) found[0].add(one);
    return found[0];
}

// (at least one integer) -> (minimum, maximum).
void extent(const Instruction&, std::span<const BoundView> operands, RunState&) {
    const BoundView& in = operands[1];
    const Packed integers(in);
    const IntegerExtent found = extent_of(in.dtype, integers.data(), element_count(in));
    std::memcpy(operands[0].data, &found, sizeof found);
}

const RegisteredRoutine routine(Op::Extent, extent);

}  // namespace

IntegerExtent extent_of(DType dtype, const char* integers, std::int64_t n) {
    IntegerExtent result = {};
    with_number(dtype, [&](auto number) {
        using T = decltype(number);
        if constexpr (std::is_integral_v<T>) {
            const auto found = extent_of_all(dtype, reinterpret_cast<const T*>(integers), n);
            result = {static_cast<std::uint64_t>(found.least),
                      static_cast<std::uint64_t>(found.most)};
        }
        return true;
    });
    return result;
}

}  // namespace hassium
