#include "record/allocation.hpp"

#include "base/machine_memory.hpp"

namespace hassium {

void require_memory(DType dtype, std::span<const std::int64_t> shape) {
    constexpr std::int64_t kAlwaysThere = std::int64_t{1} << 28;  // asking the system takes a while
    std::int64_t bytes = itemsize(dtype);
    for (std::int64_t extent : shape) {
        if (extent == 0) return;
        // What is too much for the type is refused where the view is made.
        if (__builtin_mul_overflow(bytes, extent, &bytes)) return;
    }
    if (bytes <= kAlwaysThere || bytes <= most_allocatable()) return;
    Dims wanted;
    wanted.assign(shape.data(), shape.size());
    throw AllocationError(std::move(wanted), dtype);
}

}  // namespace hassium
