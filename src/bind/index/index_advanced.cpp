// Converts positions and masks to one linear index.
//
// Every advanced item becomes a term: positions along one axis of the view that the basic items
// select. One term indexes its axis directly. Several terms are combined if their axes coalesce in
// memory: the linear position is the sum of each position times the extents of the inner axes.
// Otherwise reading copies the array first, and writing addresses elements of the base itself, in
// which every view is linear.
#include <algorithm>
#include <utility>

#include "bind/index/index_terms.hpp"
#include "engine/engine.hpp"
#include "record/policy.hpp"

namespace hassium {
namespace {

// linear += wrapped position * weight, over `shape` in C order; `steps` are in elements.
void add_term(std::int64_t* linear, std::span<const std::int64_t> shape,
              const std::int64_t* positions, const Dims& steps, std::int64_t extent,
              std::int64_t weight) {
    std::int64_t total = element_count(shape);
    if (total == 0) return;
    if (shape.empty()) {
        linear[0] += (*positions < 0 ? *positions + extent : *positions) * weight;
        return;
    }
    std::size_t inner = shape.size() - 1;
    Dims at(shape.size(), 0);
    const std::int64_t* row = positions;
    for (std::int64_t done = 0; done < total; done += shape[inner]) {
        for (std::int64_t k = 0; k < shape[inner]; ++k) {
            std::int64_t position = row[k * steps[inner]];
            *linear++ += (position < 0 ? position + extent : position) * weight;
        }
        for (std::size_t axis = inner; axis-- > 0;) {
            row += steps[axis];
            if (++at[axis] < shape[axis]) break;
            row -= steps[axis] * shape[axis];
            at[axis] = 0;
        }
    }
}

// Returns the steps, in elements, of a C-ordered array broadcast to the axes [first, first + count)
// of `shape`.
Dims term_steps(PyArrayObject* array, std::span<const std::int64_t> shape, std::size_t first,
                std::size_t count) {
    Dims steps(shape.size(), 0);
    std::int64_t step = 1;
    int ndim = PyArray_NDIM(array);
    for (int k = ndim; k-- > 0;) {
        std::size_t axis = first + count - static_cast<std::size_t>(ndim - k);
        std::int64_t extent = PyArray_DIM(array, k);
        steps[axis] = extent == 1 ? 0 : step;
        step *= extent;
    }
    return steps;
}

// Moves the axes of the terms next to each other, to `place`.
void gather_axes(Terms& terms) {
    View& view = terms.view;
    View moved = view;
    moved.shape.clear();
    moved.strides.clear();
    auto indexed = [&](std::size_t axis) {
        return std::any_of(terms.terms.begin(), terms.terms.end(),
                           [&](const Term& t) { return t.axis == axis; });
    };
    std::size_t kept = 0;
    auto put_terms = [&] {
        for (Term& t : terms.terms) {
            moved.shape.push_back(view.shape[t.axis]);
            moved.strides.push_back(view.strides[t.axis]);
        }
    };
    for (std::size_t axis = 0; axis < view.ndim(); ++axis) {
        if (indexed(axis)) continue;
        if (kept++ == terms.place) put_terms();
        moved.shape.push_back(view.shape[axis]);
        moved.strides.push_back(view.strides[axis]);
    }
    if (kept <= terms.place) put_terms();
    for (std::size_t k = 0; k < terms.terms.size(); ++k) terms.terms[k].axis = terms.place + k;
    view = std::move(moved);
}

// Returns the memory order of the indexed axes if each position selects one element: that of the
// position arrays.
AxisOrder order_of_positions(const std::vector<Term>& terms, std::size_t ndim) {
    std::vector<View> views(terms.size());
    std::vector<const View*> models;
    bool plain = true;
    for (std::size_t k = 0; k < terms.size(); ++k) {
        PyArrayObject* positions = terms[k].positions.ndarray();
        const auto axes = static_cast<std::size_t>(PyArray_NDIM(positions));
        plain = plain && PyArray_IS_C_CONTIGUOUS(positions);
        views[k].shape.assign(PyArray_DIMS(positions), axes);
        views[k].strides.assign(PyArray_STRIDES(positions), axes);
        models.push_back(&views[k]);
    }
    return order_like(ndim, plain ? std::span<const View* const>() : models);
}

// Returns the positions with all axes of the broadcast shape, permuted to `order`.
Ref transposed(const Ref& positions, const AxisOrder& order) {
    npy_intp extents[NPY_MAXDIMS], axes[NPY_MAXDIMS];
    const auto ndim = static_cast<std::size_t>(PyArray_NDIM(positions.ndarray()));
    for (std::size_t k = 0; k < order.size(); ++k) {
        const std::size_t missing = order.size() - ndim;
        extents[k] =
            k < missing ? 1 : PyArray_DIM(positions.ndarray(), static_cast<int>(k - missing));
        axes[k] = static_cast<npy_intp>(order[k]);
    }
    PyArray_Dims shape = {extents, static_cast<int>(order.size())};
    PyArray_Dims permutation = {axes, static_cast<int>(order.size())};
    Ref whole = own(PyArray_Newshape(positions.ndarray(), &shape, NPY_CORDER));
    return own(PyArray_Transpose(whole.ndarray(), &permutation));
}

// Permutes the axes to the memory order of NumPy's result (mapping.c, PyArray_MapIterNew): indexed
// axes outermost, the others by the strides of the source.
void order_axes(Terms& terms, Selection& selection) {
    const std::size_t place = terms.place, indexed = terms.shape.size();
    View moved = terms.view;
    moved.shape.clear();
    moved.strides.clear();
    Dims extents, strides;
    for (std::size_t axis = 0; axis < terms.view.ndim(); ++axis) {
        const bool index = axis >= place && axis < place + terms.terms.size();
        (index ? moved.shape : extents).push_back(terms.view.shape[axis]);
        (index ? moved.strides : strides).push_back(terms.view.strides[axis]);
    }
    const bool single = element_count(extents) == 1;
    const AxisOrder outer = single ? order_of_positions(terms.terms, indexed) : AxisOrder();
    const AxisOrder inner = stride_order(strides);
    if (place == 0 && is_c_order(outer) && is_c_order(inner)) return;
    for (std::size_t k = 0; k < indexed; ++k) {
        selection.order.push_back(place + (single ? outer[k] : k));
    }
    for (const std::size_t axis : inner) {
        moved.shape.push_back(extents[axis]);
        moved.strides.push_back(strides[axis]);
        selection.order.push_back(axis < place ? axis : axis + indexed);
    }
    if (!is_c_order(outer)) {
        const Dims shape = terms.shape;
        for (std::size_t k = 0; k < indexed; ++k) terms.shape[k] = shape[outer[k]];
        for (Term& term : terms.terms) term.positions = transposed(term.positions, outer);
    }
    for (std::size_t k = 0; k < terms.terms.size(); ++k) terms.terms[k].axis = k;
    terms.place = 0;
    terms.view = std::move(moved);
}

void record_positions(Op op, const View& out, const Input& a, const Input& b) {
    Engine::instance().submit(request_of(op, DType::I64, out, {a, b}));
}

// Returns the user's positions in place, or records their wrapping if some are negative.
View wrapped(const Term& term) {
    PyArrayObject* array = term.positions.ndarray();
    View view = *term.direct;
    view.shape.assign(PyArray_DIMS(array), static_cast<std::size_t>(PyArray_NDIM(array)));
    view.strides = c_strides(view.shape, itemsize(DType::I64));
    if (!term.negative) return view;
    View positive = fresh_view(DType::I64, view.shape);
    record_positions(Op::Remainder, positive, input_of(view), input_of(term.extent, DType::I64));
    return positive;
}

// Records the same linear index that add_term computes.
View recorded_linear(const std::vector<Term>& terms, const Dims& shape) {
    View linear = wrapped(terms[0]);
    for (std::size_t k = 1; k < terms.size(); ++k) {
        const View next = wrapped(terms[k]);
        View rows = fresh_view(DType::I64, linear.shape), sum = fresh_view(DType::I64, shape);
        record_positions(Op::Multiply, rows, input_of(linear),
                         input_of(terms[k].extent, DType::I64));
        record_positions(Op::Add, sum, input_of(rows), input_of(next));
        linear = std::move(sum);
    }
    return as_vector(std::move(linear));
}

View linear_of(const std::vector<Term>& terms, const Dims& shape) {
    const bool ready = std::ranges::all_of(terms, [](const Term& t) { return t.direct; });
    if (ready && terms.size() == 1 && !terms[0].negative) return as_vector(View(*terms[0].direct));
    if (ready && element_count(shape) >= threshold(Threshold::index_positions))
        return recorded_linear(terms, shape);
    char* data = nullptr;
    std::int64_t count = element_count(shape);
    View linear = filled_view(DType::I64, {&count, 1}, data);
    auto* values = reinterpret_cast<std::int64_t*>(data);
    std::fill_n(values, count, 0);
    std::int64_t weight = 1;
    for (std::size_t k = terms.size(); k-- > 0;) {
        PyArrayObject* positions = terms[k].positions.ndarray();
        add_term(values, shape, static_cast<const std::int64_t*>(PyArray_DATA(positions)),
                 term_steps(positions, shape, 0, shape.size()), terms[k].extent, weight);
        weight *= terms[k].extent;
    }
    return linear;
}

// Returns a selection that addresses every element in the base itself.
Selection select_in_base(const Terms& terms, Selection selection) {
    const View& view = terms.view;
    std::int64_t item = itemsize(view.dtype);
    for (std::int64_t stride : view.strides) {
        if (stride % item != 0) {
            fail(ErrorKind::NotImplemented,
                 "several index arrays on elements that do not lie at multiples of their size");
        }
    }
    char* data = nullptr;
    std::int64_t count = element_count(selection.result);
    View linear = filled_view(DType::I64, {&count, 1}, data);
    auto* values = reinterpret_cast<std::int64_t*>(data);
    std::fill_n(values, count, view.offset / item);
    const Dims& result = selection.result;
    std::size_t indexed = terms.shape.size();
    for (const Term& term : terms.terms) {
        PyArrayObject* positions = term.positions.ndarray();
        add_term(values, result, static_cast<const std::int64_t*>(PyArray_DATA(positions)),
                 term_steps(positions, result, terms.place, indexed), term.extent,
                 view.strides[term.axis] / item);
    }
    std::vector<std::int64_t> counting;
    for (std::size_t axis = 0, kept = 0; axis < result.size(); ++axis) {
        if (axis >= terms.place && axis < terms.place + indexed) continue;
        std::size_t from = kept < terms.place ? kept : kept + terms.terms.size();
        ++kept;
        counting.resize(static_cast<std::size_t>(result[axis]));
        for (std::size_t k = 0; k < counting.size(); ++k)
            counting[k] = static_cast<std::int64_t>(k);
        Dims steps(result.size(), 0);
        steps[axis] = 1;
        add_term(values, result, counting.data(), steps, result[axis], view.strides[from] / item);
    }
    selection.source.base = view.base;
    selection.source.dtype = view.dtype;
    selection.source.offset = view.offset % item;
    selection.source.shape = {(view.base->bytes - selection.source.offset) / item};
    selection.source.strides = {item};
    selection.axis = 0;
    selection.linear = std::move(linear);
    return selection;
}

// Returns the only positions if their dtype holds none out of bounds, such as uint8 for a table of
// 256 rows: they need no check. Else null.
const View* positions_in_bounds(const View& source, const Index& index) {
    const IndexItem& first = index.items.front();
    if (first.kind != IndexKind::Positions || index.items.size() > 2) return nullptr;
    if (!is_array(first.object.get()) || !source.c_contiguous()) return nullptr;
    const View& view = as_array(first.object.get())->view;
    const std::int64_t most = view.dtype == DType::U8 ? 256 : view.dtype == DType::U16 ? 65536 : 0;
    const bool fits = most > 0 && source.shape[0] >= most;
    return fits && view.ndim() > 0 && view.c_contiguous() ? &view : nullptr;
}

Selection select_unchecked(const View& source, const View& positions) {
    Selection selection;
    selection.source = source;
    selection.result = positions.shape;
    for (std::size_t axis = 1; axis < source.ndim(); ++axis) {
        selection.result.push_back(source.shape[axis]);
    }
    check_extents(selection.result, itemsize(source.dtype));
    selection.linear = as_vector(contiguous_copy(positions, DType::I64));
    return selection;
}

// Drops excess leading axes of a value without elements, as assignment does.
View without_front(const View& value, std::size_t ndim) {
    if (value.size() > 0 || value.ndim() <= ndim) return value;
    View rest = value;
    while (rest.ndim() > ndim) {
        rest.shape.erase(0);
        rest.strides.erase(0);
    }
    return rest.size() == 0 ? rest : value;
}

}  // namespace

View broadcast_assigned(const View& value, const Dims& selected) {
    const std::optional<View> spread =
        broadcast_value(without_front(value, selected.size()), selected);
    if (!spread) {
        fail(ErrorKind::Value, "shape mismatch: value array of shape ", shape_text(value.shape),
             " could not be broadcast to indexing result of shape ", shape_text(selected));
    }
    return *spread;
}

Selection select(const View& source, const Index& index, Purpose purpose, const View* assigned) {
    const bool reading = purpose != Purpose::Writing;
    const View* in_bounds = reading ? positions_in_bounds(source, index) : nullptr;
    if (in_bounds) return select_unchecked(source, *in_bounds);
    Terms terms = collect_terms(source, index, reading);
    Selection selection;
    terms.shape = broadcast_terms(terms.terms);
    gather_axes(terms);
    if (purpose == Purpose::Reading) order_axes(terms, selection);
    for (Term& term : terms.terms) lay_positions(term);
    std::size_t count = terms.terms.size();
    View& view = terms.view;
    for (std::size_t axis = 0; axis < view.ndim(); ++axis) {
        if (axis == terms.place) {
            for (std::int64_t extent : terms.shape) selection.result.push_back(extent);
        }
        if (axis >= terms.place && axis < terms.place + count) continue;
        selection.result.push_back(view.shape[axis]);
    }
    check_extents(selection.result, itemsize(view.dtype));
    if (assigned) broadcast_assigned(*assigned, selection.result);
    // take() refuses positions out of bounds of an axis even if another axis has no elements.
    const bool taken = purpose == Purpose::ReadingInC;
    check_terms(terms, terms.shape, taken ? terms.shape : selection.result);
    if (!coalesce_axes(view, terms.place, count)) {
        if (!reading || view.ndim() == count) {
            return select_in_base(terms, std::move(selection));
        }
        view = contiguous_copy(view, view.dtype);
        coalesce_axes(view, terms.place, count);
    }
    selection.linear = linear_of(terms.terms, terms.shape);
    selection.source = std::move(view);
    selection.axis = terms.place;
    return selection;
}

std::optional<MaskedTarget> masked_target(const View& source, const Index& index) {
    const IndexItem* only = nullptr;
    std::size_t axis = 0, at = 0, origin = 0, mask_origin = 0;
    for (const IndexItem& item : index.items) {
        if (item.kind == IndexKind::Positions || (only && item.kind == IndexKind::Mask)) return {};
        if (item.kind == IndexKind::Mask) {
            only = &item;
            at = axis;
            mask_origin = origin;
            axis += item.consumes ? 0 : 1;
        }
        if (item.kind == IndexKind::NewAxis || item.kind == IndexKind::Slice) ++axis;
        if (item.kind == IndexKind::Ellipsis || item.kind == IndexKind::Mask) {
            axis += static_cast<std::size_t>(item.consumes);
        }
        origin += static_cast<std::size_t>(item.consumes);
    }
    if (!only) return {};
    MaskedTarget result;
    result.target = apply_basic(source, index);
    result.keep = only->object;
    if (!is_array(result.keep.get())) result.keep = wrap_operand(result.keep.ndarray());
    const View& mask = as_array(result.keep.get())->view;
    for (std::size_t k = 0; k < mask.ndim(); ++k) {
        if (mask.shape[k] == source.shape[mask_origin + k]) continue;
        check_mask_shape(as_numpy(only->object).ndarray(), source, mask_origin);
        return {};
    }
    std::size_t covered = std::max<std::size_t>(mask.ndim(), 1);
    result.mask = mask;
    result.mask.shape = result.target.shape;
    result.mask.strides = Dims(result.target.ndim(), 0);
    for (std::size_t k = 0; k < mask.ndim(); ++k) result.mask.strides[at + k] = mask.strides[k];
    result.leading = at;
    result.trailing = result.target.ndim() - at - covered;
    return result;
}

}  // namespace hassium
