// Keys that are one int64 array of positions, as in `a[i]`, `a[i] = b` and `np.take(a, i, axis)`;
// and the native parts of np.repeat and np.count_nonzero.
#include <cstring>

#include "bind/array/array_methods.hpp"
#include "bind/index/index_terms.hpp"
#include "engine/positions.hpp"
#include "record/policy.hpp"

namespace hassium {
namespace {

// Returns the view of a key that is exactly a C-contiguous int64 array, else null.
const View* positions_of(PyObject* key) {
    if (Py_TYPE(key) != array_type) return nullptr;
    const View& view = as_array(key)->view;
    const bool fits = view.dtype == DType::I64 && view.ndim() > 0 && view.c_contiguous();
    return fits ? &view : nullptr;
}

// Loads a word; foreign memory may be unaligned.
template <class Word>
Word word_at(const char* data, std::int64_t k) {
    Word word;
    std::memcpy(&word, data + k * static_cast<std::int64_t>(sizeof word), sizeof word);
    return word;
}

// Counts the words that have any of `bits` set.
template <class Word>
std::int64_t count_words(const char* data, std::int64_t n, std::uint64_t bits) {
    const auto mask = static_cast<Word>(bits);
    std::int64_t found = 0;
    for (std::int64_t k = 0; k < n; ++k) found += (word_at<Word>(data, k) & mask) != 0;
    return found;
}

std::int64_t count_pairs(const char* data, std::int64_t n, std::uint64_t bits) {
    std::int64_t found = 0;
    for (std::int64_t k = 0; k < n; ++k) {
        const auto both =
            word_at<std::uint64_t>(data, 2 * k) | word_at<std::uint64_t>(data, 2 * k + 1);
        found += (both & bits) != 0;
    }
    return found;
}

std::int64_t nonzero_elements(const char* data, std::int64_t n, DType dtype) {
    if (dtype == DType::Bool) return count_true(data, n);
    // Ignores the sign bit of a number, or of both floats in a word: -0.0 is zero.
    const bool whole = is_integer(dtype);
    const std::uint64_t signs = dtype == DType::C64 ? 0x80000000'80000000u
                                : itemsize(dtype) > 8
                                    ? std::uint64_t{1} << 63
                                    : std::uint64_t{1} << (itemsize(dtype) * 8 - 1);
    const std::uint64_t bits = whole ? ~std::uint64_t{0} : ~signs;
    switch (itemsize(dtype)) {
        case 1:
            return count_words<std::uint8_t>(data, n, bits);
        case 2:
            return count_words<std::uint16_t>(data, n, bits);
        case 4:
            return count_words<std::uint32_t>(data, n, bits);
        case 8:
            return count_words<std::uint64_t>(data, n, bits);
        default:
            return count_pairs(data, n, bits);
    }
}

}  // namespace

bool is_positions(PyObject* key) { return positions_of(key) != nullptr; }

PositionRange range_of(const View& array, const std::int64_t* values, std::int64_t count) {
    Base& base = *array.base;
    const bool whole =
        array.size() * itemsize(array.dtype) == base.bytes && !base.eager() && array.c_contiguous();
    if (whole && base.range_known) return {base.range_least, base.range_most};
    const auto [least, most] = least_and_most(values, count);
    if (whole) {
        base.range_known = true;
        base.range_least = least;
        base.range_most = most;
    }
    return {least, most};
}

bool select_positions(View&& source, PyObject* key, std::size_t axis, Selection& selection,
                      const View* assigned) {
    const View* const positions = positions_of(key);
    if (!positions || axis >= source.ndim()) return false;
    for (std::size_t k = 0; k < axis; ++k) selection.result.push_back(source.shape[k]);
    for (const std::int64_t extent : positions->shape) selection.result.push_back(extent);
    for (std::size_t k = axis + 1; k < source.ndim(); ++k) {
        selection.result.push_back(source.shape[k]);
    }
    check_extents(selection.result, itemsize(source.dtype));
    if (assigned && assigned->shape != selection.result) {
        broadcast_assigned(*assigned, selection.result);
    }
    const std::int64_t extent = source.shape[axis], selected = positions->size();
    selection.linear = *positions;
    if (positions->ndim() != 1) {
        selection.linear.shape = {selected};
        selection.linear.strides = {itemsize(DType::I64)};
    }
    if (selected > 0) {
        const auto* values = reinterpret_cast<const std::int64_t*>(data_to_read(selection.linear));
        const PositionRange range = range_of(selection.linear, values, selected);
        if (range.least < -extent || range.most >= extent) return false;
        if (range.least < 0) {
            View positive = fresh_view(DType::I64, selection.linear.shape);
            Engine::instance().submit(
                request_of(Op::Remainder, DType::I64, positive,
                           {input_of(selection.linear), input_of(extent, DType::I64)}));
            selection.linear = std::move(positive);
        }
    }
    selection.source = std::move(source);
    selection.axis = axis;
    return true;
}

namespace {

// Returns whether a number of elements is Python's integer in this NumPy, and not NumPy's scalar.
bool counts_in_python() {
    PyObject* const type = made_once([] {
        const Ref array = own(PyArray_ZEROS(0, nullptr, NPY_BOOL, 0));
        const Ref found = own(PyObject_CallOneArg(numpy_attribute("count_nonzero"), array.get()));
        return Py_NewRef(Py_TYPE(found.get()));
    });
    return type == reinterpret_cast<PyObject*>(&PyLong_Type);
}

}  // namespace

HS_FAST_METHOD(count_nonzero) {
    if (count != 1 || keywords || Py_TYPE(args[0]) != array_type) Py_RETURN_NOTIMPLEMENTED;
    const View view = as_array(args[0])->view;  // keeps the base alive while other threads run
    const std::int64_t size = view.size();
    const bool short_way = view.dtype == DType::Bool || size <= eager_limit(Threshold::counted);
    if (!short_way || !view.c_contiguous() || !view.base->readable()) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    const std::int64_t found = nonzero_elements(data_to_read(view), size, view.dtype);
    if (counts_in_python()) return PyLong_FromLongLong(found);
    return element_at(reinterpret_cast<const char*>(&found), DType::I64);
}

HS_FAST_METHOD(take_positions) {
    if (count != 3) {
        fail(ErrorKind::Type, "take_positions() takes an array, indices and an axis");
    }
    View source;
    std::size_t axis = 0;
    if (!along_axis(args[0], args[2], source, axis)) return Py_NewRef(Py_None);
    run_index(source, args[1]);
    Selection selection;
    const bool found = select_positions(std::move(source), args[1], axis, selection);
    return found ? take_selected(std::move(selection)) : Py_NewRef(Py_None);
}

HS_FAST_METHOD(repeat_evenly) {
    if (count != 3) fail(ErrorKind::Type, "repeat_evenly() takes an array, times and an axis");
    View view;
    std::size_t axis = 0;
    if (!PyLong_CheckExact(args[1]) || !along_axis(args[0], args[2], view, axis)) {
        return Py_NewRef(Py_None);
    }
    int overflow = 0;
    const long long times = PyLong_AsLongLongAndOverflow(args[1], &overflow);
    if (overflow || times < 0 || view.ndim() >= kMaxDims) return Py_NewRef(Py_None);
    View wide = view;
    wide.shape.insert(axis + 1, times);
    wide.strides.insert(axis + 1, 0);
    check_extents(wide.shape, itemsize(view.dtype));
    View result = contiguous_copy(wide, view.dtype);
    result.shape = view.shape;
    result.shape[axis] *= times;
    result.strides = c_strides(result.shape, itemsize(view.dtype));
    return new_array(std::move(result));
}

}  // namespace hassium
