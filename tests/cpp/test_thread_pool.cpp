// The pool of threads: shares, errors, forks, who is woken and where.
#include "runtime/thread_pool.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/settings.hpp"
#include "runtime/affinity_hint.hpp"
#include "support/check.hpp"
#include "support/children.hpp"

namespace {

using namespace hassium;  // NOLINT: tests speak of the project alone

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
    std::thread::id helper = std::this_thread::get_id();
    int threads = 0;

    static void run(void* context, std::int64_t chunk, int worker) {
        auto& self = *static_cast<Shared*>(context);
        const bool helper = std::this_thread::get_id() == self.helper;
        CHECK(helper == (worker == self.threads - 1));
        ++self.runs[chunk];
        if (helper) ++self.by_guest;
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
            work_in_background(true);
            CHECK(threads_for(1e-3) == threads);
            parallel_for(Shared::kChunks, threads, Shared::run, &shared);
            over = true;
        });
        Helper helper;
        bool helped = false;
        while (!over) helped |= helper.help();
        aside.join();
        CHECK(helped && shared.by_guest > 0);
        for (const auto& runs : shared.runs) CHECK(runs == 1);
        CHECK(!helper.help());
    }
    std::thread([] {
        work_in_background(false);
        CHECK(threads_for(1.0) == 1);
    }).join();
    // Its own work is nobody else's.
    settings().set("threads", "2");
    std::atomic<int> chunks{0};
    parallel_for(
        4, 2, [](void* c, std::int64_t, int) { ++*static_cast<std::atomic<int>*>(c); }, &chunks);
    CHECK(!Helper().help() && chunks == 4);
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
    AffinityHint elsewhere;
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
    every_chunk_runs_once();
    shares_of_others_come_after_ones_own();
    several_flushes_at_once();
    errors_reach_the_caller();
    if (children_start_threads()) children_have_their_own_workers();
    a_run_of_short_work_wakes_parked_workers();
    work_to_come_wakes_parked_workers();
    short_work_rests_after_a_wait();
    single_work_wakes_nobody();
    who_waits_for_the_thread_aside_takes_part();
    threads_are_kept_off_their_callers_processor();
    the_setting_bounds_threads();
    return 0;
}
