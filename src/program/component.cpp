#include "program/component.hpp"

#include "ops/loop_types.hpp"
#include "program/axes.hpp"

namespace hassium {

int component_of(const Program& p, const Operand& whole, const Operand& part) {
    if (kind(whole.dtype) != DTypeKind::Complex || real_part(whole.dtype) != part.dtype) return -1;
    std::int64_t distance = part.offset - whole.offset;
    if (distance != 0 && distance != itemsize(part.dtype)) return -1;
    // As views of one offset and item they are the same.
    Extent one{0, 1, p.shape(whole), p.strides(whole)}, other{0, 1, p.shape(part), p.strides(part)};
    if (!same_elements(one, other)) return -1;
    return distance == 0 ? 0 : 1;
}

}  // namespace hassium
