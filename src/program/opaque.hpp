// Work that the engine orders but does not know: an Opaque row is run by a function of the
// bindings.
#pragma once

#include <cstdint>
#include <span>

#include "base/types.hpp"
#include "ops/op_info.hpp"

namespace hassium {

// One operand of an opaque call or a single-instruction routine.
struct BoundView {
    char* data;
    DType dtype;
    std::span<const std::int64_t> shape;
    std::span<const std::int64_t> strides;
};

// Is some byte between the first and the last one of each?
bool may_share(const BoundView& a, const BoundView& b);

// Runs an Opaque row; registered by bind, called without engine locks, by a flush without the GIL.
// May throw UserError.
using OpaqueFn = void (*)(Op op, std::span<const BoundView> operands, std::uint64_t axes);
void register_opaque(OpaqueFn fn);
OpaqueFn registered_opaque();  // null when there is none

}  // namespace hassium
