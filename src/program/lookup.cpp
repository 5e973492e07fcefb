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

bool is_vector_scatter(const Program& program, const Instruction& i) {
    if (!is_scatter(i.op, i.method) || i.masked) return false;
    const Operand& whole = program.outputs(i)[0];
    const Operand& values = program.inputs(i)[0];
    return whole.ndim == 1 && !values.is_constant() && values.ndim == 1 &&
           program.shape(values)[0] > 1;
}

std::size_t vector_of(const Program& program, const Instruction& i) {
    if (is_lookup(program, i)) return kLookedUp;
    return is_vector_scatter(program, i) ? 0 : kNoVector;
}

}  // namespace hassium
