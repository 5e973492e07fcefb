#include "base/machine_memory.hpp"

#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace hassium {
namespace {

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

}  // namespace

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

std::int64_t machine_memory() {
    static const std::int64_t bytes =
        std::min(static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) *
                     static_cast<std::int64_t>(::sysconf(_SC_PAGESIZE)),
                 tightest_limit());
    return bytes;
}

std::int64_t most_allocatable() {
    static const std::int64_t with_swap = machine_memory() + swap_space();
    rlimit addresses{};
    if (::getrlimit(RLIMIT_AS, &addresses) != 0 || addresses.rlim_cur == RLIM_INFINITY) {
        return with_swap;
    }
    return std::min(with_swap, static_cast<std::int64_t>(addresses.rlim_cur));
}

}  // namespace hassium
