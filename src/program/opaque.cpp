#include "program/opaque.hpp"

#include <atomic>

#include "program/overlap.hpp"

namespace hassium {
namespace {

std::atomic<OpaqueFn> opaque_fn{nullptr};

struct Reach {
    std::int64_t first, end;
};
Reach reach_of(const BoundView& v) {
    const auto address = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(v.data));
    Reach reach;
    byte_bounds({address, itemsize(v.dtype), v.shape, v.strides}, reach.first, reach.end);
    return reach;
}

}  // namespace

bool may_share(const BoundView& a, const BoundView& b) {
    const Reach one = reach_of(a), other = reach_of(b);
    return one.first < other.end && other.first < one.end;
}

void register_opaque(OpaqueFn fn) { opaque_fn.store(fn, std::memory_order_release); }
OpaqueFn registered_opaque() { return opaque_fn.load(std::memory_order_acquire); }

}  // namespace hassium
