// arange: a range whose elements are computed in NumPy's dtype.
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "bind/array/array_methods.hpp"
#include "bind/ufunc/ufunc.hpp"
#include "record/allocation.hpp"

namespace hassium {
namespace {

bool is_plain_number(PyObject* o, bool& integer) {
    if (!o) return true;
    if (PyLong_CheckExact(o)) return true;
    integer = false;
    return PyFloat_Check(o);
}

// Computes the length, start and step of a range of Python numbers; returns false if NumPy must
// compute the range.
bool plain_range(PyObject* const* found, DType dtype, std::int64_t& length, Constant& start,
                 Constant& step) {
    if (dtype == DType::I64) {
        long long values[3] = {0, 0, 1};
        for (int k = 0; k < 3; ++k) {
            if (!found[k]) continue;
            int overflow = 0;
            values[k] = PyLong_AsLongLongAndOverflow(found[k], &overflow);
            if (overflow) return false;
        }
        if (!found[1]) std::swap(values[0], values[1]);
        constexpr long long kSafe = 1ll << 53;
        for (long long v : values) {
            if (v > kSafe || v < -kSafe) return false;
        }
        if (values[2] == 0) fail(ErrorKind::ZeroDivision, "division by zero");
        long long span = values[1] - values[0], by = values[2];
        length =
            (span > 0) == (by > 0) ? (std::llabs(span) + std::llabs(by) - 1) / std::llabs(by) : 0;
        std::memcpy(start.bytes, &values[0], sizeof values[0]);
        std::memcpy(step.bytes, &by, sizeof by);
        return true;
    }
    double values[3] = {0, 0, 1};
    for (int k = 0; k < 3; ++k) {
        if (found[k]) values[k] = checked(PyFloat_AsDouble(found[k]));
    }
    if (!found[1]) std::swap(values[0], values[1]);
    if (values[2] == 0) fail(ErrorKind::ZeroDivision, "float division by zero");
    const double span = values[1] - values[0], quotient = span / values[2];
    // A quotient that underflows to 0 still gives the first element, and NaN raises an error: NumPy
    // handles both.
    if (std::isnan(quotient) || (quotient == 0 && span != 0)) return false;
    double count = std::ceil(quotient);
    if (!std::isfinite(count) || count > 9e18) {
        fail(ErrorKind::Value, "Maximum allowed size exceeded");
    }
    length = count > 0 ? static_cast<std::int64_t>(count) : 0;
    // NumPy's step is the rounded difference of the first two elements.
    double delta = (values[0] + values[2]) - values[0];
    std::memcpy(start.bytes, &values[0], sizeof(double));
    std::memcpy(step.bytes, &delta, sizeof(double));
    return true;
}

// Converts start and step of a range of Python numbers to another dtype as NumPy does: it casts the
// first two elements and steps by their difference. Returns false if NumPy must compute the range.
template <class From, class To>
bool convert_range(Constant& start, Constant& step) {
    From first, by;
    std::memcpy(&first, start.bytes, sizeof first);
    std::memcpy(&by, step.bytes, sizeof by);
    if constexpr (std::is_integral_v<To>) {
        if (!std::in_range<To>(first) || !std::in_range<To>(first + by)) return false;
    }
    To begin = static_cast<To>(first);
    To delta = static_cast<To>(static_cast<To>(first + by) - begin);
    std::memcpy(start.bytes, &begin, sizeof begin);
    std::memcpy(step.bytes, &delta, sizeof delta);
    return true;
}

bool range_in(DType natural, DType wanted, Constant& start, Constant& step) {
    if (natural == wanted) return true;
    if (natural == DType::F64 && wanted != DType::F32) return false;
    switch (wanted) {
        case DType::F32:
            return natural == DType::F64 ? convert_range<double, float>(start, step)
                                         : convert_range<std::int64_t, float>(start, step);
        case DType::F64:
            return convert_range<std::int64_t, double>(start, step);
        case DType::I32:
            return convert_range<std::int64_t, std::int32_t>(start, step);
        case DType::I16:
            return convert_range<std::int64_t, std::int16_t>(start, step);
        case DType::U32:
            return convert_range<std::int64_t, std::uint32_t>(start, step);
        case DType::U64:
            return convert_range<std::int64_t, std::uint64_t>(start, step);
        default:
            return false;
    }
}

}  // namespace

HS_FAST_METHOD(create_arange) {
    auto found = sort_arguments("arange", {"start", "stop", "step", "dtype", "device", "like"}, {4},
                                args, count, keywords);
    check_device(found[4]);
    if (found[1] == Py_None) found[1] = nullptr;
    if (found[2] == Py_None) found[2] = nullptr;
    if (found[0] == Py_None) found[0] = nullptr;
    // A `start` given by keyword is not the stop.
    bool integer = true, plain = found[0] && (found[1] || count > 0);
    for (int k = 0; k < 3; ++k) plain = is_plain_number(found[k], integer) && plain;
    DType natural = integer ? DType::I64 : DType::F64, dtype = natural;
    if (given(found[3])) plain = parse_dtype(found[3], dtype) && plain;
    plain = plain && !given(found[5]);
    std::int64_t length = 0;
    Request request;
    Constant& start = request.in[0].value;
    Constant& step = request.in[1].value;
    if (!plain || !plain_range(found.data(), natural, length, start, step) ||
        !range_in(natural, dtype, start, step)) {
        return by_numpy("arange", args, count, keywords);
    }
    check_extents({&length, 1}, itemsize(dtype));
    View view = fresh_view(dtype, {&length, 1});
    require_memory(view);
    if (length > 0) {
        request.op = Op::Range;
        request.compute = dtype;
        request.nin = 2;
        request.in[0].dtype = request.in[1].dtype = dtype;
        request.out[0] = &view;
        Engine::instance().submit(request);
    }
    return new_array(std::move(view));
}

}  // namespace hassium
