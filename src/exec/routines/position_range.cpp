#include "exec/routines/position_range.hpp"

#include <algorithm>
#include <vector>

#include "program/reduction_tree.hpp"
#include "runtime/thread_pool.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium {
namespace {

// Positions that one thread looks at; both folds find a chunk of them in the first-level cache.
constexpr std::int64_t kRun = std::int64_t{1} << 15;
constexpr double kSecondsEach = 0.25e-9;

PositionRange range_of_run(const std::int64_t* positions, std::int64_t n) {
    constexpr auto kI64 = static_cast<int>(DType::I64);
    const ChunkFn least = kernels().chunk[static_cast<int>(Op::Minimum)][kI64];
    const ChunkFn most = kernels().chunk[static_cast<int>(Op::Maximum)][kI64];
    PositionRange all = {positions[0], positions[0]};
    for (std::int64_t at = 0; at < n; at += ReductionTree::kChunk) {
        const std::int64_t count = std::min(n - at, ReductionTree::kChunk);
        const char* const in = reinterpret_cast<const char*>(positions + at);
        PositionRange one;
        least(reinterpret_cast<char*>(&one.least), in, count);
        most(reinterpret_cast<char*>(&one.most), in, count);
        all = {std::min(all.least, one.least), std::max(all.most, one.most)};
    }
    return all;
}

}  // namespace

PositionRange position_range(const std::int64_t* positions, std::int64_t n) {
    if (n <= kRun) return range_of_run(positions, n);
    const std::int64_t runs = (n + kRun - 1) / kRun;
    std::vector<PositionRange> found(static_cast<std::size_t>(runs));
    auto look = [&](std::int64_t run) {
        found[static_cast<std::size_t>(run)] =
            range_of_run(positions + run * kRun, std::min(n - run * kRun, kRun));
    };
    auto call = [](void* context, std::int64_t run, int) {
        (*static_cast<decltype(look)*>(context))(run);
    };
    parallel_for(runs, threads_for(kSecondsEach * static_cast<double>(n)), call, &look);
    PositionRange all = found[0];
    for (const PositionRange& one : found) {
        all = {std::min(all.least, one.least), std::max(all.most, one.most)};
    }
    return all;
}

}  // namespace hassium
