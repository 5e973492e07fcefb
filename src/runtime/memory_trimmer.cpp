#include "runtime/memory_trimmer.hpp"

#include <chrono>
#include <system_error>
#include <thread>

#include "runtime/memory_pool.hpp"
#include "runtime/platform.hpp"

namespace hassium {
namespace {

constexpr auto kLook = std::chrono::milliseconds(800);

}  // namespace

void MemoryTrimmer::wake() {
    if (awake_.exchange(true)) return;
    if (started_in_.load() != platform::process_id() && !start_thread()) {
        awake_.store(false);
        return;
    }
    awake_.notify_one();
}

bool MemoryTrimmer::start_thread() {
    const platform::WithoutSignals quiet;
    try {
        std::thread([this] { work(); }).detach();
    } catch (const std::system_error&) {  // no thread started: the next kept block tries again
        return false;
    }
    started_in_.store(platform::process_id());
    return true;
}

void MemoryTrimmer::work() {
    for (;;) {
        awake_.wait(false);
        std::this_thread::sleep_for(kLook);
        if (pool_.trim_unused()) continue;
        awake_.store(false);
        // A thread that saw this one awake may have kept a block since.
        if (pool_.keeps_any()) awake_.store(true);
    }
}

}  // namespace hassium
