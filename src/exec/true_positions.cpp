#include "exec/true_positions.hpp"

#include <algorithm>

#include "exec/thread_pool.hpp"
#include "simd/kernels.hpp"

namespace hassium {
namespace {

constexpr std::int64_t kRun = 1 << 15;
constexpr double kSecondsToCount = 0.02e-9, kSecondsToStore = 0.2e-9;  // of a bool

// Calls work(run) for all runs.
template <class Work>
void for_runs(std::int64_t runs, double seconds, Work work) {
    auto call = [](void* context, std::int64_t run, int) { (*static_cast<Work*>(context))(run); };
    parallel_for(runs, runs < 2 ? 1 : threads_for(seconds), call, &work);
}

}  // namespace

TruePositions::TruePositions(const BoolRows& bools) : bools_(bools) {
    const std::int64_t all = bools.rows * bools.columns, runs = (all + kRun - 1) / kRun;
    before_.assign(static_cast<std::size_t>(runs + 1), 0);
    const SumFn count =
        kernels().sum_of[static_cast<int>(FoldOf::Truth)][static_cast<int>(DType::I64)];
    for_runs(runs, kSecondsToCount * static_cast<double>(all), [&](std::int64_t run) {
        char* const to = reinterpret_cast<char*>(&before_[static_cast<std::size_t>(run + 1)]);
        count(to, bools.first + run * kRun, nullptr, std::min(kRun, all - run * kRun));
    });
    for (std::size_t run = 1; run < before_.size(); ++run) before_[run] += before_[run - 1];
}

void TruePositions::store(std::int64_t* out) const {
    const std::int64_t all = bools_.rows * bools_.columns;
    const auto runs = static_cast<std::int64_t>(before_.size()) - 1;
    for_runs(runs, kSecondsToStore * static_cast<double>(all), [&](std::int64_t run) {
        std::int64_t* to = out + before_[static_cast<std::size_t>(run)];
        std::int64_t* const end = out + before_[static_cast<std::size_t>(run + 1)];
        std::int64_t row = run * kRun / bools_.columns, column = run * kRun % bools_.columns;
        for (; to != end; ++row, column = 0) {
            const std::int64_t at = row * bools_.columns + column;
            const std::int64_t n = std::min(bools_.columns - column, (run + 1) * kRun - at);
            to = kernels().positions(to, end, bools_.first + at, row * bools_.pitch + column, n);
        }
    });
}

}  // namespace hassium
