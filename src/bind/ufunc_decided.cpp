// Results that are known before any element is looked at: the same everywhere, as for zero.
#include <array>
#include <optional>

#include "bind/ufunc_parts.hpp"

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
int decided_comparison(Op op, const Operands& operands, const Loop& loop) {
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

}  // namespace

int decided_result(Op op, const Operands& operands, const Loop& loop) {
    if (info(op).has(kNumberTest) && !is_inexact(loop.in[0])) return test_of_zero(op);
    return decided_comparison(op, operands, loop);
}

}  // namespace hassium
