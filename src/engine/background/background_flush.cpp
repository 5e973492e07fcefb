// Automatic flushes that run aside: on a thread of their own, while their queue goes on recording.
//
// The recording thread hands a job over with its ticket. The next user of the queue takes the job
// back when it is over: writes its memory to the bases, reports, throws what it failed with. So the
// thread never asks for the host's lock. One job at a time is aside, and it shares no work with the
// pool: the recording thread has the other core.
#include "engine/background/background_flush.hpp"

#include <algorithm>

#include "base/settings.hpp"
#include "record/thresholds.hpp"
#include "runtime/memory_pool.hpp"
#include "runtime/platform.hpp"
#include "runtime/spin.hpp"
#include "runtime/thread_pool.hpp"

namespace hassium {
namespace {

// Seconds on one thread, with beginning the blocks.
double alone(const Work& work) {
    return work.seconds +
           threshold_seconds(Threshold::background_launch) * static_cast<double>(work.blocks);
}

// The waiting thread takes part where blocks are long enough to have their parts in two caches.
bool asks_helpers(const Work& work) {
    return work.seconds >
           threshold_seconds(Threshold::background_block) * static_cast<double>(work.blocks);
}

// Whether a job is flushed in the background, or would be with more instructions.
enum class Gain : std::uint8_t { None, Longer, BackgroundFlush };

// A background flush overlaps with recording, which takes as long as that of this job did: the
// thread that recorded it takes part in long blocks. Short ones move their data. It is unknown when
// the next read comes: what could have been gained since the last one, or before that, has to make
// up for it.
Gain background_gain(const Work& work, std::size_t instructions, double recording, Queue& queue) {
    const double seconds = alone(work);
    if (seconds > threshold_seconds(Threshold::background_most)) return Gain::None;
    // Threads of other libraries have the other core then.
    if (work.library_threads > threshold_share(Threshold::background_libraries) * seconds)
        return Gain::None;
    Overlap& now = queue.overlap;
    now.seconds += seconds;
    now.gainable += std::min(seconds, recording);
    now.each = std::max(now.each, seconds / static_cast<double>(instructions));
    if (seconds < threshold_seconds(Threshold::background_least)) return Gain::Longer;
    if (asks_helpers(work)) return Gain::BackgroundFlush;
    const double gainable = std::max(now.gainable, queue.overlap_before.gainable);
    return gainable > threshold_seconds(Threshold::background_moved) *
                          static_cast<double>(work.most_bytes) / 1000
               ? Gain::BackgroundFlush
               : Gain::None;
}

}  // namespace

bool Engine::State::flushes_in_background() const {
    const std::string_view choice = settings().choice(Setting::background_flush);
    if (capture.active() || choice == "off") return false;
    return choice == "on" || thread_count() > 1;
}

bool Engine::State::rests() const {
    return settings().choice(Setting::background_flush) == "auto" &&
           StageClock::now() < rests_until;
}

void Engine::State::flush_due(Queue& queue, std::size_t count, const Host& host) {
    const auto recorded = static_cast<double>(StageClock::now() - queue.recording_since);
    auto next = std::make_shared<BackgroundFlush>(*this, queue, host);
    count = queue.defer_failed(std::min(count, queue.size()), nullptr);
    if (count == 0) return;
    const StageClock clock;
    const double part = static_cast<double>(count) / static_cast<double>(queue.size());
    next->run.emplace(queue.take(count), clock);
    Run& run = *next->run;
    if (run.job.program.instructions.empty()) return read_lazy_elements(queue);
    if (capture.active()) {
        run.cause = FlushCause::Full;
        run.site = host.site();
    }
    run.recorded_behind = static_cast<std::int64_t>(recorded * (1 - part));
    const double recording = recorded * part * 1e-9;
    begin(next->turn, run);
    // What is to be bound to its numbers, or planned, as steps of eliminations are, is taken for as
    // much work as the job before.
    next->work = run.hit ? run.flush->work : queue.work_before;
    Gain gain = Gain::None;
    if (flushes_in_background()) {
        gain = background_gain(next->work, run.job.program.instructions.size(), recording, queue);
        if (settings().choice(Setting::background_flush) == "on") gain = Gain::BackgroundFlush;
    }
    queue.scheduler.flushed(run.hit, alone(next->work), gain == Gain::Longer);
    // Flushes are cut alike in a rest, so that they are those that are known.
    if (gain == Gain::BackgroundFlush && !rests() && start_background_flush(next)) return;
    if (gain == Gain::None) queue.scheduler.begin_as_usual();
    run_here(next->turn, run, host);
}

void Engine::State::end_of_interval(Queue& queue) {
    // A program may wait for something else in between.
    if (queue.overlap.gainable > queue.overlap_before.gainable / 2) {
        queue.overlap_before = queue.overlap;
    } else if (flushes_in_background()) {
        queue.overlap_before.gainable /= 2;
    }
    queue.overlap = {};
    queue.scheduler.waited();
}

void Engine::State::expect_background_flush(Queue& queue) {
    if (queue.running || !flushes_in_background()) return;
    const Overlap& before = queue.overlap_before;
    if (before.seconds > 0) queue.recording_since = StageClock::now();
    FlushScheduler& scheduler = queue.scheduler;
    const double least = std::max(threshold_seconds(Threshold::background_least),
                                  threshold_share(Threshold::background_share) * before.seconds);
    if (before.gainable < least) return scheduler.end_small();
    if (!scheduler.may_be_small()) return;
    scheduler.begin_small(
        static_cast<std::size_t>(threshold_seconds(Threshold::background_first) / before.each),
        static_cast<std::size_t>(settings().get(Setting::queue_instructions)));
    if (!background_flush && !rests()) background_thread.wake();
}

bool Engine::State::start_background_flush(const std::shared_ptr<BackgroundFlush>& next) {
    // Another thread's job, which that may be long in taking back.
    if (background_flush && background_flush->turn.queue().over && background_flush->run->quiet()) {
        take_back(background_flush->turn.queue());
    }
    if (background_flush || forking > 0) return false;
    Queue& queue = next->turn.queue();
    queue.runner = {};
    if (!background_thread.start(BackgroundFlush::run_in_background, next.get())) {
        queue.runner = std::this_thread::get_id();
        return false;
    }
    background_flush = next;
    counters().add(Counter::background_flushes);
    queue.recording_since = StageClock::now() - next->run->recorded_behind;
    return true;
}

void Engine::State::BackgroundFlush::run_in_background(void* context) {
    auto& self = *static_cast<BackgroundFlush*>(context);
    State& state = self.state;
    const std::int64_t before = platform::thread_clock();
    work_in_background(asks_helpers(self.work));
    state.run_to_its_end(*self.run);
    memory_pool().synchronize();
    self.lost = StageClock::now() - self.run->began - (platform::thread_clock() - before);
    {
        // From here on a waiting thread may take the job back, and this with it.
        std::lock_guard lock(state.mutex);
        self.turn.queue().over.store(true);
    }
    state.finished->notify_all();
}

std::shared_ptr<Engine::State::BackgroundFlush> Engine::State::take_back(Queue& queue) {
    HS_CHECK(background_flush && &background_flush->turn.queue() == &queue,
             "what is over is what is background_flush");
    queue.over.store(false);
    std::shared_ptr<BackgroundFlush> ended = std::exchange(background_flush, nullptr);
    // A core that others want makes a job wait for whole slices of time. Threads of other libraries
    // that spin for a moment after their work do not.
    if (ended->lost > threshold(Threshold::background_lost)) {
        losses = std::min(losses + 1, static_cast<int>(threshold(Threshold::background_losses)));
        rests_until = StageClock::now() +
                      std::min(ended->lost << losses, threshold(Threshold::background_rest));
    } else {
        losses = std::max(losses - 1, 0);
    }
    end(ended->turn, *ended->run);
    return ended;
}

template <class Condition>
std::shared_ptr<Engine::State::BackgroundFlush> Engine::State::wait_for_background_flush(
    Queue& queue, const Host& host, Condition condition) {
    const auto over = [&] { return queue.over || condition(); };
    if (background_flush && &background_flush->turn.queue() == &queue && !over()) {
        const auto expected = std::chrono::nanoseconds(static_cast<std::int64_t>(
            1e9 * std::min(threshold_seconds(Threshold::background_spin),
                           static_cast<double>(threshold(Threshold::background_spin_factor)) *
                               alone(background_flush->work))));
        void* left = host.leave();
        Helper helper;
        bool helped = true;
        auto helped_over = [&] {
            helped |= helper.help();
            return over();
        };
        while (std::exchange(helped, false) &&
               !spin_until(helped_over, std::max<std::chrono::nanoseconds>(kSpin, expected))) {
        }
        host.enter(left);
    }
    if (!over()) wait_until(host, over);
    return queue.over ? take_back(queue) : nullptr;
}

// A thread that waits for its ticket ends the background jobs before it. It reports their outcome
// after it has passed its turn on: code that runs then may flush the queue with a later ticket.
bool Engine::State::Ticket::take(Queue& queue, const Host& host) {
    queue_ = &queue;
    const std::uint64_t ticket = queue.tickets++;
    std::shared_ptr<BackgroundFlush> ended;
    std::exception_ptr failure;
    while (queue.served != ticket) {
        try {
            auto job = state_.wait_for_background_flush(queue, host,
                                                        [&] { return queue.served == ticket; });
            if (!job || job->run->quiet()) continue;
            std::shared_ptr<BackgroundFlush>* last = &ended;
            while (*last) last = &(*last)->next;
            *last = std::move(job);
        } catch (...) {
            failure = std::current_exception();
        }
    }
    if (!ended && !failure) return true;
    pass();
    for (; ended; ended = std::move(ended->next)) {
        try {
            report_outcome(*ended->run, host);
        } catch (...) {  // what is left of the job is pending again
            failure = std::current_exception();
        }
    }
    if (failure) std::rethrow_exception(failure);
    return false;
}

void Engine::State::await_background_flush(const Host& host) {
    if (!background_flush) return;
    const std::shared_ptr<Queue> queue = background_flush->turn.queue().shared_from_this();
    const auto ended = wait_for_background_flush(*queue, host, [&] { return !queue->running; });
    if (ended) report_outcome(*ended->run, host);
}

}  // namespace hassium
