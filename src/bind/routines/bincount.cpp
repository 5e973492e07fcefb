// bincount of a vector of integers: the number of bins depends on the maximum, which is found at
// the call.
#include <algorithm>

#include "bind/array/array_methods.hpp"
#include "bind/index/index.hpp"
#include "ops/dtype_rules.hpp"
#include "record/thresholds.hpp"

namespace hassium {
namespace {

// Parses `minlength`: 0 if it is not given, -1 if NumPy must parse it.
std::int64_t least_bins(PyObject* minlength) {
    if (!minlength) return 0;
    if (!PyLong_CheckExact(minlength)) return -1;
    int overflow = 0;
    const std::int64_t bins = PyLong_AsLongLongAndOverflow(minlength, &overflow);
    return overflow ? -1 : bins;
}

// Returns the minimum and maximum; those of int64 are cached until the array is written.
PositionRange extremes_of(const View& numbers) {
    if (numbers.dtype == DType::I64 && numbers.c_contiguous()) {
        const auto* const values = reinterpret_cast<const std::int64_t*>(data_to_read(numbers));
        return range_of(numbers, values, numbers.size());
    }
    const View ends =
        routine_result(Op::Extent, numbers.dtype, {&numbers}, fresh_view(DType::I64, Dims{2}));
    const auto* const extremes = reinterpret_cast<const std::int64_t*>(data_to_read(ends));
    return {extremes[0], extremes[1]};
}

// Converts the weights to float64, one for each number; returns false if NumPy must handle them.
bool to_weights(PyObject* object, const View& numbers, Value& weights) {
    const Ref given = own(array_of(object));
    if (!is_array(given.get())) return false;
    const View& view = as_array(given.get())->view;
    if (view.shape != numbers.shape || !can_cast(view.dtype, DType::F64, Casting::Safe)) {
        return false;
    }
    weights.view = view.dtype == DType::F64 ? view : contiguous_copy(view, DType::F64);
    return true;
}

// Returns the sums of weights, added in the order of the numbers as in NumPy.
View sums_of(const View& numbers, const Value& weights, std::int64_t bins) {
    Selection selection;
    selection.source = fresh_view(DType::F64, Dims{bins});
    record_fill(selection.source, Constant{});
    selection.linear = numbers.dtype == DType::I64 ? numbers : contiguous_copy(numbers, DType::I64);
    selection.result = numbers.shape;
    write_selection(selection, weights, {Op::Add, Method::At});
    return selection.source;
}

}  // namespace

HS_FAST_METHOD(bincount) {
    const bool plain = !keywords && count >= 1 && count <= 3 && Py_TYPE(args[0]) == array_type;
    if (!plain) Py_RETURN_NOTIMPLEMENTED;
    const View numbers = as_array(args[0])->view;
    std::int64_t bins = least_bins(count == 3 ? args[2] : nullptr);
    const bool counted = numbers.ndim() == 1 && numbers.size() > 0 && is_integer(numbers.dtype) &&
                         numbers.dtype != DType::U64;
    if (!counted || bins < 0) Py_RETURN_NOTIMPLEMENTED;
    const bool weighs = count >= 2 && args[1] != Py_None;
    Value weights;
    if (weighs && !to_weights(args[1], numbers, weights)) Py_RETURN_NOTIMPLEMENTED;
    const PositionRange range = extremes_of(numbers);
    bins = std::max(bins, range.most + 1);
    // NumPy raises the error for negative numbers.
    if (range.least < 0 || range.most >= threshold(Threshold::bins) ||
        bins > threshold(Threshold::bins)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (weighs) return new_array(sums_of(numbers, weights, bins));
    View counts = fresh_view(DType::I64, Dims{bins});
    return new_array(routine_result(Op::Bincount, numbers.dtype, {&numbers}, std::move(counts)));
}

}  // namespace hassium
