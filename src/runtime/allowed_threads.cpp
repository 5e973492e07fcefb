#include "runtime/allowed_threads.hpp"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

#include "base/machine_memory.hpp"

namespace hassium {
namespace {

// Quota of one control group in CPUs, 0 when there is none. Version 2: "max 100000" or
// "150000 100000" in cpu.max; version 1: two files.
double quota_of(const std::string& directory) {
    std::string quota;
    double period = 0;
    if (std::ifstream v2(directory + "/cpu.max"); v2 >> quota >> period) {
        if (quota == "max" || period <= 0) return 0;
        return std::stod(quota) / period;
    }
    double whole = 0;
    std::ifstream v1(directory + "/cpu.cfs_quota_us"), v1_period(directory + "/cpu.cfs_period_us");
    if (v1 >> whole && v1_period >> period && whole > 0 && period > 0) return whole / period;
    return 0;
}

// The tightest quota on the way from this process's group up to the root.
double cgroup_quota() {
    double least = 0;
    auto take = [&least](double q) {
        if (q > 0 && (least == 0 || q < least)) least = q;
    };
    for (const std::string& folder : control_groups("cpu")) take(quota_of(folder));
    return least;
}

}  // namespace

int allowed_threads() {
    int count = 0;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof(set), &set) == 0) count = CPU_COUNT(&set);
    if (count <= 0) count = static_cast<int>(std::thread::hardware_concurrency());
    double quota = cgroup_quota();
    if (quota > 0) count = std::min(count, std::max(1, static_cast<int>(quota + 0.5)));
    return std::max(count, 1);
}

}  // namespace hassium
