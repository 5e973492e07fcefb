#include "engine/reports.hpp"

#include "ops/dtype_rules.hpp"

namespace hassium {
namespace {

// What converting the operands of an instruction to and from its loop's dtypes can raise.
std::uint8_t conversions_raise(const Program& program, const Instruction& instruction) {
    std::optional<Loop> loop = loop_of(instruction.op, instruction.compute);
    if (!loop) return 0;
    std::uint8_t flags = 0;
    std::span<const Operand> outs = program.outputs(instruction), ins = program.inputs(instruction);
    for (std::size_t k = 0; k < outs.size(); ++k) {
        flags |= cast_raises(loop->out[k], outs[k].dtype);
    }
    for (std::size_t k = 0; k < ins.size(); ++k) flags |= cast_raises(ins[k].dtype, loop->in[k]);
    return flags;
}

}  // namespace

void collect_reports(const Program& program, std::span<const std::uint32_t> instructions,
                     std::span<const std::uint32_t> recorded_as, std::span<const Origin> origins,
                     std::uint8_t raised, std::vector<FpReport>& reports, ToldOnce* told) {
    for (int condition = 0; condition < 4; ++condition) {
        if (!(raised >> condition & 1)) continue;
        FpReport report{condition, {}, ErrMode::Ignore};
        bool expected = false;
        for (std::uint32_t i : instructions) {
            const Instruction& instruction = program.instructions[i];
            if (info(instruction.op).cls == OpClass::System) continue;
            bool row = raises(instruction.op, instruction.compute) >> condition & 1;
            bool cast = conversions_raise(program, instruction) >> condition & 1;
            if (!row && !cast) continue;
            const Origin& origin = origins[recorded_as[i]];
            ErrMode mode = origin.errstate.mode(condition);
            expected |= mode == ErrMode::Ignore;
            if (mode == ErrMode::Ignore) continue;
            if (told && !told->first(recorded_as[i], condition)) continue;
            if (row) {
                report.candidates.push_back(FpReport::Candidate::asked_for(
                    instruction.op, instruction.method, origin.step_of));
            }
            if (cast) report.candidates.push_back({Op::Copy, Method::Call});
            report.mode = mode;
        }
        if (!expected && !report.candidates.empty()) reports.push_back(std::move(report));
    }
}

}  // namespace hassium
