// Integer powers raise an error for negative exponents at the call, so the exponents are read.
#include "bind/array/array_call.hpp"
#include "bind/array/array_parts.hpp"
#include "bind/ufunc/ufunc_parts.hpp"

namespace hassium {
namespace {

[[noreturn]] void fail_negative_power() {
    fail(ErrorKind::Value, "Integers to negative integer powers are not allowed.");
}

bool never_negative(DType dtype) {
    return kind(dtype) == DTypeKind::Unsigned || kind(dtype) == DTypeKind::Bool;
}

// Returns the exponents as the power reads them: with casting='unsafe' they may be floats.
View as_integers(const View& exponents, DType compute) {
    if (kind(exponents.dtype) == DTypeKind::Signed) return exponents;
    return contiguous_copy(exponents, compute);
}

}  // namespace

void check_exponent(PyObject* exponent) {
    Ref zero = own(PyLong_FromLong(0));
    const int negative = PyObject_RichCompareBool(exponent, zero.get(), Py_LT);
    check(negative);
    if (negative) fail_negative_power();
}

void check_exponents(DType compute, const View& exponents) {
    const Base& base = *exponents.base;
    if (exponents.size() == 0 || (base.range_known && base.range_least >= 0)) return;
    if (never_negative(exponents.dtype)) return;
    Ref array = own(new_array(as_integers(exponents, compute)));
    Ref least = own(ufunc_reduce(Op::Minimum, array.get(), {}));
    Ref value = own(PyNumber_Index(least.get()));
    check_exponent(value.get());
}

void check_exponents(DType compute, const OperandArg& exponent, const Dims& shape,
                     const View& mask) {
    ReduceArgs args;
    const Ref chosen = own(new_array(View(mask))), zero = own(PyLong_FromLong(0));
    if (!exponent.view) {
        const Ref any = own(ufunc_reduce(Op::LogicalOr, chosen.get(), args));
        if (flag(any.get(), false)) check_exponent(exponent.scalar);
        return;
    }
    if (never_negative(exponent.dtype)) return;
    const View integers = as_integers(*exponent.view, compute);
    View all = integers;
    all.shape = shape;
    all.strides.resize(shape.size());
    broadcast_strides(integers, shape, all.strides.data());
    args.where = chosen.get();
    args.initial = zero.get();
    const Ref array = own(new_array(std::move(all)));
    check_exponent(own(ufunc_reduce(Op::Minimum, array.get(), args)).get());
}

}  // namespace hassium
