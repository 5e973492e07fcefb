#include "exec/routines/nonzero.hpp"

#include <algorithm>
#include <utility>

#include "program/routine.hpp"
#include "runtime/thread_pool.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium {
namespace {

constexpr std::int64_t kRun = kCountedRun;
constexpr double kSecondsToCount = 0.02e-9, kSecondsToStore = 0.3e-9;  // per bool

// Calls work(run) for all runs.
template <class Work>
void for_runs(std::int64_t runs, double seconds, Work work) {
    auto call = [](void* context, std::int64_t run, int) { (*static_cast<Work*>(context))(run); };
    parallel_for(runs, runs < 2 ? 1 : threads_for(seconds), call, &work);
}

}  // namespace

NonzeroPositions::NonzeroPositions(const BoolRows& bools) : bools_(bools) {
    const std::int64_t all = bools.rows * bools.columns, runs = (all + kRun - 1) / kRun;
    before_.resize(static_cast<std::size_t>(runs + 1));
    const SumFn count =
        kernels().sum_of[static_cast<int>(FoldOf::Truth)][static_cast<int>(DType::I64)];
    for_runs(runs, kSecondsToCount * static_cast<double>(all), [&](std::int64_t run) {
        char* const to = reinterpret_cast<char*>(&before_[static_cast<std::size_t>(run + 1)]);
        count(to, bools.first + run * kRun, nullptr, std::min(kRun, all - run * kRun));
    });
    for (std::size_t run = 1; run < before_.size(); ++run) before_[run] += before_[run - 1];
}

NonzeroPositions::NonzeroPositions(const BoolRows& bools, Counts counts)
    : bools_(bools), before_(std::move(counts)) {}

// Calls piece(to, end, bools, position, n) for the bools of a run in each row. It stores `place`
// items for each true bool to [to, end), and returns where the next ones go.
template <class Item, class Piece>
void NonzeroPositions::for_pieces(Item* out, std::int64_t place, Piece piece) const {
    const std::int64_t all = bools_.rows * bools_.columns;
    const auto runs = static_cast<std::int64_t>(before_.size()) - 1;
    for_runs(runs, kSecondsToStore * static_cast<double>(all), [&](std::int64_t run) {
        Item* to = out + place * before_[static_cast<std::size_t>(run)];
        Item* const end = out + place * before_[static_cast<std::size_t>(run + 1)];
        std::int64_t row = run * kRun / bools_.columns, column = run * kRun % bools_.columns;
        for (; to != end; ++row, column = 0) {
            const std::int64_t at = row * bools_.columns + column;
            const std::int64_t n = std::min(bools_.columns - column, (run + 1) * kRun - at);
            to = piece(to, end, bools_.first + at, row * bools_.pitch + column, n);
        }
    });
}

void NonzeroPositions::store(std::int64_t* out) const { for_pieces(out, 1, kernels().positions); }

void NonzeroPositions::take(char* out, std::int64_t item, const char* from,
                            std::int64_t stride) const {
    const ChooseFn choose = kernels().choose[item_log2(item)];
    for_pieces(out, item, [=](char* to, char* end, const char* bools, std::int64_t first, auto n) {
        return choose(to, end, from + first * stride, stride, bools, n);
    });
}

void NonzeroPositions::put(const char* in, std::int64_t item, char* to, std::int64_t stride) const {
    const PlaceFn place = kernels().place[item_log2(item)];
    for_pieces(in, item, [=](auto* from, auto* end, const char* bools, std::int64_t first, auto n) {
        return place(from, end, to + first * stride, stride, bools, n);
    });
}

namespace {

// (contiguous bools) -> how many are true before each run of kCountedRun, and in all.
void count_runs(const Instruction&, std::span<const BoundView> operands, RunState&) {
    const std::int64_t n = element_count(operands[1].shape);
    const NonzeroPositions found({operands[1].data, 1, n, n});
    std::ranges::copy(found.counts(), reinterpret_cast<std::int64_t*>(operands[0].data));
}

// (rows of bools, their counts) -> positions of the true ones; the option is the pitch of a row.
void nonzero(const Instruction& i, std::span<const BoundView> operands, RunState&) {
    const BoundView &out = operands[0], &bools = operands[1], &counts = operands[2];
    const auto* const first = reinterpret_cast<const std::int64_t*>(counts.data);
    const NonzeroPositions found(
        {bools.data, bools.shape[0], bools.shape[1], static_cast<std::int64_t>(i.axes)},
        NonzeroPositions::Counts(std::span(first, static_cast<std::size_t>(counts.shape[0]))));
    // The bools may have changed since they were counted; the result's size is fixed.
    if (found.count() == out.shape[0]) found.store(reinterpret_cast<std::int64_t*>(out.data));
}

const RegisteredRoutine routines[] = {{Op::CountRuns, count_runs}, {Op::Nonzero, nonzero}};

}  // namespace
}  // namespace hassium
