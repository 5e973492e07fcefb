// Comparisons of integers with a Python int that their dtype cannot hold: every element is on the
// same side of it.
#include "bind/ufunc/ufunc_parts.hpp"

namespace hassium {
namespace {

// Returns whether the dtype holds the int. Sets `above` if the int is greater than zero.
bool int_fits(PyObject* value, DType dtype, bool& above) {
    int overflow = 0;
    const long long small = PyLong_AsLongLongAndOverflow(value, &overflow);
    above = overflow > 0 || (overflow == 0 && small > 0);
    if (overflow == 0) return fits(static_cast<std::int64_t>(small), dtype);
    if (overflow < 0) return false;
    const unsigned long long large = PyLong_AsUnsignedLongLong(value);
    if (large == static_cast<unsigned long long>(-1) && PyErr_Occurred()) {
        PyErr_Clear();
        return false;
    }
    return fits(static_cast<std::uint64_t>(large), dtype);
}

}  // namespace

bool compare_beyond_dtype(const Operands& operands, const Loop& loop, Request& request) {
    if (loop.out[0] != DType::Bool || operands.count != 2) return false;
    for (int k = 0; k < 2; ++k) {
        const OperandArg& arg = operands.args[k];
        if (arg.weak != Weak::Int || !is_integer(loop.in[k])) continue;
        if (operands.args[1 - k].dtype == DType::Bool) continue;  // the int must fit C's long
        bool above = false;
        if (int_fits(arg.scalar, loop.in[k], above)) continue;
        // Compares 0 with 1 or -1 instead.
        request.compute = DType::I8;
        request.nin = 2;
        request.in[0] = request.in[1] = {nullptr, DType::I8, {}};
        request.in[k].value.bytes[0] = above ? 1 : 0xff;
        return true;
    }
    return false;
}

}  // namespace hassium
