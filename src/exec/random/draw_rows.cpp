// The rows that draw: (state of a bit generator, parameters) -> (numbers, state behind them). A
// state of 64-bit words is a PCG64, one of 32-bit words an MT19937.
#include <cstring>

#include "exec/random/sampling.hpp"
#include "program/routine.hpp"

namespace hassium {
namespace {

using Operands = std::span<const BoundView>;

// Calls draw(stream, drawn, range) with the stream that the state is of, and stores what is left.
template <class Stream, class Draw>
void draw_from(Operands operands, Draw draw) {
    const BoundView &out = operands[0], &after = operands[1], &before = operands[2];
    Stream stream;
    std::memcpy(&stream, before.data, sizeof stream);
    DrawParameters given;
    std::memcpy(&given, operands[3].data, sizeof given);
    const LinearMap& map = given.map;
    const Drawn drawn = {out.data, element_count(out.shape), map.is_scaled, map.is_moved, map.times,
                         map.plus};
    draw(stream, drawn, given.range);
    std::memcpy(after.data, &stream, sizeof stream);
}

bool is_pcg(Operands operands) { return operands[2].dtype == DType::U64; }

void uniform(const Instruction&, Operands operands, RunState&) {
    draw_from<TwisterStream>(operands, [](auto& stream, const Drawn& drawn, IntegerRange) {
        draw_uniform(stream, drawn);
    });
}

void normal(const Instruction&, Operands operands, RunState&) {
    if (!is_pcg(operands)) {
        return draw_from<TwisterStream>(operands, [](auto& stream, const Drawn& d, IntegerRange) {
            draw_normal_pairs(stream, d);
        });
    }
    draw_from<PcgStream>(operands, [&](auto& stream, const Drawn& drawn, IntegerRange) {
        draw_normal(stream, operands[0].dtype, drawn);
    });
}

void exponential(const Instruction&, Operands operands, RunState&) {
    if (!is_pcg(operands)) {
        return draw_from<TwisterStream>(operands, [](auto& stream, const Drawn& d, IntegerRange) {
            draw_exponential(stream, d);
        });
    }
    draw_from<PcgStream>(operands, [&](auto& stream, const Drawn& drawn, IntegerRange) {
        draw_exponential(stream, operands[0].dtype, drawn);
    });
}

void integers(const Instruction&, Operands operands, RunState&) {
    auto draw = [&](auto& stream, const Drawn& drawn, IntegerRange range) {
        draw_integers(stream, operands[0].dtype, range, drawn);
    };
    is_pcg(operands) ? draw_from<PcgStream>(operands, draw)
                     : draw_from<TwisterStream>(operands, draw);
}

const RegisteredRoutine routines[] = {{Op::DrawUniform, uniform},
                                      {Op::DrawNormal, normal},
                                      {Op::DrawExponential, exponential},
                                      {Op::DrawIntegers, integers}};

}  // namespace
}  // namespace hassium
