#include "engine/background/background_thread.hpp"

#include <system_error>
#include <thread>

#include "runtime/platform.hpp"
#include "runtime/spin.hpp"
#include "runtime/thread_pool.hpp"

namespace hassium {

bool BackgroundThread::start(Task task, void* context) {
    if (started_in_ != platform::process_id() && !start_thread()) return false;
    context_ = context;
    task_.store(task, std::memory_order_release);
    affinity_hint_.keep({&thread_, 1});
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_one();
    return true;
}

void BackgroundThread::wake() {
    if (started_in_ != platform::process_id()) return;
    affinity_hint_.keep({&thread_, 1});
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_one();
}

bool BackgroundThread::start_thread() {
    const platform::WithoutSignals quiet;
    try {
        const std::uint32_t seen = generation_.load(std::memory_order_relaxed);
        std::thread thread([this, seen] { work(seen); });
        thread_ = thread.native_handle();
        thread.detach();
        affinity_hint_.forget();
        started_in_ = platform::process_id();
    } catch (const std::system_error&) {  // no thread can be started: the caller runs the task
    }
    return started_in_ == platform::process_id();
}

void BackgroundThread::work(std::uint32_t seen) {
    for (;;) {
        seen = await_task(seen);
        if (const Task task = task_.exchange(nullptr, std::memory_order_acquire)) task(context_);
    }
}

std::uint32_t BackgroundThread::await_task(std::uint32_t seen) {
    auto come = [&] { return generation_.load(std::memory_order_acquire) != seen; };
    if (!spin_until(come)) generation_.wait(seen, std::memory_order_acquire);
    return generation_.load(std::memory_order_acquire);
}

}  // namespace hassium
