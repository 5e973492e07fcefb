#include "program/lookup.hpp"

namespace hassium {

bool is_lookup(const Program& program, const Instruction& i) {
    if (!info(i.op).is_gather() || i.method != Method::Call) return false;
    const std::span<const Operand> views = program.operands_of(i);
    const Operand& vector = views[kLookedUp];
    return vector.ndim == 1 && program.shape(vector)[0] > 1 &&
           program.strides(vector)[0] == itemsize(vector.dtype) && vector.dtype == i.compute &&
           views[0].dtype == i.compute;
}

bool takes_vector_in_order(const Program& program, const Instruction& i) {
    const bool segments = i.method == Method::Reduceat;
    if ((!segments && !is_scatter(i.op, i.method)) || i.masked) return false;
    const Operand& result = program.outputs(i)[0];
    const Operand& values = program.inputs(i)[0];
    if (values.is_constant() || values.ndim != 1 || program.shape(values)[0] < 2) return false;
    return segments ? program.strides(values)[0] == itemsize(values.dtype) : result.ndim == 1;
}

std::uint32_t operands_off_loop(const Program& program, const Instruction& i) {
    const bool shares = is_lookup(program, i) || takes_vector_in_order(program, i);
    return shares ? operands_off_loop(i.op, i.method) : 0;
}

}  // namespace hassium
