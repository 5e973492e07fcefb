// What is decided before any element is looked at: results that are the same everywhere, as for
// zero, and rows that do the same for less.
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "base/half.hpp"
#include "bind/ufunc/ufunc_parts.hpp"

namespace hassium {
namespace {

bool int_fits(PyObject* value, DType dtype) {
    int overflow = 0;
    const long long small = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0) return fits(static_cast<std::int64_t>(small), dtype);
    if (overflow < 0) return is_inexact(dtype);
    const unsigned long long large = PyLong_AsUnsignedLongLong(value);
    if (large == static_cast<unsigned long long>(-1) && PyErr_Occurred()) {
        PyErr_Clear();
        return is_inexact(dtype);
    }
    return fits(static_cast<std::uint64_t>(large), dtype);
}

// A comparison with a Python int that the dtype cannot hold comes out as for zero.
int short_circuit_comparison(Op op, const Operands& operands, const Loop& loop) {
    if (loop.out[0] != DType::Bool || operands.count != 2) return -1;
    for (int k = 0; k < 2; ++k) {
        const OperandArg& arg = operands.args[k];
        if (arg.weak != Weak::Int || !is_integer(loop.in[k])) continue;
        if (int_fits(arg.scalar, loop.in[k])) continue;
        Ref zero = own(PyLong_FromLong(0));
        PyObject* pair[2] = {zero.get(), zero.get()};
        pair[k] = arg.scalar;
        Ref answer = own(PyObject_Vectorcall(numpy_ufunc(op), pair, 2, nullptr));
        const int truth = PyObject_IsTrue(answer.get());
        check(truth);
        return truth;
    }
    return -1;
}

// NumPy is asked once.
int test_of_zero(Op op) {
    static std::array<std::optional<int>, kOpCount> known;
    std::optional<int>& truth = known[static_cast<std::size_t>(op)];
    if (!truth) {
        Ref answer = own(PyObject_CallFunction(numpy_ufunc(op), "i", 0));
        const int found = PyObject_IsTrue(answer.get());
        check(found);
        truth = found;
    }
    return *truth;
}

// The number, if it is a whole one above zero; else zero.
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

void take_power(Request& request) {
    const DType compute = request.compute;
    if (kind(compute) == DTypeKind::Complex) return;
    const Constant& by = request.in[1].value;
    const double exponent = is_integer(compute) ? static_cast<double>(positive_whole(by, compute))
                                                : real_number(by, compute);
    // Whole powers of integers are fast.
    if (!is_integer(compute) || exponent == 0.0) request.op = row_of_power(exponent, compute);
    if (info(request.op).is_power()) return;
    if (exponent == 0.0) request.in[0] = {nullptr, compute, one_of(compute)};
    request.nin = 1;
    request.step_of = StepOf::Power;
}

}  // namespace

void take_cheaper_row(Request& request) {
    if (request.in[1].view) return;
    if (info(request.op).is_power()) return take_power(request);
    if (!info(request.op).has(kWholeDivision) || !is_integer(request.compute)) return;
    Input& divisor = request.in[1];
    const std::uint64_t by = positive_whole(divisor.value, request.compute);
    if (!std::has_single_bit(by)) return;
    const auto [row, operand] = row_of_division(request.op, std::countr_zero(by));
    request.op = row;
    divisor.value = {};
    std::memcpy(divisor.value.bytes, &operand, static_cast<std::size_t>(itemsize(request.compute)));
}

int short_circuit_result(Op op, const Operands& operands, const Loop& loop) {
    if (info(op).has(kNumberTest) && !is_inexact(loop.in[0])) return test_of_zero(op);
    return short_circuit_comparison(op, operands, loop);
}

}  // namespace hassium
