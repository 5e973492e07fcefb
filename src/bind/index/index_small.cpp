// Masks, and index vectors of few elements, of what is ready: moved at the call, without a list
// of items, positions in arrays or an operation. Numbers in a list or tuple, too. What does not
// fit, and what is wrong, goes the general way.
#include <algorithm>
#include <cstring>

#include "bind/index/index_terms.hpp"
#include "engine/positions.hpp"
#include "record/policy.hpp"

namespace hassium {
namespace {

// Whether it can be read, and is no larger than the threshold allows.
bool is_ready(const View& view, Threshold log2) {
    return view.base->readable() && view.size() <= eager_limit(log2);
}

// An array key whose elements can be read where they lie, one behind the other.
const View* array_key(PyObject* key) {
    if (Py_TYPE(key) != array_type) return nullptr;
    const View& view = as_array(key)->view;
    const bool fits = view.ndim() > 0 && is_ready(view, Threshold::index) && view.c_contiguous();
    return fits ? &view : nullptr;
}

// One that can be read where it lies, on what is ready.
bool is_mask(const View& source, PyObject* key) {
    return is_whole_mask(source, key) && as_array(key)->view.c_contiguous() &&
           is_ready(source, Threshold::mask);
}

bool is_line(const View& view) { return view.ndim() == 1 || view.c_contiguous(); }

std::int64_t line_stride(const View& view) {
    return view.ndim() == 1 ? view.strides[0] : itemsize(view.dtype);
}

// Memory of somebody else may be anybody's: overlap shows in the addresses only.
bool may_share(const View& a, const View& b) {
    return a.base.get() == b.base.get() || a.base->foreign || b.base->foreign;
}

// A call of memcpy with a length that is not known costs more than the move.
void move_item(char* to, const char* from, std::int64_t bytes) {
    switch (bytes) {
        case 1:
            *to = *from;
            return;
        case 4:
            std::memcpy(to, from, 4);
            return;
        case 8:
            std::memcpy(to, from, 8);
            return;
        default:
            std::memcpy(to, from, static_cast<std::size_t>(bytes));
    }
}

// Calls `visit` with the byte offset of every selected element; false when a position is out of
// bounds. Nothing has been visited then.
template <class Visit>
bool each_position(const View& source, const View& key, Visit&& visit) {
    const std::int64_t extent = source.shape[0], stride = source.strides[0], count = key.shape[0];
    const auto* positions = reinterpret_cast<const std::int64_t*>(key.base->data + key.offset);
    for (std::int64_t k = 0; k < count; ++k) {
        if (positions[k] < -extent || positions[k] >= extent) return false;
    }
    for (std::int64_t k = 0; k < count; ++k) {
        std::int64_t at = positions[k] < 0 ? positions[k] + extent : positions[k];
        visit(source.offset + at * stride);
    }
    return true;
}

bool is_positions(const View& source, const View& key) {
    return key.dtype == DType::I64 && key.ndim() == 1 && source.ndim() == 1;
}

bool take_positions(const View& source, const View& key, View& result) {
    char* out = nullptr;
    result = filled_view(source.dtype, key.shape, out);
    const std::int64_t item = itemsize(source.dtype);
    const char* data = source.base->data;
    return each_position(source, key, [&](std::int64_t offset) {
        move_item(out, data + offset, item);
        out += item;
    });
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
    // To wait for the mask lets others run.
    const char* const bools = data_to_read(mask);
    if (!is_ready(source, Threshold::mask)) return false;
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
    // One value for all needs no positions, and can wait.
    const bool plain = value.dtype == target.dtype && value.ndim() == 1 && value.shape[0] != 1 &&
                       value.strides[0] == item && is_ready(value, Threshold::mask) &&
                       !may_share(target, value) && !may_share(target, mask);
    if (!plain) return false;
    const char* const bools = data_to_read(mask);
    if (!target.base->idle() || !is_ready(target, Threshold::mask)) return false;
    if (!is_ready(value, Threshold::mask)) return false;
    const bool done =
        put_true(bools, mask.size(), item, value.base->data + value.offset, value.shape[0],
                 target.base->data + target.offset, line_stride(target));
    if (done) touched(*target.base);
    return done;
}

// A number whose conversion to the dtype cannot fail and runs no Python code.
bool is_number_of(DType dtype, PyObject* item) {
    if (dtype == DType::F64) return is_plain_double(item);
    if (dtype != DType::I64 || !PyLong_CheckExact(item)) return false;
    int overflow = 0;
    PyLong_AsLongLongAndOverflow(item, &overflow);
    return overflow == 0;
}

}  // namespace

bool take_small(const View& source, PyObject* key, View& result) {
    if (is_mask(source, key)) {
        const View mask = as_array(key)->view;
        return take_masked(source, mask, result);
    }
    const View* index = array_key(key);
    return index && source.base->readable() && is_positions(source, *index) &&
           take_positions(source, *index, result);
}

bool put_numbers(const View& target, PyObject* numbers) {
    const bool plain = PyTuple_CheckExact(numbers) || PyList_CheckExact(numbers);
    if (!plain || target.ndim() != 1) return false;
    if (target.size() > eager_limit()) return false;
    const std::int64_t count = PySequence_Fast_GET_SIZE(numbers);
    PyObject** const items = PySequence_Fast_ITEMS(numbers);
    const auto fits = [&](PyObject* item) { return is_number_of(target.dtype, item); };
    if (count != target.shape[0] || !std::all_of(items, items + count, fits)) return false;
    if (!target.base->idle() || !target.base->data) return false;
    char* to = target.base->data + target.offset;
    for (std::int64_t k = 0; k < count; ++k, to += target.strides[0]) {
        pack_element(to, target.dtype, items[k]);
    }
    touched(*target.base);
    return true;
}

bool put_small(const View& target, PyObject* key, const Value& value) {
    if (is_mask(target, key)) {
        const View mask = as_array(key)->view;
        return !value.is_constant && is_line(target) && put_masked(target, mask, value.view);
    }
    const View* index = array_key(key);
    if (!index || !target.base->idle() || !target.base->readable()) return false;
    if (!is_positions(target, *index)) return false;
    if (may_share(target, *index)) return false;
    const std::int64_t item = itemsize(target.dtype);
    const char* from = reinterpret_cast<const char*>(value.constant.bytes);
    std::int64_t step = 0;
    if (!value.is_constant) {
        const View& view = value.view;
        bool plain = view.dtype == target.dtype && view.shape == index->shape &&
                     is_ready(view, Threshold::index) && !may_share(target, view);
        if (!plain) return false;
        from = view.base->data + view.offset;
        step = view.strides[0];
    }
    char* data = target.base->data;
    bool done = each_position(target, *index, [&](std::int64_t offset) {
        move_item(data + offset, from, item);
        from += step;
    });
    if (done) touched(*target.base);
    return done;
}

}  // namespace hassium
