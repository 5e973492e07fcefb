#include "exec/random/sample_chunks.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "exec/flags.hpp"
#include "runtime/spin.hpp"
#include "runtime/thread_pool.hpp"

namespace hassium {
namespace {

class Run {
  public:
    Run(DrawnChunks& chunks, std::int64_t n, std::int64_t likely)
        : chunks_(chunks), n_(n), likely_(likely) {}

    void work(int thread) {
        while (!done_.load(std::memory_order_acquire)) {
            const std::int64_t chunk = take(thread);
            // A chunk that is probably not needed is not drawn ahead.
            if (chunk >= likely_ && !wait_for(chunk)) return;
            DrawnPiece piece;
            std::int64_t first = 0;
            if (joined_.load(std::memory_order_acquire) == chunk) {
                chunks_.draw(chunk, thread, at_, n_ - drawn_, piece);
            } else {
                chunks_.draw(chunk, thread, chunks_.first_unit(chunk), n_, piece);
                if (!wait_for(chunk)) return;
                first = join(chunk, thread, piece);
            }
            pass_on(chunk, thread, first, piece);
        }
    }

  private:
    std::int64_t take(int thread) {
        const std::lock_guard lock(taking_);
        chunks_.begin(next_, thread);
        return next_++;
    }

    // Waits until all earlier chunks are joined; returns whether more values are needed.
    bool wait_for(std::int64_t chunk) {
        auto is_next = [&] {
            return joined_.load(std::memory_order_acquire) == chunk ||
                   done_.load(std::memory_order_acquire);
        };
        while (!spin_until(is_next)) std::this_thread::yield();
        return !done_.load(std::memory_order_acquire);
    }

    // Joins the piece to the chunk before; returns how many of its values belong to that chunk.
    std::int64_t join(std::int64_t chunk, int thread, DrawnPiece& piece) {
        const std::int64_t first = piece.before(at_), left = n_ - drawn_;
        // No unit may be taken after the last wanted value.
        if (first >= 0 && piece.values - first < left) return first;
        piece = DrawnPiece();
        chunks_.draw(chunk, thread, at_, left, piece);
        return 0;
    }

    void pass_on(std::int64_t chunk, int thread, std::int64_t first, const DrawnPiece& piece) {
        const std::int64_t count = piece.values - first, at = drawn_;
        drawn_ += count;
        at_ = piece.end;
        if (drawn_ == n_) {
            chunks_.finish(chunk, thread, piece.end);
            done_.store(true, std::memory_order_release);
        } else {
            joined_.store(chunk + 1, std::memory_order_release);
        }
        chunks_.store(thread, first, at, count);
    }

    DrawnChunks& chunks_;
    const std::int64_t n_, likely_;
    std::mutex taking_;
    std::int64_t next_ = 0;  // chunk to be taken
    std::atomic<std::int64_t> joined_ = 0;
    std::atomic<bool> done_ = false;
    // Written by the thread that joins its chunk.
    std::int64_t drawn_ = 0;  // values
    std::int64_t at_ = 0;     // unit

    friend void hassium::draw_chunks(DrawnChunks&, std::int64_t, std::int64_t, double);
};

}  // namespace

std::int64_t DrawnPiece::before(std::int64_t unit) const {
    const std::int64_t* const end = starts + known;
    const std::int64_t* const found = std::lower_bound(starts, end, unit);
    return found == end || *found != unit ? -1 : found - starts;
}

void draw_chunks(DrawnChunks& chunks, std::int64_t n, std::int64_t likely, double seconds) {
    const auto threads = static_cast<int>(std::min<std::int64_t>(threads_for(seconds), likely));
    chunks.allot(threads);
    Run run(chunks, n, likely);
    run.at_ = chunks.first_unit(0);
    auto call = [](void* context, std::int64_t thread, int) {
        static_cast<Run*>(context)->work(static_cast<int>(thread));
        clear_fp_flags();
    };
    if (threads <= 1) return call(&run, 0, 0);
    parallel_for(threads, threads, call, &run);
}

}  // namespace hassium
