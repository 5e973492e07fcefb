#include "program/component.hpp"

#include "ops/loop_types.hpp"
#include "program/axes.hpp"

namespace hassium {

int component_of(const Program& p, const Operand& whole, const Operand& part) {
    if (kind(whole.dtype) != DTypeKind::Complex || real_part(whole.dtype) != part.dtype) return -1;
    std::int64_t distance = part.offset - whole.offset;
    if (distance != 0 && distance != itemsize(part.dtype)) return -1;
    // With the same offset and item size, equal views show the same elements.
    Extent one{0, 1, p.shape(whole), p.strides(whole)}, other{0, 1, p.shape(part), p.strides(part)};
    if (!same_elements(one, other)) return -1;
    return distance == 0 ? 0 : 1;
}

}  // namespace hassium
