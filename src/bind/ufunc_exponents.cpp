// Integer powers refuse negative exponents, at the call: the exponents are read.
#include "bind/array_call.hpp"
#include "bind/ufunc_parts.hpp"

namespace hassium {
namespace {

[[noreturn]] void fail_negative_power(Op op) {
    throw UserError(ErrorKind::Value,
                    led_by(op) + "Integers to negative integer powers are not allowed.");
}

}  // namespace

void check_exponent(Op op, PyObject* exponent) {
    Ref zero = own(PyLong_FromLong(0));
    const int negative = PyObject_RichCompareBool(exponent, zero.get(), Py_LT);
    check(negative);
    if (negative) fail_negative_power(op);
}

void check_exponents(Op op, const View& exponents) {
    const Base& base = *exponents.base;
    if (exponents.size() == 0 || (base.range_known && base.range_least >= 0)) return;
    if (kind(exponents.dtype) != DTypeKind::Signed) return;
    Ref array = own(new_array(View(exponents)));
    Ref least = own(ufunc_reduce(Op::Minimum, array.get(), {}));
    Ref value = own(PyNumber_Index(least.get()));
    check_exponent(op, value.get());
}

void check_exponents(Op op, const OperandArg& exponent, const Dims& shape, const View& mask) {
    ReduceArgs args;
    const Ref chosen = own(new_array(View(mask))), zero = own(PyLong_FromLong(0));
    if (!exponent.view) {
        const Ref any = own(ufunc_reduce(Op::LogicalOr, chosen.get(), args));
        if (flag(any.get(), false)) check_exponent(op, exponent.scalar);
        return;
    }
    if (kind(exponent.dtype) != DTypeKind::Signed) return;
    View all = *exponent.view;
    all.shape = shape;
    all.strides.resize(shape.size());
    broadcast_strides(*exponent.view, shape, all.strides.data());
    args.where = chosen.get();
    args.initial = zero.get();
    const Ref array = own(new_array(std::move(all)));
    check_exponent(op, own(ufunc_reduce(Op::Minimum, array.get(), args)).get());
}

}  // namespace hassium
