// Memory of the pool: alignment, reuse, bounds, exhaustion.
#include "runtime/memory_pool.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

#include "base/counters.hpp"
#include "base/settings.hpp"
#include "support/check.hpp"
#include "support/children.hpp"

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
    memory_pool().synchronize();
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

void what_is_of_no_use_gives_way() {
    MemoryPool pool;
    settings().set("pool_bytes", "1000000");
    std::vector<char*> blocks;
    for (int k = 0; k < 3; ++k) blocks.push_back(pool.acquire(300000));
    for (char* block : blocks) pool.release(block, 300000);
    pool.release(pool.acquire(10000), 10000);
    // There is room for this one beside two of the three.
    char* other = pool.acquire(250000);
    pool.release(other, 250000);
    const std::int64_t misses = counters().get(Counter::pool_misses);
    for (int k = 0; k < 3; ++k) {
        CHECK(pool.acquire(250000) == other);
        pool.release(other, 250000);
        pool.release(pool.acquire(10000), 10000);
    }
    CHECK(counters().get(Counter::pool_misses) == misses);
    CHECK(pool.stats().kept > 800000 && pool.stats().kept <= 1000000);
    // Larger than all that may be kept: nothing gives way to it.
    const std::int64_t kept = pool.stats().kept;
    pool.release(pool.acquire(2000000), 2000000);
    CHECK(pool.stats().kept == kept);
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

// Forks while another thread gives memory back; none of it is lost to the child.
void a_child_has_every_kept_block() {
    constexpr std::int64_t kBytes = 50'000;
    memory_pool().trim();
    std::atomic<bool> stop{false};
    std::thread other([&stop] {
        char* blocks[1000];
        while (!stop) {
            for (char*& block : blocks) block = memory_pool().acquire(kBytes);
            for (char* block : blocks) memory_pool().release(block, kBytes);
            memory_pool().trim();
        }
    });
    for (int k = 0; k < 500; ++k) {
        const pid_t child = ::fork();
        if (child == 0) {
            memory_pool().trim();
            ::_exit(memory_pool().stats().kept == 0 ? 0 : 1);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    stop = true;
    other.join();
}

}  // namespace

int main() {
    blocks_are_aligned_and_whole();
    freed_blocks_come_back();
    the_bound_is_kept();
    what_is_of_no_use_gives_way();
    if (children_start_threads()) exhaustion_trims_once();
    only_what_was_asked_for_may_be_touched();
    threads_share_the_pool();
    a_child_has_every_kept_block();
    return 0;
}
