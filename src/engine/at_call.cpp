// What runs at the call instead of being recorded: few elements, everything ready, no order to
// keep. A flush would cost more than the work. Results have the bits that they have in a block.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/settings.hpp"
#include "engine/read_habit.hpp"
#include "engine/state.hpp"
#include "exec/executor.hpp"
#include "program/reduction_tree.hpp"

namespace hassium {
namespace {

// How many times as many elements are few, as a power of two, by the operations that come before a
// result is read: where a flush takes as long as what it spares, which is to pass over the elements
// once more for each operation.
constexpr int kReadSoonLog2[ReadHabit::kMost + 1] = {0, 8, 6, 5, 4, 4, 4, 4, 4};
// Of what makes a block of its own anyhow.
constexpr int kAloneLog2 = 8;
// Of what takes longer than a cycle or two an element several threads are worth more, ..
constexpr int kSlowLog2 = 4;
constexpr double kFewCycles = 2;
// .. and so is a nest where elements lie neither in one line nor in few rows: each is a kernel call
// of its own.
constexpr std::int64_t kRows = 48;

constexpr int kOperands = 6;

std::int64_t largest_input(const Request& r) {
    std::int64_t n = 0;
    for (int k = 0; k < r.nin; ++k) {
        if (r.in[k].view) n = std::max(n, r.in[k].view->size());
    }
    return n;
}

// Of what an index finds in the array that is written.
std::int64_t put_elements(const Request& r) {
    const View& whole = *r.out[0];
    const std::int64_t extent = whole.shape[static_cast<std::size_t>(std::countr_zero(r.axes))];
    return extent == 0 ? 0 : r.in[1].view->size() * (whole.size() / extent);
}

// Does the row make a block of its own, which gains nothing by waiting for others?
bool stands_alone(const Request& r) {
    const OpClass cls = info(r.op).cls;
    return cls == OpClass::Opaque || cls == OpClass::Gather || cls == OpClass::Scatter ||
           (cls == OpClass::Reduce && r.method == Method::Call);
}

bool in_order(const Request& r) {
    auto readable = [](const Base& base) { return base.idle() || base.readable(); };
    bool all = true;
    for (int k = 0; k < r.nout; ++k) all &= r.out[k]->base->idle();
    for (int k = 0; k < r.nin; ++k) all &= !r.in[k].view || readable(*r.in[k].view->base);
    return all;
}

// What the loop runs over.
std::int64_t walked(const Request& r) {
    const OpClass cls = info(r.op).cls;
    if (cls == OpClass::Opaque) return std::max(largest_input(r), r.out[0]->size());
    if (cls == OpClass::Scatter) return put_elements(r);
    const bool of_output = r.method == Method::Call && cls != OpClass::Reduce;
    return (of_output ? *r.out[0] : *r.in[0].view).size();
}

char* address(const View& view) { return view.base->data + view.offset; }

BoundView bound(const View& view) { return {address(view), view.dtype, view.shape, view.strides}; }

// Inputs are only read: a constant can stay where it is.
char* constant_bytes(const Request& r, int k) {
    return reinterpret_cast<char*>(const_cast<unsigned char*>(r.in[k].value.bytes));
}

bool few_rows(const View& view) {
    return view.ndim() < 2 || view.size() <= kRows * view.shape.back();
}

// Do all operands lie in one line, whatever their rows?
bool one_line(const Request& r) {
    const View& out = *r.out[0];
    bool all = true;
    for (int k = 0; k < r.nout; ++k) all &= r.out[k]->c_contiguous();
    for (int k = 0; k < r.nin; ++k) {
        const View* in = r.in[k].view;
        all &= !in || in->ndim() == 0 || (in->shape == out.shape && in->c_contiguous());
    }
    return all;
}

std::uint8_t run_map(const Request& r) {
    std::span<const std::int64_t> shape = r.out[0]->shape;
    DirectOperand operands[kOperands];
    std::int64_t strides[kOperands][kMaxDims];  // of those that are broadcast
    static constexpr std::int64_t kStill[kMaxDims] = {};
    int n = 0;
    auto add_view = [&](const View& v) {
        if (v.shape == r.out[0]->shape) {
            operands[n] = {address(v), v.dtype, v.strides.data()};
        } else {
            broadcast_strides(v, shape, strides[n]);
            operands[n] = {address(v), v.dtype, strides[n]};
        }
        ++n;
    };
    for (int k = 0; k < r.nout; ++k) add_view(*r.out[k]);
    for (int k = 0; k < r.nin; ++k) {
        if (r.in[k].view) {
            add_view(*r.in[k].view);
            continue;
        }
        operands[n++] = {constant_bytes(r, k), r.in[k].dtype, kStill};
    }
    return run_direct(r.op, r.compute, shape, {operands, static_cast<std::size_t>(n)});
}

// A contiguous array whose reduced axes follow each other, and whose reduction needs no partials.
std::optional<DirectFold> fold_of(const View& in, std::uint64_t axes) {
    DirectFold fold{1, 1, 1};
    for (std::size_t k = in.ndim(); k-- > 0;) {
        const std::int64_t extent = in.shape[k];
        if (extent == 1) continue;
        if (!(axes >> k & 1)) {
            (fold.reduced == 1 ? fold.inner : fold.outer) *= extent;
            continue;
        }
        const bool whole_row = fold.inner == 1 && fold.reduced >= ReductionTree::kRowElements;
        if (fold.outer > 1 || whole_row) return {};
        fold.reduced *= extent;
    }
    const bool rows = fold.inner == 1;
    const std::int64_t chunk = rows ? ReductionTree::kChunk : ReductionTree::kColumnChunk;
    if (fold.reduced > chunk || fold.outer > kRows || !in.c_contiguous()) return {};
    return fold;
}

std::optional<std::uint8_t> run_fold(const Request& r, const DirectFold& fold) {
    const View &in = *r.in[0].view, &out = *r.out[0];
    return run_direct_fold(r.op, r.compute, fold, {address(in), in.dtype, nullptr},
                           {address(out), out.dtype, nullptr});
}

// Few numbers of a generator.
std::optional<std::uint8_t> run_range(const Request& r) {
    const View& out = *r.out[0];
    auto bytes = [&](int k) { return reinterpret_cast<const char*>(r.in[k].value.bytes); };
    const DirectOperand to = {address(out), out.dtype, nullptr};
    if (!run_direct_range(r.compute, to, bytes(0), bytes(1), out.size())) return {};
    return 0;
}

// Scans and what stands alone choose their own loops in a block too.
std::uint8_t run_alone(const Request& r) {
    BoundView operands[kOperands];
    std::size_t n = 0;
    operands[n++] = bound(*r.out[0]);
    for (int k = 0; k < r.nin; ++k) {
        operands[n++] = r.in[k].view ? bound(*r.in[k].view)
                                     : BoundView{constant_bytes(r, k), r.in[k].dtype, {}, {}};
    }
    Instruction i = {};
    i.op = r.op;
    i.method = r.method;
    i.compute = r.compute;
    i.nout = r.nout;
    i.nin = r.nin;
    i.axes = r.axes;
    return run_direct_single(i, {operands, n}, !r.in[0].view);
}

int times_few_log2(const Request& r, bool capturing) {
    if (capturing) return 0;
    int alone = 0;
    if (stands_alone(r)) {
        // Products of matrices are more work than they have elements.
        const bool product = info(r.op).cls == OpClass::Opaque && r.out[0]->ndim() > 0;
        alone = product ? kSlowLog2 : kAloneLog2;
    }
    const int operations = read_habit().operations_to_read();
    if (operations == 0) return alone;
    const int most = info(r.op).cycles <= kFewCycles ? kReadSoonLog2[1] : kSlowLog2;
    return std::max(alone, std::min(kReadSoonLog2[operations], most));
}

}  // namespace

std::optional<std::uint8_t> Engine::State::run_at_call(const Request& r) {
    if (r.mask) return {};
    const OpClass cls = info(r.op).cls;
    const std::int64_t few = settings().get(Setting::direct_elements), n = walked(r);
    const bool tiny = n <= few;
    if (!tiny && n > few << times_few_log2(r, capturing)) return {};
    if (n == 0 || !in_order(r)) return {};
    auto ready = [&] {
        for (int k = 0; k < r.nin; ++k) {
            if (r.in[k].view) give_memory(*r.in[k].view->base);
        }
        for (int k = 0; k < r.nout; ++k) {
            give_memory(*r.out[k]->base);
            r.out[k]->base->range_known = false;
        }
    };
    if (r.method == Method::Reduce) {
        const std::optional<DirectFold> fold = fold_of(*r.in[0].view, r.axes);
        if (!fold || !r.out[0]->c_contiguous()) return {};
        ready();
        return run_fold(r, *fold);
    }
    if (cls == OpClass::Generate) {
        if (!tiny || r.nin != 2 || !r.out[0]->c_contiguous()) return {};
        ready();
        return run_range(r);
    }
    if (cls == OpClass::Map && r.method == Method::Call) {
        if (!tiny && !few_rows(*r.out[0]) && !one_line(r)) return {};
        ready();
        return run_map(r);
    }
    ready();
    return run_alone(r);
}

}  // namespace hassium
