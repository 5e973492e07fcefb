#include "engine/background/improver.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <thread>

#include "base/counters.hpp"
#include "base/error.hpp"
#include "engine/flush/plan_flush.hpp"
#include "fuse/cost/memory.hpp"

namespace hassium {
namespace {

// Programs are worth waiting for only while their entries are hot.
constexpr std::size_t kMostWaiting = 64;
constexpr int kNiceness = 10;

}  // namespace

void Improver::submit(Improvement task) {
    std::lock_guard lock(mutex_);
    if (stopped_ || tasks_.size() >= kMostWaiting) return;
    tasks_.push_back(std::move(task));
    if (working_) return;
    working_ = true;
    try {
        std::thread([this] { work(); }).detach();
    } catch (const std::system_error&) {  // no thread to be had: the entry stays as it is
        working_ = false;
        tasks_.clear();
        counters().add(Counter::improvements_failed);
    }
}

void Improver::work() {
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kNiceness);
    std::unique_lock lock(mutex_);
    while (!tasks_.empty()) {
        Improvement task = std::move(tasks_.front());
        tasks_.pop_front();
        lock.unlock();
        try {
            improve(task);
        } catch (...) {  // an entry stays as it is; nobody waits for this one
            counters().add(Counter::improvements_failed);
        }
        task = {};
        lock.lock();
    }
    working_ = false;
    idle_->notify_all();
}

void Improver::improve(const Improvement& task) {
    const CachedFlush& old = *task.flush;
    std::vector<Guard> guards;
    FuseOptions options{"optimal", task.cost_model};
    options.time_limit = task.seconds;
    Partition found = partition_within_memory(old.program, options, guards);
    counters().add(Counter::improvements_tried);
    if (!(found.cost < old.partition->cost)) return;
    auto better = std::make_shared<CachedFlush>();
    better->hash = old.hash;
    better->settings = old.settings;
    better->program = old.program;
    better->form = old.form;
    better->partition = std::make_shared<const Partition>(std::move(found));
    better->heat.cool();
    plan_blocks(*better);
    std::shared_ptr<Family> family;
    if (task.family && !were_lost(guards)) {
        family = std::make_shared<Family>();
        family->settings = task.family->settings;
        family->key = task.family->key;
        without_deaths(guards, old.form->recorded_as);
        family->guards = std::move(guards);
        family->form = task.family->form;
        family->partition = better->partition;
        family->heat.cool();
    }
    std::lock_guard lock(mutex_);
    counters().add(Counter::improvements);
    cache_.replace(old, std::move(better));
    if (family) cache_.replace(*task.family, std::move(family));
}

void Improver::wait() {
    std::unique_lock lock(mutex_);
    idle_->wait(lock, [&] { return !working_; });
}

void Improver::stop() {
    std::unique_lock lock(mutex_);
    stopped_ = true;
    tasks_.clear();
    idle_->wait(lock, [&] { return !working_; });
}

void Improver::after_fork_child() {
    // The thread is the parent's; so are those that may wait on the old condition.
    idle_.release();
    idle_ = std::make_unique<std::condition_variable>();
    std::lock_guard lock(mutex_);
    tasks_.clear();
    working_ = false;
}

}  // namespace hassium
