// The functions of runtime/platform.hpp on Linux with glibc or musl.
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/platform.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace hassium::platform {
namespace {

// ---- control groups ----

// Returns the folders of this process's control group and of its ancestors that hold the files of
// `controller` ("cpu", "memory"), for version 1 and version 2.
std::vector<std::string> control_groups(std::string_view controller) {
    std::vector<std::string> folders;
    const std::string wanted = "," + std::string(controller) + ",";
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const std::string names = "," + line.substr(first + 1, second - first - 1) + ",";
        const bool unified = names == ",,";
        if (!unified && names.find(wanted) == std::string::npos) continue;
        std::string mount = "/sys/fs/cgroup";
        if (!unified) mount += "/" + std::string(controller);
        std::string path = line.substr(second + 1);
        while (!path.empty() && path != "/") {
            folders.push_back(mount + path);
            path.resize(path.find_last_of('/'));
        }
        folders.push_back(mount);
    }
    return folders;
}

// Returns the quota of one control group in processors, 0 if there is none. Version 2: "max 100000"
// or "150000 100000" in cpu.max; version 1: two files.
double quota_of(const std::string& folder) {
    std::string quota;
    double period = 0;
    if (std::ifstream v2(folder + "/cpu.max"); v2 >> quota >> period) {
        if (quota == "max" || period <= 0) return 0;
        return std::stod(quota) / period;
    }
    double whole = 0;
    std::ifstream v1(folder + "/cpu.cfs_quota_us"), v1_period(folder + "/cpu.cfs_period_us");
    if (v1 >> whole && v1_period >> period && whole > 0 && period > 0) return whole / period;
    return 0;
}

// Returns the tightest quota from this process's group up to the root; 0 if there is none.
double tightest_quota() {
    double least = 0;
    for (const std::string& folder : control_groups("cpu")) {
        const double quota = quota_of(folder);
        if (quota > 0 && (least == 0 || quota < least)) least = quota;
    }
    return least;
}

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

// Version 2: a number or "max"; version 1: a number, near 2^63 where there is no limit.
std::int64_t limit_of(const std::string& folder) {
    std::int64_t bytes = 0;
    if (std::ifstream v2(folder + "/memory.max"); v2 >> bytes) return bytes;
    if (std::ifstream v1(folder + "/memory.limit_in_bytes"); v1 >> bytes) return bytes;
    return kNoLimit;
}

std::int64_t tightest_limit() {
    std::int64_t least = kNoLimit;
    for (const std::string& folder : control_groups("memory")) {
        least = std::min(least, limit_of(folder));
    }
    return least;
}

std::int64_t swap_space() {
    struct sysinfo found{};
    if (::sysinfo(&found) != 0) return 0;
    return static_cast<std::int64_t>(found.totalswap) * found.mem_unit;
}

std::int64_t page_bytes() {
    static const std::int64_t bytes = ::sysconf(_SC_PAGESIZE);
    return bytes;
}

std::int64_t clock(clockid_t which) {
    timespec now{};
    ::clock_gettime(which, &now);
    return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

}  // namespace

// ---- the machine ----

int allowed_processors() {
    int count = 0;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) == 0) count = CPU_COUNT(&set);
    if (count <= 0) count = static_cast<int>(std::thread::hardware_concurrency());
    const double quota = tightest_quota();
    if (quota > 0) count = std::min(count, std::max(1, static_cast<int>(quota + 0.5)));
    return std::max(count, 1);
}

std::int64_t memory_bytes() {
    static const std::int64_t bytes = std::min(
        static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * page_bytes(), tightest_limit());
    return bytes;
}

std::int64_t most_allocatable() {
    static const std::int64_t with_swap = memory_bytes() + swap_space();
    rlimit addresses{};
    if (::getrlimit(RLIMIT_AS, &addresses) != 0 || addresses.rlim_cur == RLIM_INFINITY) {
        return with_swap;
    }
    return std::min(with_swap, static_cast<std::int64_t>(addresses.rlim_cur));
}

std::int64_t cache_bytes([[maybe_unused]] int level) {
#ifdef _SC_LEVEL1_DCACHE_SIZE
    constexpr int kNames[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE};
    return std::max<std::int64_t>(::sysconf(kNames[level - 1]), 0);
#else
    return 0;
#endif
}

// ---- the process ----

int process_id() { return ::getpid(); }

std::int64_t page_faults() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

void at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) {
    ::pthread_atfork(before, in_parent, in_child);
}

// ---- memory ----

char* map_memory(std::int64_t bytes) {
    // Maps one huge page more than needed and unmaps what is outside of the aligned range.
    bytes = (bytes + page_bytes() - 1) / page_bytes() * page_bytes();
    const auto size = static_cast<std::size_t>(bytes + kHugePage);
    void* raw = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return nullptr;
    char* start = static_cast<char*>(raw);
    auto address = reinterpret_cast<std::uintptr_t>(raw);
    char* aligned = start + (kHugePage - address % kHugePage) % kHugePage;
    if (aligned != start) ::munmap(start, static_cast<std::size_t>(aligned - start));
    char* end = start + size;
    if (aligned + bytes != end) {
        ::munmap(aligned + bytes, static_cast<std::size_t>(end - (aligned + bytes)));
    }
#ifdef MADV_HUGEPAGE
    ::madvise(aligned, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
#endif
    return aligned;
}

void unmap_memory(char* memory, std::int64_t bytes) {
    ::munmap(memory, static_cast<std::size_t>(bytes));
}

void trim_heap() {
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

// ---- clocks ----

std::int64_t coarse_clock() { return clock(CLOCK_MONOTONIC_COARSE); }
std::int64_t thread_clock() { return clock(CLOCK_THREAD_CPUTIME_ID); }

// ---- threads ----

WithoutSignals::WithoutSignals() {
    static_assert(sizeof(sigset_t) <= sizeof before_.bytes);
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::memcpy(before_.bytes, &before, sizeof before);
}

WithoutSignals::~WithoutSignals() {
    sigset_t before;
    std::memcpy(&before, before_.bytes, sizeof before);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

int current_processor() { return ::sched_getcpu(); }

void keep_off(int processor, int many, std::span<const ThreadHandle> threads) {
    cpu_set_t others;
    CPU_ZERO(&others);
    if (::sched_getaffinity(0, sizeof others, &others) != 0) return;
    CPU_CLR(processor, &others);
    const int count = CPU_COUNT(&others);
    if (count == 0 || count >= many) return;
    for (const ThreadHandle thread : threads) {
        ::pthread_setaffinity_np(thread, sizeof others, &others);
    }
}

}  // namespace hassium::platform
