// The input of an eager reduction: its axes in memory order, its elements packed. Private to
// src/engine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "exec/executor.hpp"
#include "program/axes.hpp"
#include "record/base.hpp"

namespace hassium {

inline char* address(const View& view) { return view.base->data + view.offset; }

// The axes of a reduction's input longer than one, outermost first by stride: elements are combined
// in that order (reduction_tree.hpp).
struct FoldAxes {
    const View& in;
    std::size_t rank = 0;
    std::int64_t extent[kMaxDims], stride[kMaxDims];
    bool reduced[kMaxDims];
    std::size_t axis[kMaxDims];

    FoldAxes(const View& view, std::uint64_t axes) : in(view) {
        for (const std::size_t k : stride_order(in.strides)) {
            if (in.shape[k] == 1) continue;
            extent[rank] = in.shape[k];
            stride[rank] = in.strides[k];
            reduced[rank] = (axes >> k & 1) != 0;
            axis[rank++] = k;
        }
    }
    // Returns whether the kept axes, or all of them, are in the order of the view.
    bool in_order(bool all) const {
        std::size_t next = 0;
        for (std::size_t k = 0; k < rank; ++k) {
            if (!all && reduced[k]) continue;
            if (axis[k] < next) return false;
            next = axis[k];
        }
        return true;
    }
    bool packed() const {
        std::int64_t step = itemsize(in.dtype);
        for (std::size_t k = rank; k-- > 0; step *= extent[k]) {
            if (stride[k] != step) return false;
        }
        return true;
    }
    // Returns the extents of the reduction if the reduced axes are adjacent.
    std::optional<DirectFold> fold() const {
        DirectFold found{1, 1, 1};
        for (std::size_t k = rank; k-- > 0;) {
            if (!reduced[k]) {
                (found.reduced == 1 ? found.inner : found.outer) *= extent[k];
            } else if (found.outer > 1) {
                return {};
            } else {
                found.reduced *= extent[k];
            }
        }
        return found;
    }
};

// The elements packed: in place, or copied if there are at most kMost.
class FoldInput {
  public:
    // The base of the view must have memory.
    explicit FoldInput(const FoldAxes& axes) : data_(address(axes.in)) {
        if (axes.packed()) return;
        const std::span<const std::int64_t> shape(axes.extent, axes.rank);
        data_ = nullptr;
        if (element_count(shape) > kMost) return;
        const DType dtype = axes.in.dtype;
        std::int64_t strides[kMaxDims], step = itemsize(dtype);
        for (std::size_t k = axes.rank; k-- > 0; step *= axes.extent[k]) strides[k] = step;
        run_direct_copy(shape, {memory_, dtype, strides}, {address(axes.in), dtype, axes.stride});
        data_ = memory_;
    }
    // Null if there are too many elements to copy.
    const char* data() const { return data_; }

  private:
    static constexpr std::int64_t kMost = 1024;
    const char* data_;
    alignas(64) char memory_[kMost * 16];
};

}  // namespace hassium
