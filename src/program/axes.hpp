// Axes that views are stepped through along: their order in memory, and which of them are one.
//
// Two neighbouring axes are one where the stride of the outer one carries on from the inner one:
// outer stride == inner stride * inner extent. Axes of one element do not count. What remains of a
// view when all such axes are coalesced is unique: the innermost axis ends where the step from one
// position to the next changes for the first time, and what lies outside it is a view by itself. So
// two views show the same elements in the same order exactly when their coalesced axes are equal.
//
// Axes of several operands are one where every operand's strides carry on.
#pragma once

#include <cstdint>
#include <span>

#include "base/small_vec.hpp"
#include "program/overlap.hpp"

namespace hassium {

// Whether the outer of two strides continues the inner one, along which there are `extent`
// elements.
constexpr bool carries(std::int64_t outer, std::int64_t inner, std::int64_t extent) {
    return outer == inner * extent;
}

// Numbers of axes, outermost first.
using AxisOrder = SmallVec<std::uint8_t, 8>;

// Sorts `rank` axes, first given in C order, by insertion. `outside(axis, other)`: does `axis`
// belong outside `other`, which C order has outside it? Positive: yes; negative: no, nor outside
// those before; 0: those before decide.
template <class Outside>
AxisOrder sort_axes(std::size_t rank, Outside outside) {
    AxisOrder order;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        order.push_back(static_cast<std::uint8_t>(axis));
        std::uint8_t* const sorted = order.data();
        std::size_t place = axis;
        for (std::size_t k = axis; k-- > 0;) {
            const int verdict = outside(axis, std::size_t{sorted[k]});
            if (verdict < 0) break;
            if (verdict > 0) place = k;
        }
        for (std::size_t k = axis; k > place; --k) sorted[k] = sorted[k - 1];
        sorted[place] = static_cast<std::uint8_t>(axis);
    }
    return order;
}

// By magnitude of the strides; C order among equals.
inline AxisOrder stride_order(std::span<const std::int64_t> strides) {
    return sort_axes(strides.size(), [=](std::size_t axis, std::size_t other) {
        const std::int64_t a = strides[axis], b = strides[other];
        return (a < 0 ? -a : a) > (b < 0 ? -b : b) ? 1 : -1;
    });
}

template <int N>
struct Axis {
    std::int64_t extent;
    std::int64_t strides[N];

    friend bool operator==(const Axis&, const Axis&) = default;
};

// Coalesced axes of up to N operands, outermost first.
template <int N>
class Axes {
  public:
    // Of all operands unless fewer are given.
    explicit Axes(int operands = N) : operands_(operands) {}

    // Inside those that are there. `stride(k)`: of operand k.
    template <class Stride>
    void append(std::int64_t extent, Stride stride) {
        if (extent == 1) return;
        Axis<N>* last = axes_.empty() ? nullptr : &axes_.back();
        bool is_one = last != nullptr;
        for (int k = 0; k < operands_ && is_one; ++k) {
            is_one = carries(last->strides[k], stride(k), extent);
        }
        if (is_one) {
            last->extent *= extent;
        } else {
            axes_.resize(axes_.size() + 1);
            last = &axes_.back();
            last->extent = extent;
        }
        for (int k = 0; k < operands_; ++k) last->strides[k] = stride(k);
    }
    void erase(std::size_t axis) { axes_.erase(axis); }
    void pop_back() { axes_.pop_back(); }

    std::size_t size() const { return axes_.size(); }
    bool empty() const { return axes_.empty(); }
    const Axis<N>& operator[](std::size_t axis) const { return axes_[axis]; }
    const Axis<N>& back() const { return axes_.back(); }
    const Axis<N>* begin() const { return axes_.begin(); }
    const Axis<N>* end() const { return axes_.end(); }

    friend bool operator==(const Axes& a, const Axes& b) { return a.axes_ == b.axes_; }

  private:
    SmallVec<Axis<N>, 4> axes_;
    int operands_;
};

// Whether all axes of a shape are one, in C order. Then its strides are those of the last axis.
// Cheaper than to coalesce; axes of one element count here.
template <class Stride>
constexpr bool is_one_axis(std::span<const std::int64_t> shape, Stride stride, int operands) {
    for (int k = 0; k < operands; ++k) {
        for (std::size_t axis = shape.size(); axis-- > 1;) {
            if (!carries(stride(k, axis - 1), stride(k, axis), shape[axis])) return false;
        }
    }
    return true;
}

// The axes of a shape, in C order or in the order given, coalesced. `stride(k, axis)`: of operand
// k.
template <int N, class Stride>
Axes<N> coalesce(std::span<const std::int64_t> shape, Stride stride, int operands = N) {
    Axes<N> axes(operands);
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        axes.append(shape[axis], [&](int k) { return stride(k, axis); });
    }
    return axes;
}
template <int N, class Stride>
Axes<N> coalesce(std::span<const std::int64_t> shape, const AxisOrder& order, Stride stride,
                 int operands = N) {
    Axes<N> axes(operands);
    for (const std::size_t axis : order) {
        axes.append(shape[axis], [&](int k) { return stride(k, axis); });
    }
    return axes;
}
// Those of one view.
inline Axes<1> coalesce(std::span<const std::int64_t> shape,
                        std::span<const std::int64_t> strides) {
    return coalesce<1>(shape, [=](int, std::size_t axis) { return strides[axis]; });
}

// Whether two views of one base show the same elements in the same order, whatever their shapes.
bool same_elements(const Extent& a, const Extent& b);

// Strides over another shape of as many elements, at least one: the inverse of coalescing. False:
// no strides show the view in that shape. An axis of one element carries on from the axis inside
// it, or has the stride of the innermost axis, or `single` where there is none.
bool spread_strides(const Axes<1>& axes, std::span<const std::int64_t> shape, std::int64_t single,
                    Dims& strides);

}  // namespace hassium
