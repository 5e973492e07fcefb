// The method `reduceat`: reductions of segments along one axis. A segment ends where the next one
// begins; one that would have no element is that at its beginning.
//
// A segment has the bits of its own reduction (program/reduction_tree.hpp), but that a sum begins
// with its first element. Values and results are contiguous, in the dtype of the reduction; indices
// were checked when the instruction was recorded.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "exec/single/moves_common.hpp"
#include "ops/dtype_rules.hpp"
#include "program/reduction_tree.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium {
namespace {

// Kernels begin a sum with 0, which only negative zeros would show.
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
    // Of n > 1 elements, or rows of `inner` elements; `partials` is scratch.
    void reduce(char* to, const char* from, std::int64_t n, std::vector<char>& partials) const {
        inner_ == 1 ? reduce_row(to, from, n, partials) : reduce_columns(to, from, n, partials);
    }

  private:
    Op op_;
    DType dtype_;
    std::int64_t item_, inner_;  // bytes of an element, elements behind the axis
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

// By the balanced tree; the result is the first.
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
            char* const to = out.data + job * row;
            if (n > 1) {
                segments.reduce(to, from, n, partials);
            } else {
                std::memcpy(to, from, static_cast<std::size_t>(row));
            }
        }
    });
}

}  // namespace hassium
