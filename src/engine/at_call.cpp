// What runs at the call instead of being recorded: few elements, everything ready, no order to
// keep. A flush would cost more than the work. Results have the bits that they have in a block.
#include <algorithm>
#include <bit>
#include <cstring>

#include "base/settings.hpp"
#include "engine/fold_input.hpp"
#include "engine/read_habit.hpp"
#include "engine/state.hpp"
#include "exec/executor.hpp"
#include "program/reduction_tree.hpp"

namespace hassium {
namespace {

// How many times as many elements are few, as a power of two, by the operations that come before a
// result is read: where a flush takes as long as what it spares, which is to pass over the elements
// once more for each operation.
constexpr int kReadSoonLog2[ReadHabit::kMost + 1] = {0, 8, 6, 5, 5, 5, 5, 5, 5};
// Of maps along one axis, and of maps and reductions whose operands lie in one line: a kernel call
// for all of it costs no more than the recording of it and its part of a flush.
constexpr int kLineLog2 = 3;
// Of what makes a block of its own anyhow.
constexpr int kAloneLog2 = 8;
// Of what runs at once anyhow: in a flush with all that is pending, or alone.
constexpr int kEagerLog2 = 8;
// Of matrices whose product is wanted while nothing small is recorded: it takes as long anywhere.
constexpr int kProductLog2 = 16;
// Of products of two elements in a product of matrices: some ten microseconds, and it shares no
// loop.
constexpr int kMultipliedLog2 = 12;
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

// Under a mask runs what only moves elements: of anything else those left out could raise what
// nobody asked for.
bool masked_move(const Request& r) {
    return r.op == Op::Copy && r.method == Method::Call && r.in[0].dtype == r.out[0]->dtype &&
           r.compute == r.out[0]->dtype;
}

// What the loop runs over.
std::int64_t walked(const Request& r) {
    const OpClass cls = info(r.op).cls;
    if (cls == OpClass::Opaque) return std::max(largest_input(r), r.out[0]->size());
    if (cls == OpClass::Scatter) return put_elements(r);
    const bool of_output = r.method == Method::Call && cls != OpClass::Reduce;
    return (of_output ? *r.out[0] : *r.in[0].view).size();
}

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
    auto in_line = [&](const View* in) {
        return !in || in->ndim() == 0 || (in->shape == out.shape && in->c_contiguous());
    };
    for (int k = 0; k < r.nin; ++k) all &= in_line(r.in[k].view);
    return all && in_line(r.mask);
}

// Operands of a map, with strides over its shape.
class MapOperands {
  public:
    explicit MapOperands(const Request& r) : shape_(r.out[0]->shape) {
        for (int k = 0; k < r.nout; ++k) add(*r.out[k]);
        for (int k = 0; k < r.nin; ++k) {
            if (r.in[k].view) {
                add(*r.in[k].view);
            } else {
                operands_[n_++] = {constant_bytes(r, k), r.in[k].dtype, kStill};
            }
        }
        if (r.mask) add(*r.mask);
    }
    const DirectOperand& operator[](std::size_t k) const { return operands_[k]; }
    std::span<const DirectOperand> all() const { return {operands_, n_}; }

  private:
    static constexpr std::int64_t kStill[kMaxDims] = {};
    std::span<const std::int64_t> shape_;
    DirectOperand operands_[kOperands];
    std::int64_t strides_[kOperands][kMaxDims];  // of those that are broadcast
    std::size_t n_ = 0;

    void add(const View& v) {
        const std::int64_t* strides = v.strides.data();
        if (!std::equal(v.shape.begin(), v.shape.end(), shape_.begin(), shape_.end())) {
            broadcast_strides(v, shape_, strides_[n_]);
            strides = strides_[n_];
        }
        operands_[n_++] = {address(v), v.dtype, strides};
    }
};

std::optional<std::uint8_t> run_map(const Request& r) {
    const std::span<const std::int64_t> shape = r.out[0]->shape;
    const MapOperands operands(r);
    if (r.mask) {
        if (!run_direct_blend(shape, operands[0], operands[1], operands[2])) return {};
        return 0;
    }
    if (r.op == Op::Copy && (r.compute == operands[0].dtype || r.compute == operands[1].dtype)) {
        const auto raised = run_direct_copy(shape, operands[0], operands[1]);
        if (raised) return raised;
    }
    return run_direct(r.op, r.compute, shape, operands.all());
}

// Whose reduction needs no partials but those of the chunks of a row.
std::optional<DirectFold> fold_of(const FoldAxes& axes) {
    const std::optional<DirectFold> fold = axes.fold();
    if (!fold || fold->outer > kRows || !axes.in_order(false)) return {};
    const bool rows = fold->inner == 1;
    if (!rows && fold->reduced > ReductionTree::kColumnChunk) return {};
    if (!rows) return fold;
    // Of several axes the innermost ones are a row by themselves when they are long enough.
    std::int64_t row = 1;
    for (std::size_t k = axes.rank; k-- > 0 && axes.reduced[k];) {
        if (row >= ReductionTree::kRowElements) return {};
        row *= axes.extent[k];
    }
    return fold;
}

// Few positions, in the dtype that they come in.
bool run_position(const Request& r) {
    const View &in = *r.in[0].view, &out = *r.out[0];
    if (in.dtype != r.compute || out.dtype != DType::I64 || !out.c_contiguous()) return false;
    const FoldAxes axes(in, r.axes);
    const std::optional<DirectFold> fold = axes.fold();
    if (!fold || !axes.in_order(true)) return false;
    const FoldInput input(axes);
    return input.data() && run_direct_extreme(r.op, r.compute, *fold, input.data(), address(out));
}

std::optional<std::uint8_t> run_fold(const Request& r, const FoldAxes& axes,
                                     const DirectFold& fold) {
    const View &in = *r.in[0].view, &out = *r.out[0];
    const FoldInput input(axes);
    if (!input.data()) return {};
    return run_direct_fold(r.op, r.compute, fold,
                           {const_cast<char*>(input.data()), in.dtype, nullptr},
                           {address(out), out.dtype, nullptr});
}

// Few numbers of a generator.
std::optional<std::uint8_t> run_generator(const Request& r) {
    const View& out = *r.out[0];
    auto bytes = [&](int k) { return reinterpret_cast<const char*>(r.in[k].value.bytes); };
    const DirectOperand to = {address(out), out.dtype, nullptr};
    if (!run_direct_generator(r.op, r.compute, to, bytes(0), bytes(1), out.size())) return {};
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

bool is_line(const Request& r) {
    if (info(r.op).cls == OpClass::Generate) return r.out[0]->c_contiguous();
    if (info(r.op).cls != OpClass::Map) return false;
    if (r.method == Method::Reduce) return r.in[0].view->c_contiguous();
    return r.method == Method::Call && (r.out[0]->ndim() < 2 || one_line(r));
}

bool product_of_matrices(const Request& r) {
    return info(r.op).cls == OpClass::Opaque && r.out[0]->ndim() > 0;
}

// Products of two elements.
std::int64_t multiplied(const Request& r) {
    const View* in = r.in[0].view;
    return in && in->ndim() > 0 ? r.out[0]->size() * in->shape.back() : r.out[0]->size();
}

// The most, where results are read after so many operations.
int most_log2(const Request& r, int log2) {
    return info(r.op).cycles <= kFewCycles ? log2 : std::min(log2, kSlowLog2);
}

int times_few_log2(const Request& r) {
    int alone = 0;
    if (stands_alone(r)) {
        // Products of matrices are more work than they have elements.
        alone = product_of_matrices(r) ? kSlowLog2 : kAloneLog2;
    } else if (r.op == Op::Copy && !r.mask) {
        alone = Engine::kMovedLog2;
    }
    return std::max(alone, most_log2(r, kReadSoonLog2[read_habit().operations_to_read()]));
}

int paused_few_log2(const Request& r, const Pause& pause) {
    if (pause.few_log2() == 0 || settings().choice(Setting::pause) == "off") return 0;
    // Whatever it takes: recorded, it would keep back all that waits for it.
    return product_of_matrices(r) ? kProductLog2 : pause.few_log2();
}

bool is_eager(const View* view) { return view && view->base->eager(); }

}  // namespace

bool Engine::State::on_lent_memory(const Request& r) {
    bool any = is_eager(r.mask);
    for (int k = 0; k < r.nout; ++k) any |= is_eager(r.out[k]);
    for (int k = 0; k < r.nin; ++k) any |= is_eager(r.in[k].view);
    return any;
}

bool Engine::State::large_on_lent_memory(const Request& r) {
    return walked(r) > settings().get(Setting::direct_elements) && on_lent_memory(r);
}

bool Engine::State::wants_call(const Request& r, Pause& pause) const {
    if (r.mask && !masked_move(r)) return false;
    const std::int64_t few = settings().get(Setting::direct_elements), n = walked(r);
    if (n <= 0) return false;
    if (n <= few) return true;
    if (capturing) return false;
    if (n <= few << kLineLog2 && is_line(r)) return true;
    if (n <= few << times_few_log2(r)) return true;
    if (product_of_matrices(r) && multiplied(r) <= few << kMultipliedLog2) return true;
    if (n <= few << most_log2(r, kEagerLog2) && on_lent_memory(r)) return true;
    if (n > few << paused_few_log2(r, pause)) return false;
    pause.called(kind_of(r.op, r.method, r.compute, n));
    return true;
}

bool Engine::State::in_order(const Request& r) {
    auto readable = [](const View* view) {
        return !view || view->base->idle() || view->base->readable();
    };
    bool all = readable(r.mask);
    for (int k = 0; k < r.nout; ++k) all &= r.out[k]->base->idle();
    for (int k = 0; k < r.nin; ++k) all &= readable(r.in[k].view);
    return all;
}

std::optional<std::uint8_t> Engine::State::run_at_call(const Request& r) {
    const OpClass cls = info(r.op).cls;
    const bool tiny = walked(r) <= settings().get(Setting::direct_elements);
    auto ready = [&] {
        if (r.mask) give_memory(*r.mask->base);
        for (int k = 0; k < r.nin; ++k) {
            if (r.in[k].view) give_memory(*r.in[k].view->base);
        }
        for (int k = 0; k < r.nout; ++k) {
            give_memory(*r.out[k]->base);
            r.out[k]->base->range_known = false;
        }
    };
    if (r.method == Method::Reduce) {
        const FoldAxes axes(*r.in[0].view, r.axes);
        const std::optional<DirectFold> fold = fold_of(axes);
        if (!fold || !r.out[0]->c_contiguous()) return {};
        ready();
        return run_fold(r, axes, *fold);
    }
    if (cls == OpClass::Generate) {
        if (r.nin != 2 || !r.out[0]->c_contiguous()) return {};
        ready();
        return run_generator(r);
    }
    if (cls == OpClass::Map && r.method == Method::Call) {
        if (!tiny && !few_rows(*r.out[0]) && !one_line(r)) return {};
        ready();
        return run_map(r);
    }
    ready();
    if (cls == OpClass::Reduce && run_position(r)) return 0;
    return run_alone(r);
}

}  // namespace hassium
