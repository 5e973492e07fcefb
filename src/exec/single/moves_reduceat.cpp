// The method `reduceat`: reductions of segments along one axis. A segment ends where the next one
// begins; an empty segment gives the element at its beginning.
//
// A segment has the bits of its own reduction (program/reduction_tree.hpp), except that a sum
// starts with its first element. Values and results are contiguous, in the dtype of the reduction;
// indices were checked when the instruction was recorded.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <ranges>
#include <vector>

#include "base/error.hpp"
#include "exec/single/moves_common.hpp"
#include "exec/single/segments.hpp"
#include "ops/dtype_rules.hpp"
#include "program/reduction_tree.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium {
namespace {

// Kernels start a sum from 0: makes the sum of negative zeros negative again.
template <class T>
void set_sign_of_zero(char* sum, const char* from, std::int64_t n) {
    T x;
    std::memcpy(&x, sum, sizeof(T));
    if (x != 0) return;
    for (std::int64_t k = 0; k < n; ++k) {
        std::memcpy(&x, from + k * std::int64_t{sizeof(T)}, sizeof(T));
        if (x != 0 || !std::signbit(x)) return;
    }
    std::memcpy(sum, &x, sizeof(T));
}

class Segments {
  public:
    Segments(Op op, DType dtype, std::int64_t inner)
        : op_(op), dtype_(dtype), item_(itemsize(dtype)), inner_(inner) {
        const KernelTable& table = kernels();
        const auto row = static_cast<std::size_t>(op), of = static_cast<std::size_t>(dtype);
        chunk_ = table.chunk[row][of];
        map_ = table.map[row][of];
        tree_ = table.tree[row][of];
        columns_ = table.columns[row][of];
        HS_CHECK(chunk_ && map_, "a reducible row has kernels in its dtype");
    }
    // Reduces n elements, or rows of `inner` elements; `partials` is scratch.
    void reduce(char* to, const char* from, std::int64_t n, std::vector<char>& partials) const {
        if (n <= 1) {
            std::memcpy(to, from, static_cast<std::size_t>(inner_ * item_));
        } else {
            inner_ == 1 ? reduce_row(to, from, n, partials) : reduce_columns(to, from, n, partials);
        }
    }

  private:
    Op op_;
    DType dtype_;
    std::int64_t item_, inner_;  // bytes of an element, product of the extents after the axis
    ChunkFn chunk_;
    MapFn map_;
    TreeFn tree_;
    ColumnsFn columns_;

    void reduce_row(char* to, const char* from, std::int64_t n, std::vector<char>& partials) const;
    void reduce_columns(char* to, const char* from, std::int64_t n,
                        std::vector<char>& partials) const;
    void combine_rows(char* partials, std::int64_t count) const;
};

void Segments::reduce_row(char* to, const char* from, std::int64_t n,
                          std::vector<char>& partials) const {
    if (n <= ReductionTree::kChunk || !combines_parts(op_, dtype_)) {
        chunk_(to, from, n);
    } else {
        const std::int64_t count = (n + ReductionTree::kChunk - 1) / ReductionTree::kChunk;
        partials.resize(static_cast<std::size_t>(count * item_));
        for (std::int64_t k = 0; k < count; ++k) {
            const std::int64_t done = k * ReductionTree::kChunk;
            chunk_(partials.data() + k * item_, from + done * item_,
                   std::min(ReductionTree::kChunk, n - done));
        }
        tree_(partials.data(), count);
        std::memcpy(to, partials.data(), static_cast<std::size_t>(item_));
    }
    if (!begins_with_zero(op_, dtype_)) return;
    if (dtype_ == DType::F64) set_sign_of_zero<double>(to, from, n);
    if (dtype_ == DType::F32) set_sign_of_zero<float>(to, from, n);
}

void Segments::reduce_columns(char* to, const char* from, std::int64_t n,
                              std::vector<char>& partials) const {
    const std::int64_t row = inner_ * item_;
    const std::int64_t length = combines_parts(op_, dtype_) ? ReductionTree::kColumnChunk : n;
    const std::int64_t count = (n + length - 1) / length;
    partials.resize(static_cast<std::size_t>(count * row));
    for (std::int64_t k = 0; k < count; ++k) {
        char* const state = partials.data() + k * row;
        const char* const first = from + k * length * row;
        const std::int64_t rows = std::min(length, n - k * length);
        std::memcpy(state, first, static_cast<std::size_t>(row));
        if (columns_) {
            columns_(state, {first + row, row, inner_, rows - 1});
            continue;
        }
        for (std::int64_t r = 1; r < rows; ++r) {
            char* const operands[] = {state, state, const_cast<char*>(first + r * row)};
            map_(operands, 0, inner_);
        }
    }
    combine_rows(partials.data(), count);
    std::memcpy(to, partials.data(), static_cast<std::size_t>(row));
}

// Combines rows by the balanced tree; the result is the first row.
void Segments::combine_rows(char* partials, std::int64_t count) const {
    const std::int64_t row = inner_ * item_;
    for (; count > 1; count = (count + 1) / 2) {
        for (std::int64_t k = 0; k + 1 < count; k += 2) {
            char* const left = partials + k * row;
            char* const operands[] = {partials + k / 2 * row, left, left + row};
            map_(operands, 0, inner_);
        }
        if (count % 2) {
            std::memmove(partials + count / 2 * row, partials + (count - 1) * row,
                         static_cast<std::size_t>(row));
        }
    }
}

}  // namespace

void run_reduceat(const Instruction& i, std::span<const BoundView> operands, RunState& state) {
    const BoundView &out = operands[0], &in = operands[1], &index = operands[2];
    const auto axis = static_cast<std::size_t>(std::countr_zero(i.axes));
    const std::int64_t inner = element_count(in.shape.subspan(axis + 1));
    const Segments segments(i.op, i.compute, inner);
    const std::int64_t extent = in.shape[axis], count = index.shape[0];
    const std::int64_t row = inner * itemsize(i.compute);
    const std::int64_t jobs = element_count(in.shape.first(axis)) * count;
    if (jobs == 0 || inner == 0) return;
    auto position = [&](std::int64_t k) {
        std::int64_t at;
        std::memcpy(&at, index.data + k * index.strides[0], sizeof at);
        return at;
    };
    spread(jobs, element_count(in.shape), state, [&](std::int64_t first, std::int64_t last) {
        std::vector<char> partials;
        for (std::int64_t job = first; job < last; ++job) {
            const std::int64_t k = job % count, begin = position(k);
            const std::int64_t n = (k + 1 < count ? position(k + 1) : extent) - begin;
            const char* const from = in.data + (job / count * extent + begin) * row;
            segments.reduce(out.data + job * row, from, n, partials);
        }
    });
}

PiecewiseSegments::PiecewiseSegments(const Instruction& i, const BoundView& out,
                                     const BoundView& values, const BoundView& beginnings)
    : instruction_(i),
      out_(out),
      values_(values),
      beginnings_(beginnings),
      length_(values.shape[0]),
      item_(itemsize(i.compute)) {
    for (std::int64_t k = 1; k < beginnings.shape[0] && ascending_; ++k) {
        ascending_ = begin_of(k - 1) <= begin_of(k);
    }
}

void PiecewiseSegments::allocate() {
    if (!ascending_) return buffer_.resize(static_cast<std::size_t>(length_ * item_));
    std::int64_t longest = 0;
    for (std::int64_t k = 0; k < beginnings_.shape[0]; ++k) {
        longest = std::max(longest, end_of(k) - begin_of(k));
    }
    buffer_.reserve(static_cast<std::size_t>(longest * item_));
}

std::int64_t PiecewiseSegments::begin_of(std::int64_t segment) const {
    std::int64_t at;
    std::memcpy(&at, beginnings_.data + segment * beginnings_.strides[0], sizeof at);
    return at;
}

std::int64_t PiecewiseSegments::end_of(std::int64_t segment) const {
    const bool last = segment + 1 == beginnings_.shape[0];
    return last ? length_ : std::max(begin_of(segment + 1), begin_of(segment) + 1);
}

// Returns the first segment that begins at the element or later.
std::int64_t PiecewiseSegments::first_from(std::int64_t element) const {
    const auto all = std::views::iota(std::int64_t{0}, beginnings_.shape[0]);
    return *std::ranges::partition_point(all,
                                         [&](std::int64_t k) { return begin_of(k) < element; });
}

void PiecewiseSegments::append(const char* from, std::int64_t n) {
    buffer_.insert(buffer_.end(), from, from + n * item_);
}

void PiecewiseSegments::run(const char* piece, std::int64_t first, std::int64_t n,
                            std::int64_t number, Before& before) {
    if (!ascending_) {
        std::memcpy(buffer_.data() + first * item_, piece, static_cast<std::size_t>(n * item_));
        return;
    }
    const Segments segments(instruction_.op, instruction_.compute, 1);
    const std::int64_t end = first + n, begins = first_from(first), behind = first_from(end);
    std::vector<char> partials;
    std::int64_t open = -1;
    for (std::int64_t k = begins; k < behind; ++k) {
        const std::int64_t at = begin_of(k), length = end_of(k) - at;
        if (at + length > end) {
            open = k;
        } else {
            segments.reduce(out_.data + k * item_, piece + (at - first) * item_, length, partials);
        }
    }
    const Turn turn(before, number);
    if (open_ >= 0) {
        const std::int64_t stop = std::min(end_of(open_), end);
        append(piece, stop - first);
        if (stop == end_of(open_)) {
            segments.reduce(out_.data + open_ * item_, buffer_.data(), std::ssize(buffer_) / item_,
                            partials);
            buffer_.clear();
            open_ = -1;
        }
    }
    if (open >= 0) {
        open_ = open;
        append(piece + (begin_of(open) - first) * item_, end - begin_of(open));
    }
}

void PiecewiseSegments::finish(RunState& state) {
    if (ascending_) return;
    values_.data = buffer_.data();
    const BoundView operands[] = {out_, values_, beginnings_};
    run_reduceat(instruction_, operands, state);
}

}  // namespace hassium
