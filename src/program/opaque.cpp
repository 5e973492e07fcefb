#include "program/opaque.hpp"

#include <atomic>

namespace hassium {
namespace {

std::atomic<OpaqueFn> opaque_fn{nullptr};

}  // namespace

void register_opaque(OpaqueFn fn) { opaque_fn.store(fn, std::memory_order_release); }
OpaqueFn registered_opaque() { return opaque_fn.load(std::memory_order_acquire); }

}  // namespace hassium
