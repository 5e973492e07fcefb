// Draws many random numbers at the call, in place of NumPy. random/_sampling.py has checked the
// arguments and that the memory layout of the bit generator is known.
#include <cstring>
#include <iterator>

#include "base/random_streams.hpp"
#include "bind/array/array_methods.hpp"
#include "bind/random/bit_generator.hpp"

namespace hassium {
namespace {

struct Wanted {
    DType dtype;
    View view;
    DrawParameters parameters = {};
};

std::uint64_t word_of(PyObject* integer) { return checked(PyLong_AsUnsignedLongLongMask(integer)); }

double double_of(PyObject* number) { return checked(PyFloat_AsDouble(number)); }

// Parses (size, dtype, first, second): for integers the minimum and the span, both ints; for floats
// a factor and a term to add, each a number or None.
Wanted wanted_of(PyObject* const* args) {
    Wanted wanted;
    if (!parse_dtype(args[1], wanted.dtype)) fail(ErrorKind::Type, "this dtype is not drawn");
    const Dims shape = parse_shape(args[0]);
    check_extents(shape, itemsize(wanted.dtype));
    wanted.view = fresh_view(wanted.dtype, shape);
    if (kind(wanted.dtype) != DTypeKind::Float) {
        wanted.parameters.range = {word_of(args[2]), word_of(args[3])};
        return wanted;
    }
    LinearMap& map = wanted.parameters.map;
    map = {args[2] != Py_None, args[3] != Py_None, 1, 0};
    if (map.is_scaled) map.times = double_of(args[2]);
    if (map.is_moved) map.plus = double_of(args[3]);
    return wanted;
}

// Returns a vector of `dtype` with the bytes of a struct.
template <class Struct>
View words_of(const Struct& given, DType dtype) {
    static_assert(sizeof(Struct) % 4 == 0);
    char* data = nullptr;
    View view =
        filled_view(dtype, Dims{static_cast<std::int64_t>(sizeof(Struct)) / itemsize(dtype)}, data);
    std::memcpy(data, &given, sizeof given);
    return view;
}

// Draws from a stream into `out` and advances the stream. Runs at the call, as a program may read
// the generator's state next.
template <class Stream>
void draw(Op op, Stream& stream, const View& out, const DrawParameters& parameters) {
    if (out.size() == 0) return;
    const DType words = sizeof(Stream) % 8 == 0 ? DType::U64 : DType::U32;
    const View before = words_of(stream, words), given = words_of(parameters, DType::U64);
    const View after = fresh_view(words, before.shape);
    Request request = request_of(op, out.dtype, out, {input_of(before), input_of(given)});
    request.nout = 2;
    request.out[1] = &after;
    request.at_call = true;
    Engine::instance().submit(request);
    std::memcpy(&stream, data_to_read(after), sizeof stream);
}

void check_count(Py_ssize_t count, Py_ssize_t wanted) {
    if (count != wanted) fail(ErrorKind::Type, "a draw takes other arguments");
}

void draw_from_pcg(PyObject* bit_generator, Op op, const Wanted& wanted) {
    const Ref handle = generator_handle(bit_generator);
    const HeldGenerator held(handle.get());
    Pcg64State& state = held.pcg64();
    PcgStream stream = {state.stream->state, state.stream->increment, state.has_half != 0,
                        state.half};
    draw(op, stream, wanted.view, wanted.parameters);
    state.stream->state = stream.state;
    state.has_half = stream.has_half;
    state.half = stream.half;
}

void draw_from_twister(PyObject* bit_generator, Op op, const Wanted& wanted) {
    const Ref handle = generator_handle(bit_generator);
    const HeldGenerator held(handle.get());
    Mt19937State& state = held.mt19937();
    TwisterStream stream;
    std::copy(std::begin(state.key), std::end(state.key), stream.key);
    stream.position = state.position;
    draw(op, stream, wanted.view, wanted.parameters);
    std::copy(std::begin(stream.key), std::end(stream.key), state.key);
    state.position = stream.position;
}

// (bit generator, size, dtype, first, second)
template <Op kOp, auto kDrawFrom>
HS_FAST_METHOD(draw_row) {
    check_count(count, 5);
    Wanted wanted = wanted_of(args + 1);
    kDrawFrom(args[0], kOp, wanted);
    return new_array(std::move(wanted.view));
}

int position_of(PyObject* bit_generator) {
    const Ref handle = generator_handle(bit_generator);
    return HeldGenerator(handle.get()).mt19937().position;
}

// (bit generator, size, dtype, times, plus, method): normal numbers of a RandomState. They are
// generated in pairs, of which it keeps the second in state that only NumPy sees. So NumPy draws
// the first and the last: `method` draws one number.
HS_FAST_METHOD(draw_normal_from_twister) {
    check_count(count, 6);
    Wanted wanted = wanted_of(args + 1);
    const LinearMap& map = wanted.parameters.map;
    const std::int64_t n = wanted.view.size();
    auto* const out = reinterpret_cast<double*>(ready_data(wanted.view));
    auto put = [&](std::int64_t place) {
        Ref number = own(PyObject_CallNoArgs(args[5]));
        double value = double_of(number.get());
        if (map.is_scaled) value *= map.times;
        out[place] = map.is_moved ? value + map.plus : value;
    };
    std::int64_t first = 0, rest = n;
    const int before = position_of(args[0]);
    if (rest > 0) put(first++);
    // It generated a pair, and the second one is left.
    if (rest > 1 && position_of(args[0]) != before) put(first++);
    rest -= first;
    Wanted pairs = wanted;
    pairs.view.offset += first * static_cast<std::int64_t>(sizeof(double));
    pairs.view.shape = Dims{rest / 2 * 2};
    pairs.view.strides = Dims{static_cast<std::int64_t>(sizeof(double))};
    draw_from_twister(args[0], Op::DrawNormal, pairs);
    if (rest % 2 != 0) put(n - 1);
    return new_array(std::move(wanted.view));
}

}  // namespace

PyMethodDef draw_functions[] = {
    method<draw_row<Op::DrawNormal, draw_from_pcg>>("pcg64_normal"),
    method<draw_row<Op::DrawExponential, draw_from_pcg>>("pcg64_exponential"),
    method<draw_row<Op::DrawIntegers, draw_from_pcg>>("pcg64_integers"),
    method<draw_row<Op::DrawUniform, draw_from_twister>>("mt19937_uniform"),
    method<draw_row<Op::DrawExponential, draw_from_twister>>("mt19937_exponential"),
    method<draw_row<Op::DrawIntegers, draw_from_twister>>("mt19937_integers"),
    method<draw_normal_from_twister>("mt19937_normal"),
    {nullptr, nullptr, 0, nullptr}};

}  // namespace hassium
