#include "engine/engine.hpp"

#include <algorithm>

#include "base/counters.hpp"
#include "base/settings.hpp"
#include "engine/state.hpp"
#include "record/allocation.hpp"
#include "record/thresholds.hpp"
#include "runtime/memory_pool.hpp"
#include "runtime/platform.hpp"
#include "runtime/thread_pool.hpp"

namespace hassium {

void Engine::State::give_memory(Base& base) {
    if (base.data) return;
    try {
        base.data = memory_pool().acquire(base.bytes);
    } catch (const std::bad_alloc&) {
        Dims wanted;
        wanted.push_back(base.bytes / itemsize(base.dtype));
        throw AllocationError(std::move(wanted), base.dtype);
    }
}

void Engine::State::read_lazy_elements(Queue& queue) {
    while (const LazyElementRead* read = queue.lazy_reads.ready()) {
        give_memory(*read->number);
        give_memory(*read->source.base);
        const char* element = read->source.base->data + read->source.offset;
        std::copy_n(element, read->number->bytes, read->number->data);
        queue.lazy_reads.remove(read->number);
    }
}

Engine::Engine() : state_(std::make_unique<State>()) {
    set_memory_release(
        [](char* memory, std::int64_t bytes) { memory_pool().release(memory, bytes); });
}

Engine& Engine::make_instance() {
    memory_pool();  // registered first, as its lock is taken last at a fork
    instance_ = new Engine();
    platform::at_fork([] { instance_->state_->prepare_fork(); },
                      [] { instance_->state_->after_fork_parent(); },
                      [] { instance_->state_->after_fork_child(); });
    return *instance_;
}

int Engine::threads() { return thread_count(); }

void Engine::await_background_flush() { state_->await_background_flush(host_); }

char* Engine::ready(const View& view) {
    Base& base = *view.base;
    reads.read(base);
    try {
        for (int attempt = 0; base.owner; ++attempt) state_->flush_base(base, host_, attempt);
        // Frees dead arrays of the queue before allocating more.
        if (!base.data && state_->mine().dead_bytes() > settings().get(Setting::pending_bytes))
            run_pending();
        state_->give_memory(base);
    } catch (const AllocationError&) {  // names the array by its recorded shape
        if (!base.data && view.size() * itemsize(view.dtype) == base.bytes) require_memory(view);
        throw;
    }
    return base.data + view.offset;
}

bool Engine::is_lazy_element(const Base& base) {
    return base.owner && base.owner->lazy_reads.source_of(&base);
}

// Only elements of one array are lazy at a time: scalars that are kept would otherwise keep all
// arrays of a loop alive. Their number is bounded: code that reads an array element by element
// needs values.
std::optional<View> Engine::read_lazily(const View& element) {
    Queue& queue = state_->mine();
    while (const LazyElementRead* other = queue.lazy_reads.of_another(element.base.get())) {
        copy_lazy_element(queue, other->number);
    }
    const Base& base = *element.base;
    if (base.owner != &queue || base.eager() || is_lazy_element(base)) return std::nullopt;
    if (queue.lazy_reads.size() == threshold_count(Threshold::lazy_elements)) return std::nullopt;
    View number = fresh_view(element.dtype, {});
    number.base->owner = &queue;
    queue.lazy_reads.add(number.base.get(), element);
    reads.copied(base, *number.base);
    return number;
}

BaseRef Engine::begin_export(const View& view) {
    const BaseHold hold(view.base.get());  // another thread may resize the array meanwhile
    ready(view);
    Base& base = *hold.base();
    ++base.exports;
    base.range_known = false;
    return hold.base();
}

void Engine::end_export(Base& base) { --base.exports; }

Engine::CacheInfo Engine::cache_info() const {
    const Counters& c = counters();
    MergeCache::Sizes sizes = state_->cache.sizes();
    return {c.get(Counter::cache_hits), c.get(Counter::cache_misses),
            c.get(Counter::cache_symbolic_hits), sizes.exact, sizes.families};
}

void Engine::cache_clear() { state_->cache.clear(); }

Engine::Memory Engine::memory() const {
    PoolStats stats = memory_pool().stats();
    return {stats.held, stats.kept, stats.peak};
}

void Engine::reset_peak() { memory_pool().reset_peak(); }

void Engine::trim() { memory_pool().trim(); }

void Engine::start_capture(bool merged) {
    await_background_flush();
    state_->capture.start(merged);
}

std::vector<Captured> Engine::stop_capture() { return state_->capture.stop(); }

}  // namespace hassium
