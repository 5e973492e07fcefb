#include "program/routine.hpp"

#include <string>

#include "base/error.hpp"
#include "program/overlap.hpp"

namespace hassium {
namespace {

struct Reach {
    std::int64_t first, end;
};
Reach reach_of(const BoundView& v) {
    const auto address = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(v.data));
    Reach reach;
    byte_bounds({address, itemsize(v.dtype), v.shape, v.strides}, reach.first, reach.end);
    return reach;
}

// Zero-initialized before any static object registers.
constinit RoutineFn routines[kOpCount] = {}, library_routines[kOpCount] = {};

}  // namespace

bool may_share(const BoundView& a, const BoundView& b) {
    const Reach one = reach_of(a), other = reach_of(b);
    return one.first < other.end && other.first < one.end;
}

void register_routine(Op op, RoutineFn fn) { routines[static_cast<int>(op)] = fn; }
void register_library_routine(Op op, RoutineFn fn) { library_routines[static_cast<int>(op)] = fn; }

void run_routine(const Instruction& i, std::span<const BoundView> operands, RunState& state) {
    const RoutineFn fn = routines[static_cast<int>(i.op)];
    fn ? fn(i, operands, state) : run_library_routine(i, operands, state);
}

void run_library_routine(const Instruction& i, std::span<const BoundView> operands,
                         RunState& state) {
    const RoutineFn fn = library_routines[static_cast<int>(i.op)];
    HS_CHECK(fn, "a routine is registered for " + std::string(info(i.op).name));
    fn(i, operands, state);
}

}  // namespace hassium
