// Runs requests that the policy decides to run eagerly (record/policy.hpp). Results have the same
// bits as in a block.
#include <algorithm>
#include <bit>

#include "base/counters.hpp"
#include "engine/fold_input.hpp"
#include "engine/state.hpp"
#include "exec/executor.hpp"
#include "exec/single/index_lookups.hpp"
#include "program/reduction_tree.hpp"
#include "record/policy.hpp"

namespace hassium {
namespace {

constexpr int kOperands = 6;

BoundView bound(const View& view) { return {address(view), view.dtype, view.shape, view.strides}; }

// Inputs are only read, so a constant needs no copy.
char* constant_bytes(const Request& r, int k) {
    return reinterpret_cast<char*>(const_cast<unsigned char*>(r.in[k].value.bytes));
}

// The loop of a map: its shape, and its operands with strides over it. Operands that all coalesce
// to one axis make a loop of one axis, whatever their shape.
class MapLoop {
  public:
    explicit MapLoop(const Request& r) : size_(r.out[0]->size()), shape_(&size_, 1) {
        const bool line = is_one_line(r);
        if (!line) shape_ = r.out[0]->shape;
        auto add = [&](const View& v) { line ? add_in_line(v) : add_strided(v); };
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
    MapLoop(const MapLoop&) = delete;
    MapLoop& operator=(const MapLoop&) = delete;
    std::span<const std::int64_t> shape() const { return shape_; }
    const DirectOperand& operator[](std::size_t k) const { return operands_[k]; }
    std::span<const DirectOperand> operands() const { return {operands_, n_}; }

  private:
    static constexpr std::int64_t kStill[kMaxDims] = {};
    std::int64_t size_;
    std::span<const std::int64_t> shape_;
    DirectOperand operands_[kOperands];
    std::int64_t strides_[kOperands][kMaxDims];  // where a view's own do not fit
    std::size_t n_ = 0;

    void add_in_line(const View& v) {
        strides_[n_][0] = itemsize(v.dtype);
        operands_[n_] = {address(v), v.dtype, v.ndim() == 0 ? kStill : strides_[n_]};
        ++n_;
    }
    void add_strided(const View& v) {
        const std::int64_t* strides = v.strides.data();
        if (!std::equal(v.shape.begin(), v.shape.end(), shape_.begin(), shape_.end())) {
            broadcast_strides(v, shape_, strides_[n_]);
            strides = strides_[n_];
        }
        operands_[n_++] = {address(v), v.dtype, strides};
    }
};

std::optional<std::uint8_t> run_map(const Request& r) {
    const MapLoop loop(r);
    if (r.mask) {
        if (!run_direct_blend(loop.shape(), loop[0], loop[1], loop[2])) return {};
        return 0;
    }
    if (info(r.op).is_copy() && (r.compute == loop[0].dtype || r.compute == loop[1].dtype)) {
        return run_direct_copy(loop.shape(), loop[0], loop[1]);
    }
    return run_direct(r.op, r.compute, loop.shape(), loop.operands());
}

// Returns the reduction if its only partials are the chunks of a row.
std::optional<DirectFold> fold_of(const FoldAxes& axes) {
    const std::optional<DirectFold> fold = axes.fold();
    if (!fold || fold->outer > threshold(Threshold::rows) || !axes.in_order(false)) return {};
    const bool rows = fold->inner == 1;
    if (!rows && fold->reduced > ReductionTree::kColumnChunk) return {};
    if (!rows) return fold;
    // Innermost axes that are long enough together make a row by themselves, with partials.
    std::int64_t row = 1;
    for (std::size_t k = axes.rank; k-- > 0 && axes.reduced[k];) {
        if (row >= ReductionTree::kRowElements) return {};
        row *= axes.extent[k];
    }
    return fold;
}

// Runs argmin or argmax of a small array whose dtype needs no cast.
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

// Fills a small array from a generator.
std::optional<std::uint8_t> run_generator(const Request& r) {
    const View& out = *r.out[0];
    auto bytes = [&](int k) { return reinterpret_cast<const char*>(r.in[k].value.bytes); };
    const DirectOperand to = {address(out), out.dtype, nullptr};
    if (!run_direct_generator(r.op, r.compute, to, bytes(0), bytes(1), out.size())) return {};
    return 0;
}

// Drops the host's lock around long operations.
class WithoutLock {
  public:
    WithoutLock(const Host& host, bool wanted) : host_(host) {
        if (wanted) left_ = host.leave();
    }
    ~WithoutLock() {
        if (left_) host_.enter(left_);
    }
    WithoutLock(const WithoutLock&) = delete;
    WithoutLock& operator=(const WithoutLock&) = delete;

  private:
    const Host& host_;
    void* left_ = nullptr;
};

// Runs scans and opaque rows, which choose their own loops in a block too.
std::uint8_t run_alone(const Request& r, const Host& host) {
    BoundView operands[kOperands];
    std::size_t n = 0;
    for (int k = 0; k < r.nout; ++k) operands[n++] = bound(*r.out[k]);
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
    const WithoutLock unlocked(host, iteration_elements(r) > eager_limit(Threshold::alone));
    return run_direct_single(i, {operands, n}, !r.in[0].view);
}

// Gathers or scatters elements, or rows, at the positions of a one-dimensional index. The indexed
// array has one axis or is contiguous.
void move_indexed(const Request& r) {
    const bool gathers = info(r.op).is_gather();
    const View& whole = gathers ? *r.in[0].view : *r.out[0];
    const View* part = gathers ? r.out[0] : r.in[0].view;
    const View& index = *r.in[1].view;
    const auto axis = static_cast<std::size_t>(std::countr_zero(r.axes));
    const bool vector = whole.ndim() == 1;
    std::int64_t outer = 1, bytes = itemsize(whole.dtype);
    for (std::size_t k = 0; k < axis; ++k) outer *= whole.shape[k];
    for (std::size_t k = axis + 1; k < whole.ndim(); ++k) bytes *= whole.shape[k];
    IndexedLine line = {};
    line.whole = address(whole);
    line.part = part ? address(*part) : constant_bytes(r, 0);
    line.index = address(index);
    line.n = index.shape[0];
    line.whole_step = vector ? whole.strides[0] : bytes;
    if (part) line.part_step = vector ? part->strides[0] : bytes;
    line.index_step = index.strides[0];
    line.bytes = bytes;
    for (std::int64_t k = 0; k < outer; ++k) {
        gathers ? gather_line(line) : scatter_line(line);
        line.whole += whole.shape[axis] * bytes;
        line.part += line.n * bytes;
    }
}

}  // namespace

bool Engine::copy(const View& out, const Input& in) {
    if (!is_ready_copy(out, in)) return false;
    state_->give_memory(*out.base);
    out.base->range_known = false;
    const auto* const value = reinterpret_cast<const char*>(in.value.bytes);
    run_direct_line(out.dtype, address(out), in.view ? address(*in.view) : value, !in.view,
                    out.size());
    counters().add_alone(Counter::instructions);
    counters().add_alone(Counter::eager_instructions);
    // A read of the copy counts as a read of its source.
    if (in.view) reads.copied(*in.view->base, *out.base);
    return true;
}

void Engine::State::look_up(const Request& r) {
    give_memory(*r.out[0]->base);
    r.out[0]->base->range_known = false;
    move_indexed(r);
}

std::optional<std::uint8_t> Engine::State::run_eager(const Request& r, const Host& host) {
    const OpInfo& row = info(r.op);
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
    if (row.is_generator()) {
        if (r.nin != 2 || !r.out[0]->c_contiguous()) return {};
        ready();
        return run_generator(r);
    }
    if (row.is_elementwise() && r.method == Method::Call) {
        ready();
        return run_map(r);
    }
    ready();
    if (row.is_arg_reduction() && run_position(r)) return 0;
    return run_alone(r, host);
}

}  // namespace hassium
