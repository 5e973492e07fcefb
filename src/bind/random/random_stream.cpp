// Recorded uniform draws from a PCG64: the state advances at the call, the numbers are computed
// where they are used.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "bind/array/array_methods.hpp"
#include "bind/random/bit_generator.hpp"
#include "bind/ufunc/ufunc.hpp"

namespace hassium {
namespace {

Constant constant_of(Word128 bits) {
    Constant result{};
    std::memcpy(result.bytes, &bits, sizeof bits);
    return result;
}

void record(const View& out, const Pcg64State::Stream& stream) {
    Engine::instance().submit(request_of(Op::Random, out.dtype, out,
                                         {{nullptr, DType::C128, constant_of(stream.state)},
                                          {nullptr, DType::C128, constant_of(stream.increment)}}));
}

View doubles(Pcg64State& state, std::span<const std::int64_t> shape) {
    View out = fresh_view(DType::F64, shape);
    const auto count = static_cast<std::uint64_t>(out.size());
    if (count == 0) return out;
    record(out, *state.stream);
    state.stream->state = pcg_jump(state.stream->state, state.stream->increment, count);
    return out;
}

// Records floats, two from each word, the lower half first. Returns nullopt if a half is left from
// an earlier draw, which would come first.
std::optional<View> floats(Pcg64State& state, std::span<const std::int64_t> shape) {
    View out = fresh_view(DType::F32, shape);
    const auto count = static_cast<std::uint64_t>(out.size());
    if (count == 0) return out;
    if (state.has_half) return {};
    record(out, *state.stream);
    const Word128 last = pcg_jump(state.stream->state, state.stream->increment, (count + 1) / 2);
    state.stream->state = last;
    state.has_half = count % 2 != 0;
    state.half = static_cast<std::uint32_t>(pcg_word(last) >> 32);
    return out;
}

// Parses an int or a tuple of ints; returns false for others or a negative one.
bool parse_plain_shape(PyObject* size, Dims& shape) {
    auto add = [&](PyObject* extent) {
        if (!PyLong_CheckExact(extent) && !PyArray_IsScalar(extent, Integer)) return false;
        const Py_ssize_t n = PyNumber_AsSsize_t(extent, PyExc_OverflowError);
        if (n == -1) PyErr_Clear();  // NumPy raises the error
        shape.push_back(n);
        return n >= 0;
    };
    if (!PyTuple_CheckExact(size)) return add(size);
    if (PyTuple_GET_SIZE(size) > NPY_MAXDIMS) return false;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(size); ++k) {
        if (!add(PyTuple_GET_ITEM(size, k))) return false;
    }
    return true;
}

PyObject* ask_numpy(PyObject* binding, PyObject* const* args, Py_ssize_t count,
                    PyObject* keywords) {
    return PyObject_Vectorcall(PyTuple_GET_ITEM(binding, 1), args, static_cast<std::size_t>(count),
                               keywords);
}

// Sorts arguments by name; returns false if there are unknown or repeated ones.
bool sort_plainly(std::initializer_list<const char*> names, PyObject* const* args, Py_ssize_t count,
                  PyObject* keywords, PyObject** found) {
    if (count > static_cast<Py_ssize_t>(names.size())) return false;
    for (std::size_t k = 0; k < names.size(); ++k) {
        found[k] = static_cast<Py_ssize_t>(k) < count ? args[k] : nullptr;
    }
    for (Py_ssize_t k = 0; keywords && k < PyTuple_GET_SIZE(keywords); ++k) {
        const char* name = text_of(PyTuple_GET_ITEM(keywords, k));
        const auto at = std::ranges::find_if(
            names, [name](const char* known) { return std::strcmp(known, name) == 0; });
        if (at == names.end() || found[at - names.begin()]) return false;
        found[at - names.begin()] = args[count + k];
    }
    return true;
}

// random(size, dtype). Here and in draw_uniform `binding` is (handle, general, method): `method`,
// NumPy's, draws one number, and `general` takes the calls that are not native.
PyObject* draw_random(PyObject* binding, PyObject* const* args, Py_ssize_t count,
                      PyObject* keywords) {
    auto general = [&] { return ask_numpy(binding, args, count, keywords); };
    PyObject* found[2];
    Dims shape;
    if (count == 0 && !keywords) return PyObject_CallNoArgs(PyTuple_GET_ITEM(binding, 2));
    if (!sort_plainly({"size", "dtype"}, args, count, keywords, found) || !given(found[0]) ||
        !parse_plain_shape(found[0], shape)) {
        return general();
    }
    DType dtype = DType::F64;
    if (found[1] && (found[1] == Py_None || !parse_dtype(found[1], dtype))) return general();
    if (dtype != DType::F64 && dtype != DType::F32) return general();
    check_extents(shape, itemsize(dtype));
    std::optional<View> drawn;
    {
        const HeldGenerator held(PyTuple_GET_ITEM(binding, 0));
        drawn = dtype == DType::F64 ? doubles(held.pcg64(), shape) : floats(held.pcg64(), shape);
    }
    return drawn ? new_array(std::move(*drawn)) : general();
}

View with_number(Op op, View array, double number) {
    View out = fresh_view(DType::F64, array.shape);
    Engine::instance().submit(
        request_of(op, DType::F64, out, {input_of(array), input_of(number, DType::F64)}));
    return out;
}

bool plain_number(PyObject* o, double& number) {
    if (!o) return true;
    if (!PyLong_CheckExact(o) && !is_plain_double(o)) return false;
    number = checked(PyFloat_AsDouble(o));
    return true;
}

// uniform(low, high, size): low + (high - low) * random, rounded as in NumPy.
PyObject* draw_uniform(PyObject* binding, PyObject* const* args, Py_ssize_t count,
                       PyObject* keywords) {
    auto general = [&] { return ask_numpy(binding, args, count, keywords); };
    PyObject* found[3];
    double low = 0, high = 1;
    Dims shape;
    if (!sort_plainly({"low", "high", "size"}, args, count, keywords, found) ||
        !plain_number(found[0], low) || !plain_number(found[1], high)) {
        return general();
    }
    if (!given(found[2])) {
        return PyObject_Vectorcall(PyTuple_GET_ITEM(binding, 2), args,
                                   static_cast<std::size_t>(count), keywords);
    }
    if (!parse_plain_shape(found[2], shape)) return general();
    const double spread = high - low;
    if (!(spread >= 0) || std::isinf(spread)) return general();
    check_extents(shape, itemsize(DType::F64));
    View drawn = [&] {
        const HeldGenerator held(PyTuple_GET_ITEM(binding, 0));
        return doubles(held.pcg64(), shape);
    }();
    if (drawn.size() > 0) {
        drawn = with_number(Op::Multiply, std::move(drawn), spread);
        drawn = with_number(Op::Add, std::move(drawn), low);
    }
    return new_array(std::move(drawn));
}

PyMethodDef random_definition = method<draw_random>("random");
PyMethodDef uniform_definition = method<draw_uniform>("uniform");

}  // namespace

PyObject* make_random_stream(PyObject*, PyObject* args) {
    const char* name;
    PyObject *bit_generator, *general, *method, *bind;
    if (!PyArg_ParseTuple(args, "sOOOO:random_stream", &name, &bit_generator, &general, &method,
                          &bind)) {
        throw PythonError();
    }
    const bool uniform = std::strcmp(name, "uniform") == 0;
    Ref handle = generator_handle(bit_generator);
    // `bind` makes a tuple of a class that is pickled as the generator, as a capsule cannot be
    // pickled.
    const Ref parts = own(PyTuple_Pack(3, handle.get(), general, method));
    const Ref binding = own(PyObject_CallOneArg(bind, parts.get()));
    if (!PyTuple_Check(binding.get())) fail(ErrorKind::Type, "a binding is a tuple");
    return PyCFunction_New(uniform ? &uniform_definition : &random_definition, binding.get());
}

}  // namespace hassium
