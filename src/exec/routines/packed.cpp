#include "exec/routines/packed.hpp"

#include <cstring>

#include "exec/single/moves_common.hpp"

namespace hassium {

std::int64_t element_count(const BoundView& view) { return element_count(view.shape); }

namespace {

bool is_contiguous(const BoundView& view) {
    std::int64_t inside = itemsize(view.dtype);
    for (std::size_t k = view.shape.size(); k-- > 0;) {
        if (view.shape[k] != 1 && view.strides[k] != inside) return false;
        inside *= view.shape[k];
    }
    return true;
}

}  // namespace

void pack(const BoundView& view, char* to) {
    const std::int64_t item = itemsize(view.dtype), all = element_count(view);
    if (all == 0) return;
    if (is_contiguous(view)) {
        std::memcpy(to, view.data, static_cast<std::size_t>(all * item));
        return;
    }
    const std::size_t last = view.shape.size() - 1;
    Odometer lines;
    for (std::size_t k = 0; k < last; ++k) lines.axis(view.shape[k], view.strides[k]);
    const std::int64_t n = view.shape[last], stride = view.strides[last];
    for (std::int64_t line = lines.count(); line > 0; --line, to += n * item) {
        kernels().load[item_log2(item)](to, view.data + lines.at(0), stride, n);
        lines.next();
    }
}

Packed::Packed(const BoundView& view) : data_(view.data) {
    if (is_contiguous(view)) return;
    copy_.resize(static_cast<std::size_t>(element_count(view) * itemsize(view.dtype)));
    pack(view, copy_.data());
    data_ = copy_.data();
}

}  // namespace hassium
