// Which loops a dtype rule has, at compile time: what kernel units are instantiated from, and what
// loop_of answers. No standard-library type, so that units for wide instruction sets may use it.
#pragma once

#include "base/types.hpp"
#include "ops/op_info.hpp"

namespace hassium {

struct LoopTypes {
    bool exists;
    DType in[3];
    DType out[2];
};

// Inputs and outputs that are not there repeat the compute dtype.
constexpr LoopTypes loop_types(DTypeRule rule, DType compute) {
    const bool inexact = is_inexact(compute);
    const LoopTypes same{true, {compute, compute, compute}, {compute, compute}};
    const LoopTypes none{false, {compute, compute, compute}, {compute, compute}};
    switch (rule) {
        case DTypeRule::None:
            return none;
        case DTypeRule::Any:
        case DTypeRule::Arithmetic:
        case DTypeRule::Range:
            return same;
        case DTypeRule::NoBool:
            return compute == DType::Bool ? none : same;
        case DTypeRule::Divide:
        case DTypeRule::FloatComplex:
            return inexact ? same : none;
        case DTypeRule::Compare:
            return {true, {compute, compute, compute}, {DType::Bool, DType::Bool}};
    }
    return none;
}

}  // namespace hassium
