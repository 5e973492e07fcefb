#include "program/axes.hpp"

#include <algorithm>

namespace hassium {

bool same_elements(const Extent& a, const Extent& b) {
    if (a.offset != b.offset || a.itemsize != b.itemsize) return false;
    auto equal = [](std::span<const std::int64_t> x, std::span<const std::int64_t> y) {
        return std::equal(x.begin(), x.end(), y.begin(), y.end());
    };
    if (equal(a.shape, b.shape) && equal(a.strides, b.strides)) return true;
    return coalesce(a.shape, a.strides) == coalesce(b.shape, b.strides);
}

bool spread_strides(const Axes<1>& axes, std::span<const std::int64_t> shape, std::int64_t single,
                    Dims& strides) {
    strides.resize(shape.size());
    std::size_t next = axes.size();
    std::int64_t left = 1, stride = axes.empty() ? single : axes.back().strides[0];
    for (std::size_t k = shape.size(); k-- > 0;) {
        if (shape[k] != 1) {
            if (left == 1) {
                if (next == 0) return false;
                left = axes[--next].extent;
                stride = axes[next].strides[0];
            }
            if (left % shape[k] != 0) return false;
            left /= shape[k];
        }
        strides[k] = stride;
        stride *= shape[k];
    }
    return left == 1 && next == 0;
}

}  // namespace hassium
