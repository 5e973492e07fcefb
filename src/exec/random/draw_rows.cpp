// The sampling rows: (state of a bit generator, parameters) -> (numbers, new state). A state of
// 64-bit words is a PCG64, one of 32-bit words an MT19937.
#include <cstring>

#include "exec/random/sampling.hpp"
#include "program/routine.hpp"

namespace hassium {
namespace {

using Operands = std::span<const BoundView>;

// Calls draw(stream, dtype, drawn, range) with the stream of the state, and stores the new state.
template <class Stream, class Draw>
void draw_from(Operands operands, Draw draw) {
    const BoundView &out = operands[0], &after = operands[1], &before = operands[2];
    Stream stream;
    std::memcpy(&stream, before.data, sizeof stream);
    DrawParameters given;
    std::memcpy(&given, operands[3].data, sizeof given);
    draw(stream, out.dtype, Drawn{out.data, element_count(out.shape), given.map}, given.range);
    std::memcpy(after.data, &stream, sizeof stream);
}

template <class Draw>
void draw_from_any(Operands operands, Draw draw) {
    const bool is_pcg = operands[2].dtype == DType::U64;
    is_pcg ? draw_from<PcgStream>(operands, draw) : draw_from<TwisterStream>(operands, draw);
}

void uniform(const Instruction&, Operands operands, RunState&) {
    draw_from<TwisterStream>(operands, [](auto& stream, DType, const Drawn& drawn, IntegerRange) {
        draw_uniform(stream, drawn);
    });
}

void normal(const Instruction&, Operands operands, RunState&) {
    draw_from_any(operands, [](auto& stream, DType dtype, const Drawn& drawn, IntegerRange) {
        draw_normal(stream, dtype, drawn);
    });
}

void exponential(const Instruction&, Operands operands, RunState&) {
    draw_from_any(operands, [](auto& stream, DType dtype, const Drawn& drawn, IntegerRange) {
        draw_exponential(stream, dtype, drawn);
    });
}

void integers(const Instruction&, Operands operands, RunState&) {
    draw_from_any(operands, [](auto& stream, DType dtype, const Drawn& drawn, IntegerRange range) {
        draw_integers(stream, dtype, range, drawn);
    });
}

const RegisteredRoutine routines[] = {{Op::DrawUniform, uniform},
                                      {Op::DrawNormal, normal},
                                      {Op::DrawExponential, exponential},
                                      {Op::DrawIntegers, integers}};

}  // namespace
}  // namespace hassium
