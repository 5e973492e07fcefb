// Reads and writes the elements under a mask of the whole array without positions; the length of
// the result is known only after reading the mask. Other masks become positions (index_terms.cpp).
#include "bind/index/index_terms.hpp"
#include "engine/positions.hpp"
#include "record/policy.hpp"

namespace hassium {
namespace {

// Returns whether the view can be read without a flush and is below the threshold.
bool is_ready(const View& view) {
    return view.base->readable() && view.size() <= eager_limit(Threshold::mask);
}

// Returns whether the key is a C-contiguous mask of the whole array, whose elements are available.
bool is_mask(const View& source, PyObject* key) {
    return is_whole_mask(source, key) && as_array(key)->view.c_contiguous() && is_ready(source);
}

bool is_line(const View& view) { return view.ndim() == 1 || view.c_contiguous(); }

std::int64_t line_stride(const View& view) {
    return view.ndim() == 1 ? view.strides[0] : itemsize(view.dtype);
}

// Returns whether two views may overlap. Foreign bases may: only the addresses could tell.
bool may_share(const View& a, const View& b) {
    return a.base.get() == b.base.get() || a.base->foreign || b.base->foreign;
}

bool take_masked(const View& source, const View& mask, View& result) {
    std::int64_t rows = 1, pitch = mask.size(), stride = 0;
    if (is_line(source)) {
        stride = line_stride(source);
    } else {
        View lines = source;
        rows = take_lines(lines, 0, source.ndim(), pitch);
        if (rows == 0 || (rows > threshold(Threshold::index_rows) &&
                          mask.size() / rows < threshold(Threshold::index_row_elements)))
            return false;
        stride = lines.strides[0];
    }
    // Waiting for the mask lets other threads run.
    const char* const bools = data_to_read(mask);
    if (!is_ready(source)) return false;
    take_true(bools, rows, mask.size() / rows, pitch, itemsize(source.dtype),
              source.base->data + source.offset, stride, [&](std::int64_t count) {
                  char* out = nullptr;
                  result = filled_view(source.dtype, {&count, 1}, out);
                  return out;
              });
    return true;
}

bool put_masked(const View& target, const View& mask, const View& value) {
    const std::int64_t item = itemsize(target.dtype);
    // One value for all elements needs no positions and is recorded.
    const bool plain = value.dtype == target.dtype && value.ndim() == 1 && value.shape[0] != 1 &&
                       value.strides[0] == item && is_ready(value) && !may_share(target, value) &&
                       !may_share(target, mask);
    if (!plain) return false;
    const char* const bools = data_to_read(mask);
    if (!target.base->idle() || !is_ready(target)) return false;
    if (!is_ready(value)) return false;
    const bool done =
        put_true(bools, mask.size(), item, value.base->data + value.offset, value.shape[0],
                 target.base->data + target.offset, line_stride(target));
    if (done) touched(*target.base);
    return done;
}

}  // namespace

bool take_under_mask(const View& source, PyObject* key, View& result) {
    if (!is_mask(source, key)) return false;
    const View mask = as_array(key)->view;
    return take_masked(source, mask, result);
}

bool put_under_mask(const View& target, PyObject* key, const Value& value) {
    if (!is_mask(target, key)) return false;
    const View mask = as_array(key)->view;
    return !value.is_constant && is_line(target) && put_masked(target, mask, value.view);
}

}  // namespace hassium
