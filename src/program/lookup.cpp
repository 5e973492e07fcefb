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

}  // namespace hassium
