#include "record/canonicalize.hpp"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "base/half.hpp"

namespace hassium {
namespace {

// Returns the bits of an integer if it is positive, else zero.
std::uint64_t positive_whole(const Constant& value, DType dtype) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, value.bytes, static_cast<std::size_t>(itemsize(dtype)));
    const bool negative =
        kind(dtype) == DTypeKind::Signed && (bits >> (8 * itemsize(dtype) - 1) & 1) != 0;
    return negative ? 0 : bits;
}

template <class T>
T as(const Constant& value) {
    T number;
    std::memcpy(&number, value.bytes, sizeof number);
    return number;
}

double real_number(const Constant& value, DType dtype) {
    if (dtype == DType::F16) return to_float(as<Half>(value));
    return dtype == DType::F32 ? as<float>(value) : as<double>(value);
}

// Turns the request into a copy of the constant `truth`, as a number of the dtype.
void take_truth(Request& request, DType dtype, bool truth) {
    request.op = Op::Copy;
    request.compute = dtype;
    request.nin = 1;
    request.in[0] = {nullptr, DType::Bool, {}};
    request.in[0].value.bytes[0] = truth;
}

void take_power(Request& request) {
    const DType compute = request.compute;
    if (kind(compute) == DTypeKind::Complex) return;
    const Constant& by = request.in[1].value;
    const double exponent = is_integer(compute) ? static_cast<double>(positive_whole(by, compute))
                                                : real_number(by, compute);
    // Integer powers of integers are fast.
    if (is_integer(compute) && exponent != 0.0) return;
    const Op row = row_of_power(exponent, compute);
    if (info(row).is_power()) return;
    request.step_of = StepOf::Power;
    if (exponent == 0.0) return take_truth(request, compute, true);
    request.op = row;
    request.nin = 1;
}

void take_division(Request& request) {
    if (!is_integer(request.compute)) return;
    Input& divisor = request.in[1];
    const std::uint64_t by = positive_whole(divisor.value, request.compute);
    if (!std::has_single_bit(by)) return;
    const auto [row, operand] = row_of_division(request.op, std::countr_zero(by));
    request.op = row;
    divisor.value = {};
    std::memcpy(divisor.value.bytes, &operand, static_cast<std::size_t>(itemsize(request.compute)));
}

// For powers of two the inverse is exact, so quotient and product round the same number.
template <class T>
bool invert(Constant& value) {
    int exponent = 0;
    const T number = as<T>(value), inverse = 1 / number;
    if (std::abs(std::frexp(number, &exponent)) != T(0.5)) return false;
    if (!std::isnormal(number) || !std::isnormal(inverse)) return false;
    std::memcpy(value.bytes, &inverse, sizeof inverse);
    return true;
}

void take_quotient(Request& request) {
    const bool wide = request.compute == DType::F64;
    if ((!wide && request.compute != DType::F32) || request.in[1].dtype != request.compute) return;
    Constant& divisor = request.in[1].value;
    if (!(wide ? invert<double>(divisor) : invert<float>(divisor))) return;
    request.op = Op::Multiply;
    request.step_of = StepOf::Quotient;
}

// All integers and bools are finite.
void take_answer(Request& request) {
    if (is_inexact(request.compute)) return;
    take_truth(request, DType::Bool, info(request.op).has(kOfFinite));
}

}  // namespace

void canonicalize(Request& request) {
    const OpInfo& row = info(request.op);
    if (row.has(kNumberTest)) return take_answer(request);
    if (row.has(kQuotient)) return take_quotient(request);
    row.is_power() ? take_power(request) : take_division(request);
}

}  // namespace hassium
