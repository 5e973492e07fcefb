#include "record/policy.hpp"

#include <algorithm>
#include <bit>

#include "ops/op_info.hpp"

namespace hassium {
namespace {

std::int64_t largest_input(const Request& r) {
    std::int64_t n = 0;
    for (int k = 0; k < r.nin; ++k) {
        if (r.in[k].view) n = std::max(n, r.in[k].view->size());
    }
    return n;
}

// Returns the elements of the output that the index of a scatter addresses.
std::int64_t scattered_elements(const Request& r) {
    const View& whole = *r.out[0];
    const std::int64_t extent = whole.shape[static_cast<std::size_t>(std::countr_zero(r.axes))];
    return extent == 0 ? 0 : r.in[1].view->size() * (whole.size() / extent);
}

// Returns whether the row is a block of its own, which gains nothing by waiting for others.
bool is_block_of_its_own(const Request& r) {
    const OpInfo& row = info(r.op);
    if (is_scatter(r.op, r.method) || r.method == Method::Reduceat) return true;
    return !row.is_loop() && (r.method == Method::Call || !row.is_arg_reduction());
}

// Returns whether the request only moves bytes. Under a mask only such requests are eager: any
// other row could raise an exception for elements that are masked out.
bool is_masked_move(const Request& r) {
    return info(r.op).is_copy() && r.method == Method::Call && r.in[0].dtype == r.out[0]->dtype &&
           r.compute == r.out[0]->dtype;
}

bool has_few_rows(const View& view) {
    return view.ndim() < 2 || view.size() <= threshold(Threshold::rows) * view.shape.back();
}

// Returns whether one kernel call runs the whole request.
bool is_one_kernel_call(const Request& r) {
    if (info(r.op).is_generator()) return r.out[0]->c_contiguous();
    if (!info(r.op).is_elementwise()) return false;
    if (r.method == Method::Reduce) return r.in[0].view->c_contiguous();
    return r.method == Method::Call && (r.out[0]->ndim() < 2 || is_one_line(r));
}

bool is_matrix_product(const Request& r) {
    const OpInfo& row = info(r.op);
    return row.is_opaque() && row.has(kUfunc) && r.out[0]->ndim() > 0;
}

// Returns the scalar multiplications of a matrix product.
std::int64_t scalar_products(const Request& r) {
    const View* in = r.in[0].view;
    return in && in->ndim() > 0 ? r.out[0]->size() * in->shape.back() : r.out[0]->size();
}

std::int64_t limit_for_row(const Request& r, Threshold log2) {
    if (info(r.op).cycles <= static_cast<float>(threshold(Threshold::cheap_cycles))) {
        return eager_limit(log2);
    }
    return std::min(eager_limit(log2), eager_limit(Threshold::slow));
}

std::int64_t limit_where_read_soon(const Request& r, int operations_to_read) {
    switch (operations_to_read) {
        case 0:
            return eager_limit();
        case 1:
            return limit_for_row(r, Threshold::read_after_one);
        case 2:
            return limit_for_row(r, Threshold::read_after_two);
        default:
            return limit_for_row(r, Threshold::read_after_few);
    }
}

std::int64_t limit_where_alone(const Request& r) {
    if (is_block_of_its_own(r)) {
        // A matrix product does more work per element.
        return eager_limit(is_matrix_product(r) ? Threshold::slow : Threshold::alone);
    }
    const bool copies = info(r.op).is_copy() && !r.mask;
    return eager_limit(copies ? Threshold::moved : Threshold::nest);
}

std::int64_t limit_in_backoff(const Request& r, const RecordingBackoff& backoff) {
    if (!backoff.active() || settings().choice(Setting::recording_backoff) == "off") return 0;
    if (is_matrix_product(r)) return eager_limit(Threshold::backoff_product);
    return eager_limit(backoff.plans_anew() ? Threshold::backoff_planned : Threshold::backoff);
}

// Returns whether the request is so small that running it now costs less than its part of a flush.
bool is_small(const Request& r, std::int64_t n, Queue& queue, const ReadHeuristic& reads) {
    if (n <= eager_limit(Threshold::line) && is_one_kernel_call(r)) return true;
    if (n <= limit_where_alone(r)) return true;
    if (n <= limit_where_read_soon(r, reads.operations_to_read())) return true;
    if (is_matrix_product(r) && scalar_products(r) <= eager_limit(Threshold::multiplied)) {
        return true;
    }
    if (n <= limit_for_row(r, Threshold::exported) && is_on_exported_memory(r)) return true;
    if (n > limit_in_backoff(r, queue.backoff)) return false;
    queue.backoff.called(kind_of(r.op, r.method, r.compute, n));
    return true;
}

// The same for a request of any size, with any mask, and while capturing.
bool is_cheaper_eager(const Request& r, std::int64_t n, Queue& queue, const ReadHeuristic& reads,
                      bool capturing) {
    if (n <= 0 || (r.mask && !is_masked_move(r))) return false;
    if (n <= eager_limit()) return true;
    return !capturing && is_small(r, n, queue, reads);
}

// Returns whether the eager loops take few kernel calls: a nest makes one per row.
bool takes_few_calls(const Request& r, std::int64_t n) {
    if (n <= eager_limit()) return true;
    const bool map = info(r.op).is_elementwise() && r.method == Method::Call;
    return !map || has_few_rows(*r.out[0]) || is_one_line(r);
}

// Returns whether the request depends on nothing pending.
bool is_ready(const Request& r) {
    auto readable = [](const View* view) {
        return !view || view->base->idle() || view->base->readable();
    };
    bool all = readable(r.mask);
    for (int k = 0; k < r.nout; ++k) all &= r.out[k]->base->idle();
    for (int k = 0; k < r.nin; ++k) all &= readable(r.in[k].view);
    return all;
}

}  // namespace

std::int64_t iteration_elements(const Request& r) {
    const OpInfo& row = info(r.op);
    if (row.is_opaque()) return std::max(largest_input(r), r.out[0]->size());
    if (is_scatter(r.op, r.method)) return scattered_elements(r);
    const bool of_output = r.method == Method::Call && !row.is_arg_reduction();
    return (of_output ? *r.out[0] : *r.in[0].view).size();
}

bool is_one_line(const Request& r) {
    const View& out = *r.out[0];
    bool all = true;
    for (int k = 0; k < r.nout; ++k) all &= r.out[k]->c_contiguous();
    auto in_line = [&](const View* in) {
        return !in || in->ndim() == 0 || (in->shape == out.shape && in->c_contiguous());
    };
    for (int k = 0; k < r.nin; ++k) all &= in_line(r.in[k].view);
    return all && in_line(r.mask);
}

bool is_on_exported_memory(const Request& r) {
    auto exported = [](const View* view) { return view && view->base->eager(); };
    bool any = exported(r.mask);
    for (int k = 0; k < r.nout; ++k) any |= exported(r.out[k]);
    for (int k = 0; k < r.nin; ++k) any |= exported(r.in[k].view);
    return any;
}

namespace {

bool may_be_written(const View& out) { return out.base->idle() && !out.base->eager(); }

bool may_be_read(const View& in, const View& out) {
    return in.base->readable() && in.base.get() != out.base.get() && !in.base->foreign;
}

}  // namespace

bool is_ready_copy(const View& out, const Input& in) {
    if (in.dtype != out.dtype || !may_be_written(out)) return false;
    if (out.size() > eager_limit(Threshold::moved)) return false;
    if (!in.view) return out.c_contiguous() || out.f_contiguous();
    return may_be_read(*in.view, out) && in.view->shape == out.shape && in.view->c_contiguous() &&
           out.c_contiguous();
}

bool is_ready_lookup(const Request& r) {
    const View& out = *r.out[0];
    const Input& in = r.in[0];
    if (in.dtype != out.dtype || !may_be_written(out)) return false;
    if (in.view && !may_be_read(*in.view, out)) return false;
    const bool gathers = info(r.op).is_gather();
    const View& whole = gathers ? *in.view : out;
    const View* part = gathers ? &out : in.view;
    const View& index = *r.in[1].view;
    auto in_line = [](const View& view) { return view.ndim() == 1 || view.c_contiguous(); };
    const std::int64_t moved = part ? part->size() : index.size();
    return moved <= eager_limit(Threshold::index) && in_line(whole) &&
           (part ? in_line(*part) : whole.ndim() == 1) && index.ndim() == 1 &&
           may_be_read(index, out) && (gathers || out.base->data);
}

Decision decide(const Request& r, std::int64_t elements, Queue& queue, const ReadHeuristic& reads,
                bool capturing) {
    const bool small = r.at_call || is_cheaper_eager(r, elements, queue, reads, capturing);
    const bool ready = small && is_ready(r);
    if (ready && takes_few_calls(r, elements)) return Decision::Eager;
    queue.pending_small = small && !ready ? queue.pending_small + 1 : 0;
    const bool due = queue.pending_small == threshold(Threshold::pending_small);
    return due ? Decision::Flush : Decision::Record;
}

bool can_report(const Request& r) {
    const std::uint8_t asked = r.errstate.reported();
    if (asked == 0) return false;
    if (raises(r.op, r.compute) & asked) return true;
    bool casts = false;
    for (int k = 0; k < r.nout; ++k) {
        casts |= (cast_raises(r.compute, r.out[k]->dtype) & asked) != 0;
    }
    for (int k = 0; k < r.nin; ++k) casts |= (cast_raises(r.in[k].dtype, r.compute) & asked) != 0;
    return casts;
}

bool may_wait(const Request& r) {
    return settings().on(Setting::lazy) && !r.at_call && !may_act_at_call(r);
}

}  // namespace hassium
