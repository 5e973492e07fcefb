// Elements at positions: read by Take, written by Put or by a masked copy.
#include <cstdlib>

#include "bind/index/index_terms.hpp"
#include "record/policy.hpp"

namespace hassium {
namespace {

Request indexed_request(Op op, const Selection& selection, const View& out, const Input& values) {
    Request request =
        request_of(op, selection.source.dtype, out, {values, input_of(selection.linear)});
    request.axes = std::uint64_t{1} << selection.axis;
    return request;
}

// Returns a view in the shape of the result with the indexed extents as one axis: the view itself
// if they are one, else `flat`, on the same elements or on a copy.
const View* flattened(const View& view, const Selection& selection, View& flat) {
    if (view.ndim() == selection.source.ndim()) return &view;
    Dims shape = selection.source.shape, strides;
    shape[selection.axis] = selection.linear.shape[0];
    const bool in_place = reshaped_strides(view, shape, false, strides);
    flat = in_place ? view : contiguous_copy(view, view.dtype);
    flat.strides = in_place ? strides : c_strides(shape, itemsize(view.dtype));
    flat.shape = shape;
    return &flat;
}

// Returns whether to copy the source to contiguous rows first: the elements of a row have larger
// strides than the rows. Then each element is a cache line of which a gather of many rows uses
// little, unless a line holds several elements of a row or the source fits the cache.
bool rows_to_lay_together(const Selection& selection) {
    constexpr std::int64_t kCacheLine = 64;
    const View& source = selection.source;
    const std::size_t axis = selection.axis;
    if (source.strides[axis] == 0 || source.shape[axis] == 1) return false;
    if (selection.linear.shape[0] < source.shape[axis] / 2) return false;
    if (source.size() * itemsize(source.dtype) < threshold(Threshold::laid_together)) return false;
    bool apart = false;
    for (std::size_t k = axis + 1; k < source.ndim(); ++k) {
        if (source.shape[k] == 1) continue;
        const std::int64_t stride = std::abs(source.strides[k]);
        if (stride <= std::abs(source.strides[axis])) return false;
        if (stride < kCacheLine) return false;
        apart = true;
    }
    return apart;
}

}  // namespace

PyObject* take_selected(Selection&& selection) {
    const DType dtype = selection.source.dtype;
    View result = fresh_view(dtype, selection.result);
    if (result.size() > 0) {
        if (rows_to_lay_together(selection)) {
            selection.source = contiguous_copy(selection.source, dtype);
        }
        View flat;
        const View& out = *flattened(result, selection, flat);
        Engine::instance().submit(
            indexed_request(Op::Take, selection, out, input_of(selection.source)));
    }
    if (selection.order.empty()) return new_array(std::move(result));
    const View moved = result;
    for (std::size_t k = 0; k < selection.order.size(); ++k) {
        result.shape[selection.order[k]] = moved.shape[k];
        result.strides[selection.order[k]] = moved.strides[k];
    }
    return new_array(std::move(result));
}

void put_selected(const Selection& selection, const Value& value) {
    write_selection(selection, value, {});
}

void write_selection(const Selection& selection, const Value& value, const Scatter& scatter) {
    Input values{nullptr, selection.source.dtype, value.constant};
    View spread, cast, flat;  // the value broadcast, converted, flattened, as needed
    if (!value.is_constant) {
        const View* part = &value.view;
        if (part->shape != selection.result) {
            spread = broadcast_assigned(*part, selection.result);
            part = &spread;
        }
        part = flattened(*part, selection, flat);
        const DType dtype = selection.source.dtype;
        if (cast_raises(part->dtype, dtype) != kNoFlag) {
            cast = contiguous_copy(*part, dtype);  // a copy warns of the cast, Put does not
            part = &cast;
        } else {
            warn_complex_discard(part->dtype, dtype);
        }
        values = input_of(*part);
    }
    if (element_count(selection.result) == 0) return;
    Request request = indexed_request(scatter.op, selection, selection.source, values);
    request.method = scatter.method;
    request.errstate = scatter.errstate;
    Engine::instance().submit(request);
}

namespace {

// Assigns under a mask without positions if every selected element gets the same value, or the
// value has only the axes behind the mask. Returns false for other assignments.
bool write_masked(const View& source, const Index& index, const Value& value) {
    std::optional<MaskedTarget> masked = masked_target(source, index);
    if (!masked) return false;
    if (value.is_constant) {
        record_fill(masked->target, value.constant, &masked->mask);
        return true;
    }
    View view = value.view;
    if (view.size() == 1) {
        view.shape.clear();
        view.strides.clear();
    }
    std::size_t trailing = masked->trailing;
    if (view.ndim() == trailing + 1 && view.shape[0] == 1) {
        view.shape.erase(0);
        view.strides.erase(0);
    }
    bool fits = view.ndim() == 0 || (masked->leading == 0 && view.ndim() <= trailing);
    if (!fits) return false;
    record_copy(masked->target, view, &masked->mask);
    return true;
}

// Returns whether the index is one mask with the shape of the whole array.
bool is_one_whole_mask(const View& source, const Index& index) {
    const IndexItem& first = index.items[0];
    if (first.kind != IndexKind::Mask || index.items.size() > 2) return false;
    PyObject* mask = first.object.get();
    return source.shape ==
           (is_array(mask) ? as_array(mask)->view.shape : shape_of(first.object.ndarray()));
}

// Throws NumPy's error for a value of more than one axis under a mask of the whole array.
void check_masked_value(const View& source, const Index& index, const Value& value) {
    if (value.is_constant || value.view.ndim() < 2 || index.written_ellipsis) return;
    if (!is_one_whole_mask(source, index)) return;
    fail(ErrorKind::Type,
         "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has ",
         value.view.ndim(), " dimensions");
}

}  // namespace

void write_selected(const View& source, const Index& index, const Value& value) {
    check_masked_value(source, index, value);
    if (write_masked(source, index, value)) return;
    const bool one_mask = is_one_whole_mask(source, index);
    const View* shaped = value.is_constant || one_mask ? nullptr : &value.view;
    Selection selection = select(source, index, Purpose::Writing, shaped);
    const bool one_line = one_mask && selection.result.size() == 1 && value.view.ndim() == 1;
    if (one_line && value.view.shape[0] != selection.result[0]) {
        fail(ErrorKind::Value, "NumPy boolean array indexing assignment cannot assign ",
             value.view.shape[0], " input values to the ", selection.result[0],
             " output values where the mask is true");
    }
    put_selected(selection, value);
}

}  // namespace hassium
