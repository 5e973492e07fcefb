// Handling of process forks.
#include <exception>
#include <memory>
#include <mutex>

#include "engine/background/ticket.hpp"
#include "engine/state.hpp"

namespace hassium {

// Waits while another thread is about to fork, so that no job begins.
void Engine::State::wait_for_fork(const Host& host) {
    while (awaits_fork()) wait_until(host, [this] { return forking == 0; });
}

// A child of fork has only the forking thread: a flush of another thread would never end there. No
// flush may begin either: a thread that flushes in a loop would never be idle. The interpreter runs
// other code between this and the fork, signal handlers among it: so the fork itself takes the
// locks (State::prepare_fork).
void Engine::before_fork() {
    state_->wait_for_fork(host_);  // of another thread
    {
        std::lock_guard lock(state_->mutex);
        ++state_->forking;
        state_->forker = std::this_thread::get_id();
    }
    std::exception_ptr failure;
    try {
        while (state_->background_flush) state_->await_background_flush(host_);
    } catch (...) {  // the fork proceeds regardless
        failure = std::current_exception();
    }
    for (std::size_t k = 0; k < state_->queues.size(); ++k) {
        std::shared_ptr<Queue> queue = state_->queues[k];
        while (queue->running && queue->runner != std::this_thread::get_id()) {
            state_->wait_until(host_, [&queue] { return !queue->running; });
        }
    }
    if (failure) std::rethrow_exception(failure);
}

// Ends a fork that this thread announced. Other code forks unannounced and may not touch the
// queues.
bool Engine::State::end_announced_fork() {
    if (forking == 0 || awaits_fork()) return false;
    --forking;
    return true;
}

void Engine::State::after_fork_parent() {
    end_announced_fork();
    mutex.unlock();
    finished->notify_all();
}

void Engine::State::after_fork_child() {
    if (end_announced_fork()) {
        waiting = 0;
        finished.release();
        finished = std::make_unique<std::condition_variable>();
        for (const std::shared_ptr<Queue>& queue : queues) queue->leave_alone();
    }
    mutex.unlock();
}

}  // namespace hassium
