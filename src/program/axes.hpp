// The axes of views: their order in memory, and which of them can be coalesced.
//
// Two neighbouring axes coalesce if the outer stride continues the inner axis: outer stride ==
// inner stride * inner extent. Axes of one element do not count. The coalesced form of a view is
// unique: the innermost axis ends where the step from one position to the next first changes, and
// the axes outside it form a view of their own. So two views show the same elements in the same
// order exactly when their coalesced axes are equal.
//
// Axes of several operands coalesce if they do for every operand.
#pragma once

#include <cstdint>
#include <span>

#include "base/small_vec.hpp"
#include "program/overlap.hpp"

namespace hassium {

// Returns whether stride `outer` continues an axis of stride `inner` and `extent` elements.
constexpr bool carries(std::int64_t outer, std::int64_t inner, std::int64_t extent) {
    return outer == inner * extent;
}

// Indices of axes, outermost first.
using AxisOrder = SmallVec<std::uint8_t, 8>;

// Sorts `rank` axes from C order by insertion. `outside(axis, other)` compares `axis` with `other`,
// which C order puts outside it: positive moves `axis` outside `other`; negative keeps it inside
// `other` and all axes before that; 0 leaves the decision to the axes before.
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

// Orders axes by decreasing absolute stride, ties in C order.
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
    // Uses the first `operands` of the N strides.
    explicit Axes(int operands = N) : operands_(operands) {}

    // Appends an axis inside the others. `stride(k)` is the stride of operand k.
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

// Returns whether all axes of a shape coalesce to one, in C order. Its strides are then those of
// the last axis. Cheaper than coalesce(); does not skip axes of one element.
template <class Stride>
constexpr bool is_one_axis(std::span<const std::int64_t> shape, Stride stride, int operands) {
    for (int k = 0; k < operands; ++k) {
        for (std::size_t axis = shape.size(); axis-- > 1;) {
            if (!carries(stride(k, axis - 1), stride(k, axis), shape[axis])) return false;
        }
    }
    return true;
}

// Returns the coalesced axes of a shape, in C order or in the given order. `stride(k, axis)` is the
// stride of operand k.
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
// Returns the coalesced axes of one view.
inline Axes<1> coalesce(std::span<const std::int64_t> shape,
                        std::span<const std::int64_t> strides) {
    return coalesce<1>(shape, [=](int, std::size_t axis) { return strides[axis]; });
}

// Returns whether two views of one base show the same elements in the same order, whatever their
// shapes.
bool same_elements(const Extent& a, const Extent& b);

// Sets the strides of a view of `axes` in another shape of as many elements, at least one; the
// inverse of coalesce(). Returns false if no strides give that shape. An axis of one element
// continues the axis inside it, or has the stride of the innermost axis, or `single` if there is
// none.
bool spread_strides(const Axes<1>& axes, std::span<const std::int64_t> shape, std::int64_t single,
                    Dims& strides);

}  // namespace hassium
