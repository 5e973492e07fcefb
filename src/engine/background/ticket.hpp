// The order of the threads that run jobs of a queue. Private to src/engine.
#pragma once

#include <exception>
#include <mutex>
#include <thread>

#include "base/error.hpp"
#include "engine/state.hpp"

namespace hassium {

template <class Condition>
void Engine::State::wait_until(const Host& host, Condition condition) {
    ++waiting;
    void* left = host.leave();
    {
        std::unique_lock lock(mutex);
        finished->wait(lock, condition);
    }
    host.enter(left);
    --waiting;
}

// A thread's ticket for running jobs of a queue. The constructor waits until the ticket is served;
// the end of the job, or the destructor, passes it on. Tickets keep the order fair: a thread that
// flushes in a loop would otherwise starve the others. A background job keeps its ticket until a
// waiting thread takes it back. No ticket is served, or kept, while another thread is about to
// fork: code that runs in the fork may flush the queue.
class Engine::State::Ticket {
  public:
    Ticket(State& state, Queue& queue, const Host& host) : state_(state) {
        if (queue.running && queue.runner == std::this_thread::get_id()) {
            throw UserError(ErrorKind::Runtime, "[flush] called while this thread is flushing");
        }
        do {
            pass();
            state.wait_for_fork(host);
        } while (!take(queue, host) || state.awaits_fork());
    }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;
    ~Ticket() { pass(); }

    Queue& queue() const { return *queue_; }
    void pass() {
        if (!queue_) return;
        if (state_.waiting == 0) return end();  // waiters register under the host's lock
        {
            std::lock_guard lock(state_.mutex);
            end();
        }
        state_.finished->notify_all();
    }

  private:
    State& state_;
    Queue* queue_ = nullptr;

    // Waits for the ticket. False: it was passed on to report the outcome of a background job.
    bool take(Queue& queue, const Host& host);
    void end() {
        queue_->running.store(false, std::memory_order_relaxed);
        queue_->served.fetch_add(1, std::memory_order_relaxed);
        queue_ = nullptr;
    }
};

}  // namespace hassium
