#include "program/text/text_types.hpp"

#include "base/error.hpp"

namespace hassium {

OperandType literal_type(DTypeKind kind) {
    switch (kind) {
        case DTypeKind::Bool:
            return {DType::Bool, Weak::Strong};
        case DTypeKind::Float:
            return {DType::F64, Weak::Float};
        case DTypeKind::Complex:
            return {DType::C128, Weak::Complex};
        default:
            return {DType::I64, Weak::Int};
    }
}

int input_count(Op op, Method method) {
    if (method == Method::Call) return info(op).nin;
    return method == Method::At || method == Method::Reduceat ? 2 : 1;
}

DType input_dtype(Op op, Method method, DType compute, int k) {
    if (method != Method::Call && k == 1) return DType::I64;
    if (method != Method::Call) return compute;
    std::optional<Loop> loop = loop_of(op, compute);
    return loop ? loop->in[k] : compute;
}

std::optional<DType> implied_compute(Op& op, Method method, std::span<const OperandType> ins,
                                     bool all_constant, DType out) {
    try {
        if (method == Method::At) return out;
        if (method != Method::Call) return reduction_dtype(op, ins[0].dtype);
        std::optional<Loop> loop = loop_of(op, out);
        if (all_constant && loop && loop->out[0] == out) return out;
        return resolve(op, ins).compute;
    } catch (const UserError&) {
        // No such loop: a valid answer, not a failure.
        return std::nullopt;
    }
}

}  // namespace hassium
