// Automatic flushes that run aside: on a thread of their own, while their queue goes on recording.
//
// Who records hands a job over together with its turn. Whoever wants the queue next takes the job
// back when it is over: writes its memory to the bases, reports, throws what it failed with. So the
// thread never asks for the host's lock. One job at a time is aside, and it shares no work with the
// pool: whoever records has the other core.
#include "engine/aside.hpp"

#include <time.h>

#include <algorithm>

#include "base/settings.hpp"
#include "exec/memory_pool.hpp"
#include "exec/spin.hpp"
#include "exec/thread_pool.hpp"

namespace hassium {
namespace {

// Handing a job over and taking it back costs some microseconds; no signal stops what is aside.
constexpr double kLeastAside = 20e-6, kMostAside = 50e-3;

// What a block moves lies in the other core's cache then, and again in the first one's when
// somebody waits for a flush: seconds for each byte, there and back.
constexpr double kMoving = 1.5e-9;

// A core that others want makes a job wait for whole slices of time. Then nothing goes aside for so
// many times as long; no longer than that.
constexpr std::int64_t kPatience = 150'000, kRest = 30, kLongestRest = 1'000'000'000;

// Nanoseconds that the calling thread has run.
std::int64_t thread_time() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

// All threads together, recording waiting for them, spare a part of what can be shared; one thread
// while recording goes on spares recording, which takes as long as that of this job did. Nobody
// knows when the next read comes: what could have been gained since the last one has to make up for
// the moving of data.
bool gains_aside(const Work& work, double recording, double& gainable) {
    if (work.seconds < kLeastAside || work.seconds > kMostAside) return false;
    if (work.shareable * (1 - 1.0 / thread_count()) > recording) return false;
    gainable += std::min(work.seconds, recording);
    return gainable > kMoving * static_cast<double>(work.most_bytes);
}

}  // namespace

bool Engine::State::may_go_aside() const {
    const std::string_view choice = settings().choice(Setting::aside);
    if (capturing || choice == "off") return false;
    return choice == "on" || (thread_count() > 1 && StageClock::now() >= rests_until);
}

void Engine::State::flush_automatically(Queue& queue, std::size_t count, const Host& host) {
    if (!may_go_aside()) return flush_queue(queue, count, host);
    wait_for_fork(host);
    auto next = std::make_shared<Aside>(*this, queue, host);
    wait_for_fork(host);
    count = std::min(count, queue.size());
    if (count == 0) return;
    const StageClock clock;
    next->run.emplace(queue.take(count), clock);
    Run& run = *next->run;
    if (run.job.program.instructions.empty()) return;
    const double recording = static_cast<double>(run.began - queue.recording_since) * 1e-9;
    begin(next->turn, run);
    const bool all = settings().choice(Setting::aside) == "on";
    // What is to be bound to its numbers, or planned, as steps of eliminations are, is taken for as
    // much work as the job before.
    const Work& work = run.hit ? run.flush->work : queue.work_before;
    if ((all || gains_aside(work, recording, queue.gainable)) && go_aside(next, host)) return;
    run_here(next->turn, run, host);
}

bool Engine::State::go_aside(const std::shared_ptr<Aside>& next, const Host& host) {
    // Another thread's job, which that may be long in taking back.
    if (aside && aside->turn.queue().over && aside->run->quiet()) {
        take_back(aside->turn.queue(), host);
    }
    if (aside) return false;
    Queue& queue = next->turn.queue();
    queue.runner = {};
    if (!side_thread.start(Aside::run_aside, next.get())) {
        queue.runner = std::this_thread::get_id();
        return false;
    }
    aside = next;
    counters().add(Counter::flushes_aside);
    queue.recording_since = StageClock::now();
    return true;
}

void Engine::State::Aside::run_aside(void* context) {
    auto& self = *static_cast<Aside*>(context);
    State& state = self.state;
    const std::int64_t before = thread_time();
    state.run_to_its_end(*self.run);
    memory_pool().settle();
    self.lost = StageClock::now() - self.run->began - (thread_time() - before);
    {
        // From here on somebody may take the job back, and this with it.
        std::lock_guard lock(state.mutex);
        self.turn.queue().over.store(true);
    }
    state.finished->notify_all();
}

void Engine::State::take_back(Queue& queue, const Host& host) {
    HS_CHECK(aside && &aside->turn.queue() == &queue, "what is over is what is aside");
    queue.over.store(false);
    const std::shared_ptr<Aside> ended = std::exchange(aside, nullptr);
    if (ended->lost > kPatience) {
        rests_until = StageClock::now() + std::min(kRest * ended->lost, kLongestRest);
    }
    end(ended->turn, *ended->run, host);
}

template <class Condition>
void Engine::State::wait_for_aside(Queue& queue, const Host& host, Condition condition) {
    if (aside && &aside->turn.queue() == &queue && !condition()) {
        void* left = host.leave();
        spin_until(condition);
        host.enter(left);
    }
    if (!condition()) wait_until(host, condition);
    if (queue.over) take_back(queue, host);
}

void Engine::State::await_turn(Queue& queue, std::uint64_t ticket, const Host& host) {
    wait_for_aside(queue, host, [&] { return queue.served == ticket || queue.over; });
}

void Engine::State::await_aside(const Host& host) {
    if (!aside) return;
    const std::shared_ptr<Queue> queue = aside->turn.queue().shared_from_this();
    wait_for_aside(*queue, host, [&] { return queue->over || !queue->running; });
}

}  // namespace hassium
