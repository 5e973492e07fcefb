// Background flushes: automatic flushes on a thread of their own, while their queue goes on
// recording.
//
// The recording thread hands a job over with its ticket. When the job is over, the next user of the
// queue takes it back: writes its memory to the bases, reports, rethrows its error. So the
// background thread never takes the host's lock. One job at a time runs in the background; the
// recording thread keeps a core to itself.
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

// Returns the seconds of the work on one thread, including the launch of its blocks.
double alone(const Work& work) {
    return work.seconds +
           threshold_seconds(Threshold::background_launch) * static_cast<double>(work.blocks);
}

// Returns whether the waiting thread takes part: blocks are long enough to split over two caches.
bool asks_helpers(const Work& work) {
    return work.seconds >
           threshold_seconds(Threshold::background_block) * static_cast<double>(work.blocks);
}

// Whether a job is flushed in the background, or would be with more instructions.
enum class Gain : std::uint8_t { None, Longer, BackgroundFlush };

// Estimates the gain of a background flush, which overlaps with recording; that is assumed to take
// as long as for this job. The recording thread takes part in long blocks; short ones move their
// data to the other core. The next read is unknown: the possible gain since the last one, or in the
// interval before, has to outweigh the move.
Gain background_gain(const Work& work, std::size_t instructions, double recording, Queue& queue) {
    const double seconds = alone(work);
    if (seconds > threshold_seconds(Threshold::background_most)) return Gain::None;
    // Threads of other libraries then occupy the other core.
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
    // A program that has to be bound or planned, like the steps of an elimination, is estimated by
    // the job before.
    next->work = run.hit ? run.flush->work : queue.work_before;
    Gain gain = Gain::None;
    if (flushes_in_background()) {
        gain = background_gain(next->work, run.job.program.instructions.size(), recording, queue);
        if (settings().choice(Setting::background_flush) == "on") gain = Gain::BackgroundFlush;
    }
    queue.scheduler.flushed(run.hit, alone(next->work), gain == Gain::Longer);
    // During a rest flushes are cut as before, so that the cache knows their programs.
    if (gain == Gain::BackgroundFlush && !rests() && start_background_flush(next)) return;
    if (gain == Gain::None) queue.scheduler.begin_as_usual();
    run_here(next->turn, run, host);
}

void Engine::State::end_of_interval(Queue& queue) {
    // A single short interval does not count: the program may have waited for something else.
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
    // The job of another thread, which may take long to take it back.
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
        // From here on a waiting thread may take the job back and destroy it.
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
    // A job waits for whole time slices if its core is wanted by others, but not for threads of
    // other libraries that spin for a moment after their work.
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

// A thread that waits for its ticket takes back the background jobs before it. It reports their
// outcome after it has passed its ticket on: code that runs then may flush the queue again.
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
        } catch (...) {  // unfinished work is pending again
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
