#include "record/allocation.hpp"

namespace hassium {

void require_memory(DType dtype, std::span<const std::int64_t> shape) {
    std::int64_t bytes = itemsize(dtype);
    for (std::int64_t extent : shape) {
        if (extent == 0) return;
        // What is too much for the type is refused where the view is made.
        if (__builtin_mul_overflow(bytes, extent, &bytes)) return;
    }
    if (!exceeds_memory(bytes)) return;
    Dims wanted;
    wanted.assign(shape.data(), shape.size());
    throw AllocationError(std::move(wanted), dtype);
}

}  // namespace hassium
