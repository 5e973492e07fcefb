#include "program/component.hpp"

#include "ops/loop_types.hpp"

namespace hassium {

int component_of(const Program& p, const Operand& whole, const Operand& part) {
    if (kind(whole.dtype) != DTypeKind::Complex || real_part(whole.dtype) != part.dtype) return -1;
    std::int64_t distance = part.offset - whole.offset;
    if (distance != 0 && distance != itemsize(part.dtype)) return -1;
    auto shape = p.shape(whole), other = p.shape(part);
    auto strides = p.strides(whole), steps = p.strides(part);
    if (shape.size() != other.size()) return -1;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        if (shape[k] != other[k]) return -1;
        // The stride of an axis of extent 1 is never taken.
        if (shape[k] != 1 && strides[k] != steps[k]) return -1;
    }
    return distance == 0 ? 0 : 1;
}

}  // namespace hassium
