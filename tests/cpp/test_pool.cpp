// Memory pool, thread pool.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/counters.hpp"
#include "base/settings.hpp"
#include "exec/elsewhere.hpp"
#include "exec/memory_pool.hpp"
#include "exec/thread_pool.hpp"
#include "support/check.hpp"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace {

using namespace hassium;  // NOLINT: tests speak of the project alone

bool aligned(const char* memory, std::uintptr_t bytes) {
    return reinterpret_cast<std::uintptr_t>(memory) % bytes == 0;
}

void blocks_are_aligned_and_whole() {
    for (std::int64_t bytes :
         {0, 1, 63, 64, 65, 4095, 4097, 70000, 1 << 20, (1 << 20) + 1, 5000000, 40000000}) {
        char* memory = memory_pool().acquire(bytes);
        CHECK(memory && aligned(memory, 64));
        if (bytes > 1 << 20) CHECK(aligned(memory, 2 << 20));
        std::memset(memory, 0x5a, static_cast<std::size_t>(bytes));
        memory_pool().release(memory, bytes);
    }
}

void freed_blocks_come_back() {
    for (std::int64_t bytes : {100, 5000, 3000000}) {
        char* first = memory_pool().acquire(bytes);
        memory_pool().release(first, bytes);
        std::int64_t misses = counters().get(Counter::pool_misses);
        char* second = memory_pool().acquire(bytes);
        CHECK(second == first);
        CHECK(counters().get(Counter::pool_misses) == misses);
        memory_pool().release(second, bytes);
    }
}

void the_bound_is_kept() {
    // Small blocks are the thread's: what it has not told yet is not the other pool's business.
    memory_pool().settle();
    MemoryPool pool;
    settings().set("pool_bytes", "1000000");
    char* a = pool.acquire(600000);
    char* b = pool.acquire(600000);
    CHECK(pool.stats().held >= 1200000 && pool.stats().peak >= 1200000);
    pool.release(a, 600000);
    pool.release(b, 600000);
    CHECK(pool.stats().held == 0);
    CHECK(pool.stats().kept > 0 && pool.stats().kept <= 1000000);
    pool.trim();
    CHECK(pool.stats().kept == 0);
    settings().set("pool_bytes", "0");
}

// Not under sanitizers, which map more than any bound leaves them.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void exhaustion_trims_once() {
    pid_t child = ::fork();
    if (child == 0) {
        constexpr std::int64_t half = std::int64_t{300} << 20;
        rlimit limit{std::size_t{900} << 20, std::size_t{900} << 20};
        ::setrlimit(RLIMIT_AS, &limit);
        char* kept = memory_pool().acquire(half);
        memory_pool().release(kept, half);
        // Only possible when the kept block is given back first.
        char* large = memory_pool().acquire(2 * half);
        memory_pool().release(large, 2 * half);
        bool refused = false;
        try {
            memory_pool().acquire(std::int64_t{1} << 40);
        } catch (const std::bad_alloc&) {
            refused = true;
        }
        ::_exit(refused ? 0 : 2);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
#else
void exhaustion_trims_once() {}
#endif

// What the address sanitizer is told.
#if defined(__SANITIZE_ADDRESS__)
void only_what_was_asked_for_may_be_touched() {
    for (std::int64_t bytes : {10, 5000, 3000000}) {
        for (int round = 0; round < 2; ++round) {
            char* memory = memory_pool().acquire(bytes);
            CHECK(!__asan_region_is_poisoned(memory, static_cast<std::size_t>(bytes)));
            CHECK(__asan_address_is_poisoned(memory + bytes));
            memory_pool().release(memory, bytes);
            CHECK(__asan_address_is_poisoned(memory));
        }
    }
}
#else
void only_what_was_asked_for_may_be_touched() {}
#endif

void threads_share_the_pool() {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([t] {
            check::Random random{static_cast<unsigned long long>(t) + 1};
            std::vector<std::pair<char*, std::int64_t>> mine;
            for (int k = 0; k < 5000; ++k) {
                if (mine.size() > 20) {
                    auto [memory, bytes] = mine.front();
                    CHECK(memory[0] == static_cast<char>(t) && memory[bytes - 1] == memory[0]);
                    memory_pool().release(memory, bytes);
                    mine.erase(mine.begin());
                }
                std::int64_t bytes = random.between(1, 20000);
                char* memory = memory_pool().acquire(bytes);
                std::memset(memory, t, static_cast<std::size_t>(bytes));
                mine.push_back({memory, bytes});
            }
            for (auto [memory, bytes] : mine) memory_pool().release(memory, bytes);
        });
    }
    for (std::thread& t : threads) t.join();
}

// --- threads
// --------------------------------------------------------------------------------------

struct Tally {
    std::vector<std::atomic<int>> seen;
    std::atomic<int> workers{0};
    explicit Tally(std::size_t n) : seen(n) {}
    static void visit(void* context, std::int64_t chunk, int worker) {
        auto& self = *static_cast<Tally*>(context);
        self.seen[static_cast<std::size_t>(chunk)].fetch_add(1);
        int mask = 1 << worker;
        self.workers.fetch_or(mask);
    }
};

void every_chunk_runs_once() {
    settings().set("threads", "4");
    for (int round = 0; round < 2000; ++round) {
        Tally tally(static_cast<std::size_t>(1 + round % 50));
        parallel_for(static_cast<std::int64_t>(tally.seen.size()), 1 + round % 4, Tally::visit,
                     &tally);
        for (auto& count : tally.seen) CHECK(count.load() == 1);
        CHECK(tally.workers.load() < 1 << 4);
    }
}

// Which chunks each worker ran, in order.
struct Diary {
    std::vector<std::int64_t> ran[4];
    static void visit(void* context, std::int64_t chunk, int worker) {
        static_cast<Diary*>(context)->ran[worker].push_back(chunk);
    }
};

void shares_of_others_come_after_ones_own() {
    constexpr int kThreads = 4;
    constexpr std::int64_t kChunks = 50;
    auto share_of = [](std::int64_t chunk) {
        int share = kThreads;
        while (chunk < kChunks * --share / kThreads) {
        }
        return share;
    };
    for (int round = 0; round < 200; ++round) {
        Diary diary;
        parallel_for(kChunks, kThreads, Diary::visit, &diary);
        for (int worker = 0; worker < kThreads; ++worker) {
            std::int64_t before = -1;
            for (std::int64_t chunk : diary.ran[worker]) {
                // As the worker meets them: shares in turn from his own, each from its beginning.
                const int turn = (share_of(chunk) - worker + kThreads) % kThreads;
                const std::int64_t place = turn * kChunks + chunk;
                CHECK(place > before);
                before = place;
            }
        }
    }
}

void several_flushes_at_once() {
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([] {
            for (int round = 0; round < 300; ++round) {
                Tally tally(64);
                parallel_for(64, 4, Tally::visit, &tally);
                for (auto& count : tally.seen) CHECK(count.load() == 1);
            }
        });
    }
    for (std::thread& t : threads) t.join();
}

void errors_reach_the_caller() {
    for (int round = 0; round < 50; ++round) {
        bool caught = false;
        try {
            parallel_for(
                100, 4,
                [](void*, std::int64_t chunk, int) {
                    if (chunk == 37) throw std::runtime_error("chunk 37");
                },
                nullptr);
        } catch (const std::runtime_error& error) {
            caught = std::string(error.what()) == "chunk 37";
        }
        CHECK(caught);
    }
}

void children_have_their_own_workers() {
    Tally before(64);
    parallel_for(64, 4, Tally::visit, &before);
    pid_t child = ::fork();
    if (child == 0) {
        Tally tally(64);
        parallel_for(64, 4, Tally::visit, &tally);
        for (auto& count : tally.seen) {
            if (count.load() != 1) ::_exit(1);
        }
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(60);  // on a machine with other work

void work_alone(std::chrono::microseconds span) {
    for (const auto end = Clock::now() + span; Clock::now() < end;) {
    }
}

void until_workers_park() {
    for (const auto end = Clock::now() + kPatience; workers_awake(); ::usleep(1000)) {
        CHECK(Clock::now() < end);
    }
}

void a_run_of_short_work_wakes_parked_workers() {
    settings().set("threads", "2");
    until_workers_park();
    const auto end = Clock::now() + kPatience;
    for (int round = 1; threads_for(10e-6) == 1; ++round) {
        CHECK(Clock::now() < end);
        work_alone(std::chrono::microseconds(10));
        // With other work on the machine the worker may wake on this thread's core again and again,
        // spin while this thread cannot look, and park.
        if (round % 1000 == 0) ::usleep(1000);
    }
}

// Within a time that is long beside the one it takes to wake them.
bool workers_wake() {
    for (const auto end = Clock::now() + std::chrono::milliseconds(2); Clock::now() < end;) {
        if (workers_awake()) return true;
    }
    return false;
}

void work_to_come_wakes_parked_workers() {
    settings().set("threads", "2");
    // With other work on the machine workers may wake late: for the next to see.
    auto until = [](bool wake, double seconds, std::int64_t pieces) {
        for (const auto end = Clock::now() + kPatience;;) {
            until_workers_park();
            expect_work(seconds, pieces);
            if (workers_wake() == wake) break;
            CHECK(Clock::now() < end);
        }
    };
    until(true, 1e-3, 10);
    until(false, 50e-6, 5);    // little work
    until(false, 1e-3, 1000);  // in short pieces
}

// A worker that keeps the caller waiting is left alone for a while.
void short_work_rests_after_a_wait() {
    settings().set("threads", "2");
    std::atomic<bool> entered{false};
    const auto end = Clock::now() + kPatience;
    while (!entered) {
        CHECK(Clock::now() < end);
        parallel_for(
            2, 2,
            [](void* flag, std::int64_t, int worker) {
                auto& worker_is_in = *static_cast<std::atomic<bool>*>(flag);
                if (worker == 1) {
                    worker_is_in = true;
                    ::usleep(50'000);
                }
                const auto soon = Clock::now() + std::chrono::milliseconds(1);
                while (worker == 0 && !worker_is_in && Clock::now() < soon) {
                }
            },
            &entered);
    }
    work_alone(std::chrono::microseconds(10));  // the worker spins by then
    CHECK(threads_for(10e-6) == 1);
    CHECK(threads_for(1e-3) == 2);
    a_run_of_short_work_wakes_parked_workers();
}

// Too short to share even so, or too far apart: they would be parked again by then.
void single_work_wakes_nobody() {
    settings().set("threads", "2");
    for (int piece = 0; piece < 1000; ++piece) {
        until_workers_park();
        CHECK(threads_for(2e-6) == 1);
        work_alone(std::chrono::microseconds(2));
    }
    for (int piece = 0; piece < 50; ++piece) {
        until_workers_park();
        CHECK(threads_for(20e-6) == 1);
        ::usleep(1000);
    }
    CHECK(threads_for(1e-3) == 2);
}

void the_setting_bounds_threads() {
    settings().set("threads", "3");
    CHECK(thread_count() == 3);
    settings().set("threads", "0");
    CHECK(thread_count() >= 1);
}

// Chunks of a thread aside that nobody finishes before the guest has run one.
struct Shared {
    static constexpr int kChunks = 64;
    std::atomic<int> runs[kChunks] = {};
    std::atomic<int> by_guest{0};
    std::thread::id guest = std::this_thread::get_id();
    int threads = 0;

    static void run(void* context, std::int64_t chunk, int worker) {
        auto& self = *static_cast<Shared*>(context);
        const bool guest = std::this_thread::get_id() == self.guest;
        CHECK(guest == (worker == self.threads - 1));
        ++self.runs[chunk];
        if (guest) ++self.by_guest;
        while (self.by_guest == 0) std::this_thread::yield();
    }
};

void who_waits_for_the_thread_aside_takes_part() {
    for (int threads : {2, 3}) {
        settings().set("threads", std::to_string(threads));
        Shared shared;
        shared.threads = threads;
        std::atomic<bool> over{false};
        std::thread aside([&] {
            work_aside(true);
            CHECK(threads_for(1e-3) == threads);
            parallel_for(Shared::kChunks, threads, Shared::run, &shared);
            over = true;
        });
        Guest guest;
        bool helped = false;
        while (!over) helped |= guest.help();
        aside.join();
        CHECK(helped && shared.by_guest > 0);
        for (const auto& runs : shared.runs) CHECK(runs == 1);
        CHECK(!guest.help());
    }
    std::thread([] {
        work_aside(false);
        CHECK(threads_for(1.0) == 1);
    }).join();
    // Its own work is nobody else's.
    settings().set("threads", "2");
    std::atomic<int> chunks{0};
    parallel_for(
        4, 2, [](void* c, std::int64_t, int) { ++*static_cast<std::atomic<int>*>(c); }, &chunks);
    CHECK(!Guest().help() && chunks == 4);
    settings().set("threads", "0");
}

void threads_are_kept_off_their_callers_processor() {
    cpu_set_t own, others;
    CHECK(::sched_getaffinity(0, sizeof own, &own) == 0);
    const int count = CPU_COUNT(&own);
    std::atomic<bool> over{false};
    std::thread thread([&] { over.wait(false); });
    const pthread_t handle = thread.native_handle();
    auto allowed = [&] {
        CHECK(::pthread_getaffinity_np(handle, sizeof others, &others) == 0);
        return CPU_COUNT(&others);
    };
    Elsewhere elsewhere;
    elsewhere.keep({&handle, 1});
    CHECK(allowed() == (count >= 2 && count <= 8 ? count - 1 : count));
    CHECK(::pthread_setaffinity_np(handle, sizeof own, &own) == 0);
    elsewhere.forget();
    elsewhere.keep({&handle, 1});  // a new thread is told
    CHECK(allowed() == (count >= 2 && count <= 8 ? count - 1 : count));
    over = true;
    over.notify_one();
    thread.join();
}

}  // namespace

int main() {
    blocks_are_aligned_and_whole();
    freed_blocks_come_back();
    the_bound_is_kept();
    exhaustion_trims_once();
    only_what_was_asked_for_may_be_touched();
    threads_share_the_pool();
    every_chunk_runs_once();
    shares_of_others_come_after_ones_own();
    several_flushes_at_once();
    errors_reach_the_caller();
    children_have_their_own_workers();
    a_run_of_short_work_wakes_parked_workers();
    work_to_come_wakes_parked_workers();
    short_work_rests_after_a_wait();
    single_work_wakes_nobody();
    who_waits_for_the_thread_aside_takes_part();
    threads_are_kept_off_their_callers_processor();
    the_setting_bounds_threads();
    return 0;
}
