// One job at a time. The caller publishes it by raising `generation`; workers that see it register
// in `inside`. Chunks are claimed from counters, one for each thread's share. Each thread begins
// with its own share, which is the same part of the work from job to job and so in the same core's
// cache, and then goes on with the others'. The caller never waits for a worker that has not
// started: it closes the job when the counters have run out and waits only for the workers inside.
//
// A worker spins for about 60 us after its last job and then parks on a futex (std::atomic::wait):
// waking a parked worker costs 45-50 us, a spinning one less than 1 us, and pure spinning on a
// shared machine costs whole scheduler slices. A job too short to wait for a parked worker runs on
// one thread; a series of such jobs wakes the workers.
#include "runtime/thread_pool.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/settings.hpp"
#include "runtime/affinity_hint.hpp"
#include "runtime/platform.hpp"
#include "runtime/spin.hpp"

namespace hassium {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMaxThreads = 1024;
// After a worker kept the caller waiting, short work stays on one thread for kRest times that wait,
// at most kLongestRest.
constexpr int kRest = 30;
constexpr auto kLongestRest = std::chrono::seconds(1);

struct Pool {
    std::mutex busy;                              // held by the flush that uses the workers
    std::vector<platform::ThreadHandle> workers;  // running, under `busy`
    AffinityHint elsewhere;
    std::atomic<std::uint32_t> generation{0};
    std::atomic<int> spinning{0};

    // Bits 0..15: workers inside the job; bit 16: the job is open.
    static constexpr std::uint32_t kOpen = 1u << 16;
    std::atomic<std::uint32_t> door{0};
    struct alignas(64) Share {
        std::atomic<std::int64_t> next{0};
        std::int64_t end = 0;
    };
    std::unique_ptr<Share[]> shares;
    int threads = 0;      // that may take part, each with a share
    int regular = 0;      // threads without the helping waiter, whose number is the last
    bool beside = false;  // the caller is the background thread
    int room = 0;         // capacity of `shares`
    ChunkWork work = nullptr;
    void* context = nullptr;
    std::atomic<bool> failed{false};
    std::exception_ptr failure;
    std::atomic<Clock::rep> rest_until{0};

    bool enter() {
        std::uint32_t seen = door.load(std::memory_order_acquire);
        while ((seen & kOpen) != 0) {
            if (door.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel)) return true;
        }
        return false;
    }
    void leave() { door.fetch_sub(1, std::memory_order_release); }

    // Called before the job is open.
    void share_out(std::int64_t chunks, int count) {
        if (room < count) {
            shares = std::make_unique<Share[]>(static_cast<std::size_t>(count));
            room = count;
        }
        threads = count;
        for (int k = 0; k < count; ++k) {
            Share& share = shares[static_cast<std::size_t>(k)];
            share.next.store(chunks * k / count, std::memory_order_relaxed);
            share.end = chunks * (k + 1) / count;
        }
    }

    // The background thread begins with the last share and its helping waiter with the first: so
    // each processor has the same part of the work as when the waiter is the caller.
    void claim(int worker) {
        const int own = beside ? threads - 1 - worker : worker;
        for (int k = 0; k < threads; ++k) {
            claim_from(shares[static_cast<std::size_t>((own + k) % threads)], worker);
        }
    }

    void claim_from(Share& share, int worker) {
        while (!failed.load(std::memory_order_relaxed)) {
            const std::int64_t chunk = share.next.fetch_add(1, std::memory_order_relaxed);
            if (chunk >= share.end) return;
            try {
                work(context, chunk, worker);
            } catch (...) {
                if (!failed.exchange(true)) failure = std::current_exception();
            }
        }
    }

    std::uint32_t await_job(std::uint32_t seen) {
        spinning.fetch_add(1, std::memory_order_relaxed);
        const bool came =
            spin_until([&] { return generation.load(std::memory_order_acquire) != seen; });
        spinning.fetch_sub(1, std::memory_order_relaxed);
        if (!came) generation.wait(seen, std::memory_order_acquire);
        return generation.load(std::memory_order_acquire);
    }

    void run_worker(int number, std::uint32_t seen) {
        for (;;) {
            seen = await_job(seen);
            if (!enter()) continue;
            if (number < regular) claim(number);
            leave();
        }
    }

    int running() const { return static_cast<int>(workers.size()); }

    void start_workers(int count) {
        if (running() >= count) return;
        const platform::WithoutSignals quiet;
        try {
            start_to(count);
        } catch (const std::system_error&) {
            // No more threads can be started: the running ones and the caller do the work.
        }
    }

    void start_to(int count) {
        workers.reserve(static_cast<std::size_t>(count));
        while (running() < count) {
            int number = running() + 1;
            std::uint32_t seen = generation.load(std::memory_order_relaxed);
            std::thread worker([this, number, seen] { run_worker(number, seen); });
            workers.push_back(worker.native_handle());
            worker.detach();
            elsewhere.forget();
        }
    }

    // Wakes workers for jobs that come while they spin. Does nothing while the pool is busy.
    void wake(int count) {
        std::unique_lock mine(busy, std::try_to_lock);
        if (!mine) return;
        start_workers(count);
        elsewhere.keep(workers);
        generation.fetch_add(1, std::memory_order_release);
        generation.notify_all();
    }

    // Waits for the workers inside; yields after kPatience, as a worker may be preempted.
    void close() {
        constexpr int kPatience = 2000;  // rounds, some 40 us
        door.fetch_and(~kOpen, std::memory_order_acq_rel);
        for (int round = 0; door.load(std::memory_order_acquire) != 0; ++round) {
            if (round == kPatience) return wait_long();
            pause_briefly();
        }
    }
    void wait_long() {
        const auto begin = Clock::now();
        while (door.load(std::memory_order_acquire) != 0) std::this_thread::yield();
        const auto end = Clock::now();
        const auto rest = std::min<Clock::duration>(kRest * (end - begin), kLongestRest);
        rest_until.store((end + rest).time_since_epoch().count(), std::memory_order_relaxed);
    }

    // Returns whether short work stays on one thread, as a worker was descheduled a short time ago.
    bool rests() {
        const Clock::rep until = rest_until.load(std::memory_order_relaxed);
        if (until == 0) return false;
        if (Clock::now().time_since_epoch().count() < until) return true;
        rest_until.store(0, std::memory_order_relaxed);
        return false;
    }
};

// A child of fork has none of its parent's threads, so it leaves the old pool in whatever state it
// was and starts a new one. Never deleted: workers run to the end of the process.
std::atomic<Pool*> current{nullptr};

void forget_pool() { current.store(nullptr, std::memory_order_release); }

Pool& pool() {
    Pool* p = current.load(std::memory_order_acquire);
    if (p) return *p;
    static std::once_flag once;
    std::call_once(once, [] { platform::at_fork(nullptr, nullptr, forget_pool); });
    auto* fresh = new Pool;
    if (current.compare_exchange_strong(p, fresh)) return *fresh;
    delete fresh;
    return *p;
}

// Seconds of work on one thread from which it is shared with spinning workers, and with parked
// ones; each thread takes kLeastShare or more.
constexpr double kWorthSharing = 1e-6, kWorthWaking = 40e-6, kLeastShare = kWorthSharing / 2;
// Parked workers are woken for a series of pieces after kLeastDone of them ran on one thread, or
// (Ahead) when kLeastAhead is known to come. Pieces of the former must be longer: each is a flush,
// and takes longer to gain from workers.
constexpr double kLeastPiece = 8e-6, kLeastDone = 60e-6;
constexpr double kLeastPieceAhead = 4e-6, kLeastAhead = 100e-6;

// A series of pieces of work that ran on one thread because the workers are parked.
class ShortWork {
  public:
    // Called before a piece of `seconds`. Returns whether the pieces before it were worth workers.
    bool worth_waking(double seconds) {
        if (seconds < kLeastPiece) return false;
        const auto now = Clock::now();
        if (now - done_ > kSpin) start(now);
        const bool worth = work_ >= kLeastDone && work_ >= kLeastPart * seconds_of(now - begin_);
        if (worth || now - begin_ > kLongest) start(now);
        work_ += seconds;
        done_ = now + std::chrono::nanoseconds(static_cast<std::int64_t>(kSlow * seconds * 1e9));
        return worth;
    }

  private:
    static constexpr double kLeastPart = 0.4;  // of the time since the series began
    static constexpr auto kLongest = std::chrono::microseconds(500);
    static constexpr double kSlow = 4;  // upper bound of actual over estimated time
    Clock::time_point begin_{}, done_{};
    double work_ = 0;

    static double seconds_of(Clock::duration d) { return std::chrono::duration<double>(d).count(); }
    void start(Clock::time_point now) {
        begin_ = now;
        work_ = 0;
    }
};

// One word of static thread storage, as every block reads it.
[[gnu::tls_model("initial-exec")]] thread_local enum class Place : std::uint8_t {
    Caller,
    BackgroundFlush,
    BackgroundAlone
} place = Place::Caller;

// A thread that waits for the background thread spins and has a processor free. With two processors
// there is no other worker.
int threads_in_background(double seconds) {
    int threads = thread_count();
    if (seconds < kWorthWaking) {
        if (seconds < kWorthSharing || pool().rests()) return 1;
        if (!workers_awake()) threads = std::min(threads, 2);
    }
    return std::max(1, static_cast<int>(std::min<double>(threads, seconds / kLeastShare)));
}

}  // namespace

void work_in_background(bool with_helper) {
    place = with_helper ? Place::BackgroundFlush : Place::BackgroundAlone;
}

int thread_count() {
    auto setting = static_cast<int>(settings().get(Setting::threads));
    if (setting > 0) return std::min(setting, kMaxThreads);
    // Read once: affinity and quota rarely change under a process, and reading costs 100 us.
    static const int machine = std::clamp(platform::allowed_processors(), 1, kMaxThreads);
    return machine;
}

bool workers_awake() { return pool().spinning.load(std::memory_order_relaxed) > 0; }

int threads_for(double seconds) {
    if (place == Place::BackgroundAlone) return 1;
    if (settings().get(Setting::parallelize) != 0) return thread_count();
    if (place == Place::BackgroundFlush) return threads_in_background(seconds);
    if (seconds < kWorthSharing) return 1;
    const int threads = thread_count();
    if (threads == 1 || (seconds < kWorthWaking && pool().rests())) return 1;
    if (seconds >= kWorthWaking || workers_awake()) {
        return static_cast<int>(std::min<double>(threads, seconds / kLeastShare));
    }
    thread_local ShortWork alone;
    if (alone.worth_waking(seconds)) pool().wake(threads - 1);
    return 1;
}

void expect_work(double seconds, std::int64_t pieces) {
    // A single piece decides for itself (threads_for).
    if (pieces < 2 || seconds < kLeastAhead || place == Place::BackgroundAlone) return;
    if (seconds < kLeastPieceAhead * static_cast<double>(pieces)) return;
    const int workers = thread_count() - (place == Place::BackgroundFlush ? 2 : 1);
    if (workers > 0 && !workers_awake() && !pool().rests()) pool().wake(workers);
}

Helper::Helper() : seen_(pool().generation.load(std::memory_order_relaxed) - 1) {}

bool Helper::help() {
    Pool& p = pool();
    const std::uint32_t now = p.generation.load(std::memory_order_acquire);
    if (now == seen_) return false;
    seen_ = now;
    if (!p.enter()) return false;
    const bool asked = p.beside;
    if (asked) p.claim(p.threads - 1);
    p.leave();
    return asked;
}

void parallel_for(std::int64_t chunks, int threads, ChunkWork work, void* context) {
    threads = static_cast<int>(std::min<std::int64_t>({threads, thread_count(), chunks}));
    Pool& p = pool();
    std::unique_lock busy(p.busy, std::defer_lock);
    if (threads <= 1 || !busy.try_lock()) {
        for (std::int64_t chunk = 0; chunk < chunks; ++chunk) work(context, chunk, 0);
        return;
    }
    const bool beside = place != Place::Caller;
    const int regular = beside ? threads - 1 : threads;
    if (regular > 1) {
        p.start_workers(regular - 1);
        p.elsewhere.keep(p.workers);
    }
    p.share_out(chunks, threads);
    p.regular = regular;
    p.beside = beside;
    p.work = work;
    p.context = context;
    p.failed.store(false, std::memory_order_relaxed);
    p.failure = nullptr;
    p.door.store(Pool::kOpen, std::memory_order_release);
    p.generation.fetch_add(1, std::memory_order_release);
    if (regular > 1) p.generation.notify_all();
    p.claim(0);
    p.close();
    if (p.failed.load(std::memory_order_relaxed)) {
        std::exception_ptr failure = std::exchange(p.failure, nullptr);
        busy.unlock();
        std::rethrow_exception(failure);
    }
}

}  // namespace hassium
