// From a request to the queue: overlap, eager operations, automatic flushes.
#include <cstring>

#include "base/counters.hpp"
#include "base/settings.hpp"
#include "engine/state.hpp"
#include "exec/executor.hpp"
#include "program/axes.hpp"
#include "record/allocation.hpp"
#include "record/canonicalize.hpp"
#include "record/policy.hpp"

namespace hassium {
namespace {

// Applies `visit` to every view of a request: outputs, inputs, mask.
template <class Visit>
void each_view(const Request& r, Visit&& visit) {
    for (int k = 0; k < r.nout; ++k) visit(*r.out[k]);
    for (int k = 0; k < r.nin; ++k) {
        if (r.in[k].view) visit(*r.in[k].view);
    }
    if (r.mask) visit(*r.mask);
}

// Returns whether a map reads exactly the elements that it writes, one by one.
bool same_walk(const Request& r, const View& in, const View& out) {
    return r.method == Method::Call && info(r.op).is_elementwise() && in.shape == out.shape &&
           views_identical(in, out);
}

// Returns whether an overlap needs a copy of the input: always, except for same_walk. So does
// overlap through another base, as a plan identifies memory by its base.
bool conflicts(const Request& r, const View& in, const View& out) {
    const bool same_base = in.base.get() == out.base.get();
    if (!same_base && !in.base->eager()) return false;
    return !(same_base && same_walk(r, in, out)) && views_overlap(in, out);
}

bool any_conflict(const Request& r) {
    for (int o = 0; o < r.nout; ++o) {
        for (int k = 0; k < r.nin; ++k) {
            if (r.in[k].view && conflicts(r, *r.in[k].view, *r.out[o])) return true;
        }
        if (r.mask && conflicts(r, *r.mask, *r.out[o])) return true;
    }
    return r.nout == 2 && views_overlap(*r.out[0], *r.out[1]);
}

// Returns whether an output is self-overlapping. The stages behind the queue take none: the last
// value of an element depends on the order of writes.
bool any_self_overlapping(const Request& r) {
    if (info(r.op).is_opaque()) return false;
    for (int o = 0; o < r.nout; ++o) {
        if (view_overlaps_itself(*r.out[o])) return true;
    }
    return false;
}

// to[...] = from, or where a mask is true, for a self-overlapping view: in the order of NumPy's
// assignments, by decreasing strides and along each axis towards higher addresses.
struct OrderedWrite {
    const View& to;
    char* to_data;
    const View& from;
    const char* from_data;
    const std::int64_t* mask_strides;
    const char* mask;    // or null
    const char* before;  // elements equal to these are not written; or null

    void run() const;
};

void OrderedWrite::run() const {
    const AxisOrder order = stride_order(to.strides);
    auto item = static_cast<std::size_t>(itemsize(to.dtype));
    for (std::int64_t k = 0, size = to.size(); k < size; ++k) {
        std::int64_t rest = k, read = 0, written = 0, asked = 0;
        for (std::size_t position = order.size(); position-- > 0;) {
            std::size_t axis = order[position];
            std::int64_t extent = to.shape[axis], at = rest % extent;
            rest /= extent;
            if (to.strides[axis] < 0) at = extent - 1 - at;
            read += at * from.strides[axis];
            written += at * to.strides[axis];
            if (mask) asked += at * mask_strides[axis];
        }
        if (mask && !mask[asked]) continue;
        if (before && std::memcmp(before + read, from_data + read, item) == 0) continue;
        std::memcpy(to_data + written, from_data + read, item);
    }
}

Request copy_request(const View& from, const View& to) {
    Request copy{Op::Copy};
    copy.compute = from.dtype;
    copy.nin = 1;
    copy.out[0] = &to;
    copy.in[0].view = &from;
    copy.in[0].dtype = from.dtype;
    return copy;
}

}  // namespace

void Engine::submit(const Request& r) {
    if (!may_be_cheaper(r)) return submit_canonical(r);
    Request changed = r;
    canonicalize(changed);
    submit_canonical(changed);
}

void Engine::submit_canonical(const Request& r) {
    const OpInfo& row = info(r.op);
    if ((row.is_gather() || row.is_scatter()) && is_ready_lookup(r)) {
        state_->look_up(r);
        counters().add_alone(Counter::instructions);
        counters().add_alone(Counter::eager_instructions);
        return;
    }
    Queue& queue = state_->mine();
    // Pending work reports by itself. Running it lets other threads run, so it comes first.
    if (!queue.empty() && may_act_at_call(r)) run_pending();
    queue.lazy_reads.empty() ? record(queue, r) : submit_beside_lazy_elements(queue, r);
}

// Flushes other queues until none has instructions on a base of the request. Repeats, as a flush
// lets other threads run, which may record on another base. Returns whether some base is exported.
bool Engine::State::synchronize_views(const Request& r, const Queue& own, const Host& host) {
    int attempts = 0;
    for (;;) {
        bool elsewhere = false, exported = false;
        each_view(r, [&](const View& v) {
            const Base& base = *v.base;
            elsewhere |= base.owner && base.owner != &own;
            exported |= base.eager();
        });
        if (!elsewhere) return exported;
        each_view(r, [&](const View& v) { synchronize(*v.base, own, host, attempts); });
    }
}

// Records a copy of the element that a lazy scalar stands for.
void Engine::copy_lazy_element(Queue& queue, Base* number) {
    View to;
    to.base = BaseRef(number);
    const View source = queue.lazy_reads.remove(number);
    to.dtype = source.dtype;
    record(queue, copy_request(source, to));
}

// Reads elements in place of lazy scalars; scalars whose element the request changes are copied
// first. Copying and synchronizing may let other threads run, which may flush what is pending here:
// so the elements replace the scalars at the very end.
void Engine::submit_beside_lazy_elements(Queue& queue, const Request& r) {
    for (int k = 0; k < r.nout; ++k) {
        while (const LazyElementRead* read = queue.lazy_reads.changed_by(*r.out[k])) {
            copy_lazy_element(queue, read->number);
        }
    }
    const bool map = info(r.op).is_elementwise() && r.method == Method::Call;
    for (int k = 0; k < r.nin; ++k) {
        const View* in = r.in[k].view;
        const View* source = in ? queue.lazy_reads.source_of(in->base.get()) : nullptr;
        if (source && (!map || in->dtype != source->dtype))
            copy_lazy_element(queue, in->base.get());
    }
    state_->synchronize_views(r, queue, host_);
    Request changed = r;
    View elements[3];
    for (int k = 0; k < r.nin; ++k) {
        const View* in = r.in[k].view;
        const View* source = in ? queue.lazy_reads.source_of(in->base.get()) : nullptr;
        if (!source) continue;
        elements[k] = *in;
        elements[k].base = source->base;
        elements[k].offset += source->offset;
        changed.in[k].view = &elements[k];
    }
    record(queue, changed);
}

void Engine::record(Queue& queue, const Request& r) {
    if (any_self_overlapping(r)) {
        submit_self_overlapping(r);
        return;
    }
    counters().add_alone(Counter::instructions);
    reads.recorded(r.out[0]->base.get());
    if (any_conflict(r)) {
        submit_through_copies(r);
        return;
    }
    const std::int64_t elements = iteration_elements(r);
    Decision decision = decide(r, elements, queue, reads, state_->capture.active());
    if (decision == Decision::Eager) {
        if (const std::optional<std::uint8_t> raised = state_->run_eager(r, host_)) {
            counters().add_alone(Counter::eager_instructions);
            // Only large operations are counted as run on exported memory.
            if (elements > eager_limit() && is_on_exported_memory(r)) host_.eager(r.op);
            if (*raised) report_direct(r, *raised);
            return;
        }
        decision = Decision::Record;
        queue.pending_small = 0;
    }
    const bool reports = can_report(r);
    const std::uint32_t site = reports || state_->capture.active() ? host_.site() : 0;
    const bool exported = state_->synchronize_views(r, queue, host_);
    const bool waits = !exported && may_wait(r);
    // An array that exceeds memory is not computed for its warnings alone: that could take forever.
    const bool may_exist = !exceeds_memory(r.out[0]->base->bytes);
    queue.append(r, {r.errstate, site, r.step_of, r.of_numbers, reports && may_exist});
    if (exported) host_.eager(r.op);
    if (!waits || decision == Decision::Flush) {
        run_pending();
        // Throws if memory for the result or for one of its operands cannot be allocated.
        if (!waits) state_->flush_base(*r.out[0]->base, host_);
        return;
    }
    if (queue.size() == 1) state_->expect_background_flush(queue);
    std::size_t limit = static_cast<std::size_t>(settings().get(Setting::queue_instructions));
    while (std::size_t cut = queue.due(limit)) state_->flush_automatically(queue, cut, host_);
    // Dead arrays may hold as many bytes as live ones: a step that replaces a large grid is still
    // fused with the next, and the program's peak memory does not become a multiple.
    std::int64_t dead = queue.dead_bytes();
    if (dead > settings().get(Setting::pending_bytes) && dead > referenced_bytes()) run_pending();
}

// Behaves as if every overlapping input (and a second output) had been copied first.
void Engine::submit_through_copies(const Request& r) {
    Request changed = r;
    View copies[5];
    int used = 0;
    auto copied = [&](const View& v) {
        View& copy = copies[used++];
        copy = fresh_view(v.dtype, v.shape);
        submit(copy_request(v, copy));
        return &copy;
    };
    auto hits_output = [&](const View& v) {
        bool hit = false;
        for (int o = 0; o < r.nout; ++o) hit |= conflicts(r, v, *r.out[o]);
        return hit;
    };
    // An input that is read where it is written is read through the output's base.
    auto apart = [&](const View& v) -> const View* {
        if (r.nout == 1 && same_walk(r, v, *r.out[0])) return r.out[0];
        return copied(v);
    };
    for (int k = 0; k < r.nin; ++k) {
        if (r.in[k].view && hits_output(*r.in[k].view)) changed.in[k].view = apart(*r.in[k].view);
    }
    if (r.mask && hits_output(*r.mask)) changed.mask = apart(*r.mask);
    const View* second = nullptr;
    if (r.nout == 2 && views_overlap(*r.out[0], *r.out[1])) {
        second = copied(*r.out[1]);
        changed.out[1] = second;
    }
    submit(changed);
    if (second) submit(copy_request(*second, *r.out[1]));
}

// Writes a self-overlapping output eagerly, from a separate result.
void Engine::submit_self_overlapping(const Request& r) {
    bool scatter = is_scatter(r.op, r.method);
    Request changed = r;
    View results[2], before;
    for (int o = 0; o < r.nout; ++o) {
        const View& out = *r.out[o];
        if (!view_overlaps_itself(out)) continue;
        results[o] = fresh_view(out.dtype, out.shape);
        changed.out[o] = &results[o];
        if (r.mask || scatter) submit(copy_request(out, results[o]));
        if (!scatter) continue;
        before = fresh_view(out.dtype, out.shape);
        submit(copy_request(out, before));
    }
    submit(changed);
    for (int o = 0; o < r.nout; ++o) {
        if (changed.out[o] == r.out[o]) continue;
        const View& out = *r.out[o];
        OrderedWrite write = {out, nullptr, results[o], nullptr, nullptr, nullptr, nullptr};
        write.to_data = ready(out);
        write.from_data = ready(results[o]);
        if (scatter) write.before = ready(before);
        out.base->range_known = false;
        Dims mask_strides;
        if (r.mask && r.method == Method::Call) {
            broadcast_strides(*r.mask, out.shape, mask_strides);
            write.mask = ready(*r.mask);
            write.mask_strides = mask_strides.data();
        }
        write.run();
    }
}

void Engine::report_direct(const Request& r, std::uint8_t raised) {
    std::vector<FpReport> reports;
    for (int condition = 0; condition < 4; ++condition) {
        ErrMode mode = r.errstate.mode(condition);
        if (!(raised >> condition & 1) || mode == ErrMode::Ignore) continue;
        // An exception that the row cannot raise came from a cast.
        bool row = raises(r.op, r.compute) >> condition & 1;
        const FpReport::Candidate named =
            row ? FpReport::Candidate::asked_for(r.op, r.method, r.step_of, r.of_numbers)
                : FpReport::Candidate{Op::Copy, Method::Call};
        reports.push_back({condition, {named}, mode, host_.site()});
    }
    if (!reports.empty()) host_.report(reports);
}

}  // namespace hassium
