#include "runtime/memory_trimmer.hpp"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <thread>

#include "runtime/memory_pool.hpp"

namespace hassium {
namespace {

constexpr auto kLook = std::chrono::milliseconds(800);

}  // namespace

void MemoryTrimmer::wake() {
    if (awake_.exchange(true)) return;
    if (started_in_.load() != ::getpid() && !start_thread()) {
        awake_.store(false);
        return;
    }
    awake_.notify_one();
}

// Handlers of signals belong to the host's threads.
bool MemoryTrimmer::start_thread() {
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = true;
    try {
        std::thread([this] { work(); }).detach();
        started_in_.store(::getpid());
    } catch (const std::system_error&) {  // no thread to be had: the next kept block tries again
        started = false;
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
}

void MemoryTrimmer::work() {
    for (;;) {
        awake_.wait(false);
        std::this_thread::sleep_for(kLook);
        if (pool_.trim_unused()) continue;
        awake_.store(false);
        // A block may have been kept since, by a thread that saw this one awake.
        if (pool_.keeps_any()) awake_.store(true);
    }
}

}  // namespace hassium
