// NumPy's loops on our memory for einsum, correlate, convolve and put of few elements: they take
// less time than an analysis of the call. They are not counted as fallbacks.
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "bind/array/array_call.hpp"
#include "bind/array/array_methods.hpp"
#include "bind/ufunc/ufunc.hpp"
#include "record/policy.hpp"

namespace hassium {
namespace {

// ---- einsum ----

std::span<const std::int64_t> shape_of(PyObject* object, bool& known) {
    if (is_array(object)) return as_array(object)->view.shape;
    known = known && PyArray_CheckExact(object);
    if (!known) return {};
    auto* array = reinterpret_cast<PyArrayObject*>(object);
    static_assert(sizeof(npy_intp) == sizeof(std::int64_t));
    return {reinterpret_cast<const std::int64_t*>(PyArray_DIMS(array)),
            static_cast<std::size_t>(PyArray_NDIM(array))};
}

using Labels = std::uint64_t;  // a bit for each of the 52 letters

int letter(char c) {
    if (c >= 'a' && c <= 'z') return c - 'a';
    return c >= 'A' && c <= 'Z' ? c - 'A' + 26 : -1;
}

// The loop of an einsum whose subscripts are letters only.
struct Sum {
    std::int64_t extents[52];
    Labels terms[2] = {};
    Labels result = 0;
    std::size_t count = 0;  // terms

    // Returns false if an axis has no label or the extents do not match.
    bool read(std::string_view text, PyObject* const* operands, std::size_t operand_count);
    std::int64_t products() const {
        std::int64_t all = 1;
        bool beyond = false;
        for (const std::int64_t extent : extents) {
            if (extent >= 0) beyond |= __builtin_mul_overflow(all, extent, &all);
        }
        return beyond ? INT64_MAX : all;
    }
    bool of_matrices() const {
        if (count != 2) return count > 2;
        const Labels x = terms[0], y = terms[1];
        return (x & y & ~result) && (x & ~y & result) && (y & ~x & result);
    }

  private:
    bool take_term(std::string_view term, std::span<const std::int64_t> shape, Labels& labels);
};

bool Sum::take_term(std::string_view term, std::span<const std::int64_t> shape, Labels& labels) {
    std::size_t axis = 0;
    for (const char c : term) {
        if (c == ' ') continue;
        const int label = letter(c);
        if (label < 0 || axis == shape.size()) return false;
        std::int64_t& extent = extents[label];
        if (extent >= 0 && extent != shape[axis]) return false;
        extent = shape[axis++];
        labels |= Labels{1} << label;
    }
    return axis == shape.size();
}

bool Sum::read(std::string_view text, PyObject* const* operands, std::size_t operand_count) {
    std::fill(std::begin(extents), std::end(extents), std::int64_t{-1});
    const std::size_t arrow = text.find("->");
    std::string_view inputs = text.substr(0, arrow);
    Labels once = 0, repeated = 0;
    for (bool more = true; more; ++count) {
        const std::size_t comma = inputs.find(',');
        bool known = count < operand_count;
        Labels labels = 0;
        if (!known) return false;
        const auto shape = shape_of(operands[count], known);
        if (!known || !take_term(inputs.substr(0, comma), shape, labels)) return false;
        if (count < 2) terms[count] = labels;
        repeated |= once & labels;
        once |= labels;
        more = comma != std::string_view::npos;
        if (more) inputs.remove_prefix(comma + 1);
    }
    result = once & ~repeated;
    if (arrow != std::string_view::npos) {
        result = 0;
        for (const char c : text.substr(arrow + 2)) {
            if (letter(c) >= 0) result |= Labels{1} << letter(c);
        }
    }
    return count == operand_count;
}

// Returns whether the values are available, so that NumPy's loop neither waits nor causes a flush.
bool is_ready(PyObject* operand) {
    return !is_array(operand) || as_array(operand)->view.base->readable();
}

// Returns whether einsum(subscripts, *arrays) is small enough for NumPy's loop.
bool is_small_sum(PyObject* const* args, Py_ssize_t count) {
    if (count < 2 || !PyUnicode_Check(args[0])) return false;
    if (eager_limit() == 0 && !std::all_of(args + 1, args + count, is_ready)) {
        return false;
    }
    bool known = true;
    std::int64_t addends = 0;
    for (Py_ssize_t k = 1; k < count; ++k) {
        std::int64_t size = 1;
        for (const std::int64_t extent : shape_of(args[k], known)) size *= extent;
        addends += size;
    }
    if (!known) return false;
    if (addends < threshold(Threshold::einsum_addends)) return true;
    Sum sum;
    if (!sum.read(text_of(args[0]), args + 1, static_cast<std::size_t>(count) - 1)) return false;
    return sum.products() < threshold(sum.of_matrices() ? Threshold::einsum_matrix_products
                                                        : Threshold::einsum_products);
}

// ---- correlate ----

// Returns NumPy's number of a mode, or -1 if NumPy must parse it.
int slide_mode(PyObject* mode) {
    if (!PyUnicode_CheckExact(mode)) return -1;
    const std::string_view word = text_of(mode);
    return word == "valid" ? 0 : word == "same" ? 1 : word == "full" ? 2 : -1;
}

// Returns the view of a vector that is short enough for NumPy's loop, else null.
const View* short_vector(PyObject* object) {
    if (Py_TYPE(object) != array_type) return nullptr;
    const View& view = as_array(object)->view;
    const bool fits =
        view.ndim() == 1 && view.size() > 0 && view.size() < threshold(Threshold::slid_elements);
    return fits ? &view : nullptr;
}

// Two short vectors and the mode, which is -1 for other arguments.
struct Slide {
    const View *a = nullptr, *v = nullptr;
    int mode = -1;

    Slide(PyObject* const* args, Py_ssize_t count, PyObject* keywords, int otherwise) {
        if (keywords || count < 2 || count > 3) return;
        a = short_vector(args[0]);
        v = short_vector(args[1]);
        if (a && v) mode = count == 3 ? slide_mode(args[2]) : otherwise;
    }
};

// Returns a writeable array for NumPy's correlation, which copies read-only ones and writes
// nothing.
Ref slid_operand(const View& vector) { return borrow_numpy(vector, nullptr, true); }

View backwards(const View& vector) {
    View result = vector;
    result.offset += (vector.shape[0] - 1) * vector.strides[0];
    result.strides[0] = -vector.strides[0];
    return result;
}

// ---- put and putmask ----

bool is_few(std::int64_t elements) { return elements <= eager_limit(Threshold::moved); }

// Returns whether these are few numbers whose values are available.
bool are_few(PyObject* numbers) {
    if (PyList_CheckExact(numbers) || PyTuple_CheckExact(numbers)) {
        return is_few(PySequence_Fast_GET_SIZE(numbers));
    }
    if (is_array(numbers)) {
        const View& view = as_array(numbers)->view;
        return view.base->readable() && is_few(view.size());
    }
    if (PyArray_CheckExact(numbers)) {
        return is_few(PyArray_SIZE(reinterpret_cast<PyArrayObject*>(numbers)));
    }
    return PyLong_CheckExact(numbers) || PyFloat_CheckExact(numbers);
}

// Returns whether NumPy writes in place: it copies other arrays there and back.
bool is_written_in_place(PyObject* object) {
    if (Py_TYPE(object) != array_type) return PyArray_CheckExact(object);
    const View& view = as_array(object)->view;
    return view.base->data && view.base->idle() && view.c_contiguous();
}

// Calls the function of NumPy that `name()` names, which writes to the first argument as the next
// two say, if these are few numbers; returns NotImplemented otherwise.
template <class Name>
PyObject* write_few(Name name, PyObject* const* args, Py_ssize_t count) {
    const bool here = is_written_in_place(args[0]) && are_few(args[1]) && are_few(args[2]);
    if (!here) Py_RETURN_NOTIMPLEMENTED;
    PyObject* numpys = made_once([name] { return Py_NewRef(numpy_attribute(name())); });
    return by_numpy(numpys, nullptr, args, count, nullptr);
}

}  // namespace

HS_FAST_METHOD(einsum) {
    if (keywords || !is_small_sum(args, count)) Py_RETURN_NOTIMPLEMENTED;
    PyObject* numpys = made_once([] { return Py_NewRef(numpy_attribute("einsum")); });
    return by_numpy(numpys, nullptr, args, count, nullptr);
}

HS_FAST_METHOD(correlate) {
    const Slide slide(args, count, keywords, 0);
    if (slide.mode < 0) Py_RETURN_NOTIMPLEMENTED;
    const Ref a = slid_operand(*slide.a), v = slid_operand(*slide.v);
    return adopt_numpy(own(PyArray_Correlate2(a.get(), v.get(), slide.mode))).release();
}

HS_FAST_METHOD(convolve) {
    const Slide slide(args, count, keywords, 2);
    if (slide.mode < 0) Py_RETURN_NOTIMPLEMENTED;
    const bool swapped = slide.v->size() > slide.a->size();
    const View &whole = swapped ? *slide.v : *slide.a, &slid = swapped ? *slide.a : *slide.v;
    const Ref a = slid_operand(whole), v = slid_operand(backwards(slid));
    return adopt_numpy(own(PyArray_Correlate(a.get(), v.get(), slide.mode))).release();
}

HS_FAST_METHOD(is_small_einsum) { return PyBool_FromLong(is_small_sum(args, count)); }

HS_FAST_METHOD(put) {
    if (keywords || count < 3 || count > 4) Py_RETURN_NOTIMPLEMENTED;
    if (is_array(args[0]) && !as_array(args[0])->is_scalar) {
        check_writeable(as_array(args[0]), "put: output array is read-only");
    }
    return write_few([] { return "ndarray.put"; }, args, count);
}

HS_FAST_METHOD(putmask) {
    if (keywords || count != 3) Py_RETURN_NOTIMPLEMENTED;
    return write_few([] { return "putmask"; }, args, count);
}

}  // namespace hassium
