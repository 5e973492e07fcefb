// Many random numbers at once, drawn here instead of by NumPy. draws.py has looked at the
// arguments and knows that the bit generator is one of those whose memory is known.
#include <iterator>

#include "bind/array/array_methods.hpp"
#include "bind/random/bit_generator.hpp"
#include "engine/draws.hpp"

namespace hassium {
namespace {

struct Wanted {
    DType dtype;
    View view;
    Drawn drawn = {};
    IntegerRange range = {};
};

std::uint64_t word_of(PyObject* integer) {
    const std::uint64_t word = PyLong_AsUnsignedLongLongMask(integer);
    if (PyErr_Occurred()) throw PythonError();
    return word;
}

double double_of(PyObject* number) {
    const double value = PyFloat_AsDouble(number);
    if (PyErr_Occurred()) throw PythonError();
    return value;
}

// (size, dtype, first, second): of integers the least one and the span, which are ints; of others
// what they are multiplied by and what is added, or None.
Wanted wanted_of(PyObject* const* args) {
    Wanted wanted;
    if (!parse_dtype(args[1], wanted.dtype)) fail(ErrorKind::Type, "this dtype is not drawn");
    const Dims shape = parse_shape(args[0]);
    check_extents(shape, itemsize(wanted.dtype));
    wanted.view = filled_view(wanted.dtype, shape, wanted.drawn.out);
    wanted.drawn.n = wanted.view.size();
    if (kind(wanted.dtype) != DTypeKind::Float) {
        wanted.range = {word_of(args[2]), word_of(args[3])};
        return wanted;
    }
    wanted.drawn.is_scaled = args[2] != Py_None;
    wanted.drawn.is_moved = args[3] != Py_None;
    if (wanted.drawn.is_scaled) wanted.drawn.times = double_of(args[2]);
    if (wanted.drawn.is_moved) wanted.drawn.plus = double_of(args[3]);
    return wanted;
}

void check_count(Py_ssize_t count, Py_ssize_t wanted) {
    if (count != wanted) fail(ErrorKind::Type, "a draw takes other arguments");
}

// --- PCG64

using PcgLaw = void (*)(PcgStream&, const Wanted&);

template <PcgLaw kLaw>
HS_FAST_METHOD(draw_from_pcg) {
    (void)self;
    (void)keywords;
    return guarded([&] {
        check_count(count, 5);
        Wanted wanted = wanted_of(args + 1);
        if (wanted.drawn.n > 0) {
            const Ref handle = generator_handle(args[0]);
            const HeldGenerator held(handle.get());
            Pcg64State& state = held.pcg64();
            PcgStream stream = {state.stream->state, state.stream->increment, state.has_half != 0,
                                state.half};
            {
                const Unlocked unlocked;
                kLaw(stream, wanted);
            }
            state.stream->state = stream.state;
            state.has_half = stream.has_half;
            state.half = stream.half;
        }
        return new_array(std::move(wanted.view));
    });
}

void normal(PcgStream& stream, const Wanted& wanted) {
    draw_normal(stream, wanted.dtype, wanted.drawn);
}
void exponential(PcgStream& stream, const Wanted& wanted) {
    draw_exponential(stream, wanted.dtype, wanted.drawn);
}
void integers(PcgStream& stream, const Wanted& wanted) {
    draw_integers(stream, wanted.dtype, wanted.range, wanted.drawn);
}

// --- MT19937

using TwisterLaw = void (*)(TwisterStream&, const Wanted&);

void draw_from(PyObject* bit_generator, TwisterLaw law, const Wanted& wanted) {
    if (wanted.drawn.n == 0) return;
    const Ref handle = generator_handle(bit_generator);
    const HeldGenerator held(handle.get());
    Mt19937State& state = held.mt19937();
    TwisterStream stream;
    std::copy(std::begin(state.key), std::end(state.key), stream.key);
    stream.position = state.position;
    {
        const Unlocked unlocked;
        law(stream, wanted);
    }
    std::copy(std::begin(stream.key), std::end(stream.key), state.key);
    state.position = stream.position;
}

template <TwisterLaw kLaw>
HS_FAST_METHOD(draw_from_twister) {
    (void)self;
    (void)keywords;
    return guarded([&] {
        check_count(count, 5);
        Wanted wanted = wanted_of(args + 1);
        draw_from(args[0], kLaw, wanted);
        return new_array(std::move(wanted.view));
    });
}

void uniform(TwisterStream& stream, const Wanted& wanted) { draw_uniform(stream, wanted.drawn); }
void exponential(TwisterStream& stream, const Wanted& wanted) {
    draw_exponential(stream, wanted.drawn);
}
void normal_pairs(TwisterStream& stream, const Wanted& wanted) {
    draw_normal_pairs(stream, wanted.drawn);
}
void integers(TwisterStream& stream, const Wanted& wanted) {
    draw_integers(stream, wanted.dtype, wanted.range, wanted.drawn);
}

int position_of(PyObject* bit_generator) {
    const Ref handle = generator_handle(bit_generator);
    return HeldGenerator(handle.get()).mt19937().position;
}

// Normal numbers come in pairs, and a RandomState keeps the second one of the last where only NumPy
// sees it. So the first and the last are NumPy's own: (bit generator, size, dtype, times, plus,
// method), where `method` draws one.
HS_FAST_METHOD(draw_normal_from_twister) {
    (void)self;
    (void)keywords;
    return guarded([&] {
        check_count(count, 6);
        Wanted wanted = wanted_of(args + 1);
        const Drawn& drawn = wanted.drawn;
        double* const out = reinterpret_cast<double*>(drawn.out);
        auto put = [&](std::int64_t place) {
            Ref number = own(PyObject_CallNoArgs(args[5]));
            double value = double_of(number.get());
            if (drawn.is_scaled) value *= drawn.times;
            out[place] = drawn.is_moved ? value + drawn.plus : value;
        };
        std::int64_t first = 0, rest = drawn.n;
        const int before = position_of(args[0]);
        if (rest > 0) put(first++);
        // A pair was made for it, and one of them is left.
        if (rest > 1 && position_of(args[0]) != before) put(first++);
        rest -= first;
        Wanted pairs = wanted;
        pairs.drawn.out += first * static_cast<std::int64_t>(sizeof(double));
        pairs.drawn.n = rest / 2 * 2;
        draw_from(args[0], normal_pairs, pairs);
        if (rest % 2 != 0) put(drawn.n - 1);
        return new_array(std::move(wanted.view));
    });
}

}  // namespace

PyMethodDef draw_functions[] = {
    {"pcg64_normal", method_of(draw_from_pcg<normal>), kFast, nullptr},
    {"pcg64_exponential", method_of(draw_from_pcg<exponential>), kFast, nullptr},
    {"pcg64_integers", method_of(draw_from_pcg<integers>), kFast, nullptr},
    {"mt19937_uniform", method_of(draw_from_twister<uniform>), kFast, nullptr},
    {"mt19937_exponential", method_of(draw_from_twister<exponential>), kFast, nullptr},
    {"mt19937_integers", method_of(draw_from_twister<integers>), kFast, nullptr},
    {"mt19937_normal", method_of(draw_normal_from_twister), kFast, nullptr},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace hassium
