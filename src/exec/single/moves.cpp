#include "exec/single/moves.hpp"

#include <algorithm>
#include <atomic>

#include "base/error.hpp"
#include "exec/flags.hpp"
#include "exec/single/moves_common.hpp"
#include "runtime/thread_pool.hpp"

namespace hassium {
namespace {

constexpr double kSecondsPerElement = 0.3e-9;  // of the cheapest operation
constexpr std::int64_t kChunksPerThread = 4;

}  // namespace

void Odometer::axis(std::int64_t extent, std::int64_t s0, std::int64_t s1, std::int64_t s2) {
    const std::int64_t strides[kOperands] = {s0, s1, s2};
    axes_.append(extent, [&](int k) { return strides[k]; });
    index_.resize(axes_.size());
}

std::int64_t Odometer::count() const {
    std::int64_t n = 1;
    for (const Axis<kOperands>& axis : axes_) n *= axis.extent;
    return n;
}

void Odometer::seek(std::int64_t index) {
    for (std::int64_t& offset : offset_) offset = 0;
    for (std::size_t k = axes_.size(); k-- > 0;) {
        const Axis<kOperands>& axis = axes_[k];
        index_[k] = index % axis.extent;
        index /= axis.extent;
        for (int o = 0; o < kOperands; ++o) offset_[o] += index_[k] * axis.strides[o];
    }
}

void Odometer::next() {
    for (std::size_t k = axes_.size(); k-- > 0;) {
        const Axis<kOperands>& axis = axes_[k];
        for (int o = 0; o < kOperands; ++o) offset_[o] += axis.strides[o];
        if (++index_[k] < axis.extent) return;
        for (int o = 0; o < kOperands; ++o) offset_[o] -= axis.extent * axis.strides[o];
        index_[k] = 0;
    }
}

Axis<Odometer::kOperands> Odometer::take_longest(std::int64_t least) {
    const auto* const longest = std::ranges::max_element(axes_, {}, &Axis<kOperands>::extent);
    if (longest == axes_.end() || longest->extent <= least) return {1, {}};
    const Axis<kOperands> taken = *longest;
    axes_.erase(static_cast<std::size_t>(longest - axes_.begin()));
    index_.pop_back();
    return taken;
}

void spread(std::int64_t jobs, std::int64_t elements, RunState& state,
            const std::function<void(std::int64_t, std::int64_t)>& work, bool singly) {
    const double seconds = kSecondsPerElement * static_cast<double>(elements);
    const int threads = jobs < 2 ? 1 : threads_for(seconds);
    if (threads == 1) {
        if (jobs > 0) work(0, jobs);
        return;
    }
    struct Context {
        const std::function<void(std::int64_t, std::int64_t)>& work;
        std::int64_t jobs, chunks;
        bool singly;
        std::atomic<std::int64_t> next{0};
        std::atomic<std::uint8_t> raised{0};
    } context{work, jobs, singly ? jobs : std::min(jobs, kChunksPerThread * threads), singly};
    auto chunk = [](void* p, std::int64_t k, int worker) {
        auto& c = *static_cast<Context*>(p);
        // parallel_for claims chunks out of order.
        if (c.singly) k = c.next.fetch_add(1, std::memory_order_relaxed);
        // The caller's flags also include those of the block so far.
        if (worker != 0) clear_fp_flags();
        c.work(c.jobs * k / c.chunks, c.jobs * (k + 1) / c.chunks);
        if (worker != 0) c.raised.fetch_or(read_fp_flags(), std::memory_order_relaxed);
    };
    parallel_for(context.chunks, threads, chunk, &context);
    state.raised |= context.raised.load(std::memory_order_relaxed);
}

void run_single(const Instruction& i, std::span<const BoundView> operands,
                const SingleOptions& options, RunState& state) {
    const bool part_is_constant = options.part_is_constant;
    if (i.method == Method::Accumulate) return run_scan(i, operands, options.stream, state);
    if (i.method == Method::Reduceat) return run_reduceat(i, operands, state);
    if (i.method == Method::At) return run_at(i, operands, part_is_constant, state);
    const OpInfo& row = info(i.op);
    if (row.is_arg_reduction()) return run_extreme(i, operands, state);
    if (row.is_gather()) return run_indexed(i, operands, false, state);
    if (row.is_scatter()) return run_indexed(i, operands, part_is_constant, state);
    HS_CHECK(row.is_opaque(), "a single block has a row with a routine of its own");
    run_routine(i, operands, state);
}

}  // namespace hassium
