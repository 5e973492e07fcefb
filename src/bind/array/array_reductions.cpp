// Reductions and scans as methods: they parse keywords and call the ufunc functions.
#include "bind/array/array_methods.hpp"
#include "bind/ufunc/ufunc.hpp"

namespace hassium {
namespace {

// Arguments of reductions, to which the tables below map parameter names.
enum : std::size_t { kAxis, kDType, kOut, kKeepdims, kInitial, kWhere, kArguments };

template <std::size_t N>
PyObject* reduce(Op op, const char* name, const char* const (&names)[N],
                 const std::size_t (&meaning)[N], PyObject* self, PyObject* const* args,
                 Py_ssize_t count, PyObject* keywords) {
    auto found = sort_arguments(name, names, {N}, args, count, keywords);
    PyObject* by[kArguments] = {};
    for (std::size_t k = 0; k < N; ++k) by[meaning[k]] = found[k];
    ReduceArgs reduction;
    reduction.axis = by[kAxis] == Py_None ? nullptr : by[kAxis];
    reduction.dtype = by[kDType] == Py_None ? nullptr : by[kDType];
    reduction.out = by[kOut] == Py_None ? nullptr : by[kOut];
    reduction.initial = by[kInitial];
    reduction.where = by[kWhere] == Py_True ? nullptr : by[kWhere];
    reduction.keepdims = integer_flag(by[kKeepdims], false);
    reduction.arguments = {self, args, count, keywords};
    return ufunc_reduce(op, self, reduction);
}

constexpr const char* kSumNames[] = {"axis", "dtype", "out", "keepdims", "initial", "where"};
constexpr std::size_t kSumMeaning[] = {kAxis, kDType, kOut, kKeepdims, kInitial, kWhere};
constexpr const char* kMaxNames[] = {"axis", "out", "keepdims", "initial", "where"};
constexpr std::size_t kMaxMeaning[] = {kAxis, kOut, kKeepdims, kInitial, kWhere};
constexpr const char* kAnyNames[] = {"axis", "out", "keepdims", "where"};
constexpr std::size_t kAnyMeaning[] = {kAxis, kOut, kKeepdims, kWhere};

// Returns argmin or argmax of C-contiguous elements along one axis or over all; null if the general
// path must run.
PyObject* plain_positions(Op op, PyObject* self, PyObject* axis_argument,
                          const CallArguments& arguments) {
    View line;
    std::size_t axis = 0;
    if (!along_axis(self, given(axis_argument) ? axis_argument : Py_None, line, axis) ||
        line.size() == 0 || !line.c_contiguous()) {
        return nullptr;
    }
    Dims kept = line.shape;
    kept.erase(axis);
    View result = fresh_view(DType::I64, kept);
    Request request = request_of(op, line.dtype, result, {input_of(line)});
    request.axes = std::uint64_t{1} << axis;
    request.errstate = current_errstate();
    Engine::instance().submit(request);
    line = View();
    return wrap_result(std::move(result), true, arguments);
}

PyObject* arg_reduce(Op op, const char* name, PyObject* self, PyObject* const* args,
                     Py_ssize_t count, PyObject* keywords) {
    auto found = sort_arguments(name, {"axis", "out", "keepdims"}, {2}, args, count, keywords);
    if (!given(found[1]) && !found[2]) {
        const CallArguments arguments{self, args, count, keywords};
        if (PyObject* result = plain_positions(op, self, found[0], arguments)) return result;
    }
    ReduceArgs reduction;
    if (found[0] && PyTuple_Check(found[0])) {
        fail(ErrorKind::Type, "'tuple' object cannot be interpreted as an integer");
    }
    reduction.axis = given(found[0]) ? found[0] : nullptr;
    reduction.out = given(found[1]) ? found[1] : nullptr;
    reduction.keepdims = flag(found[2], false);
    reduction.arguments = {self, args, count, keywords};
    return ufunc_reduce(op, self, reduction);
}

PyObject* accumulate(Op op, const char* name, PyObject* self, PyObject* const* args,
                     Py_ssize_t count, PyObject* keywords) {
    auto found = sort_arguments(name, {"axis", "dtype", "out"}, {3}, args, count, keywords);
    Ref array = borrow(self);
    int axis = 0;
    if (given(found[0])) {
        int ndim = std::max(1, static_cast<int>(as_array(self)->view.ndim()));
        axis = parse_axis(found[0], ndim);
    }
    if (!given(found[0]) || as_array(self)->view.ndim() == 0) {
        array = own(array_ravel(self, nullptr, 0, nullptr));
    }
    // Unlike the ufunc's method, this one ignores the byte order of `dtype`.
    const Ref dtype = given(found[1]) ? in_native_order(found[1]) : Ref();
    return ufunc_accumulate(op, array.get(), axis, dtype.get(),
                            given(found[2]) ? found[2] : nullptr);
}

}  // namespace

#define HS_REDUCTION(name, row, parameters)                                                      \
    HS_FAST_METHOD(array_##name) {                                                               \
        return reduce(Op::row, #name, parameters##Names, parameters##Meaning, self, args, count, \
                      keywords);                                                                 \
    }
#define HS_ARG_REDUCTION(name, row) \
    HS_FAST_METHOD(array_##name) { return arg_reduce(Op::row, #name, self, args, count, keywords); }
#define HS_ACCUMULATION(name, row) \
    HS_FAST_METHOD(array_##name) { return accumulate(Op::row, #name, self, args, count, keywords); }
#include "bind/array/methods.def"

}  // namespace hassium
