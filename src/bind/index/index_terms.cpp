#include "bind/index/index_terms.hpp"

#include <algorithm>
#include <tuple>

#include "bind/array/array_methods.hpp"
#include "engine/positions.hpp"
#include "program/routine.hpp"
#include "record/policy.hpp"

namespace hassium {
namespace {

Ref as_positions(const Ref& object, int order) {
    Ref array = as_numpy(object);
    return own(PyArray_FromArray(array.ndarray(), PyArray_DescrFromType(NPY_INT64),
                                 NPY_ARRAY_ALIGNED | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_FORCECAST |
                                     NPY_ARRAY_ENSUREARRAY | order));
}

// Checks the bounds; returns whether there are negative positions. Throws IndexError.
bool check_positions(const Term& term) {
    const auto* values = static_cast<const std::int64_t*>(PyArray_DATA(term.positions.ndarray()));
    const npy_intp count = PyArray_SIZE(term.positions.ndarray());
    if (count == 0) return false;
    PositionRange range;
    if (is_array(term.given.get())) {
        range = range_of(as_array(term.given.get())->view, values, count);
    } else {
        std::tie(range.least, range.most) = least_and_most(values, count);
    }
    if (range.least < -term.extent || range.most >= term.extent) {
        for (npy_intp k = 0; k < count; ++k) {
            wrap_position(values[k], term.extent, term.origin);
        }
    }
    return range.least < 0;
}

// Returns the number of true elements before each run of contiguous bools, and their total.
View count_runs(const View& bools) {
    const std::int64_t runs = (bools.size() + kCountedRun - 1) / kCountedRun;
    View counts = fresh_view(DType::I64, Dims{runs + 1});
    if (runs > 1 || bools.size() > eager_limit(Threshold::line)) {
        return routine_result(Op::CountRuns, DType::Bool, {&bools}, std::move(counts));
    }
    const char* const first = data_to_read(bools);
    auto* const to = reinterpret_cast<std::int64_t*>(ready_data(counts));
    to[0] = 0;
    to[runs] = std::count(first, first + bools.size(), char{1});
    return counts;
}

// Returns an array of the positions of the true elements of `rows` contiguous rows of bools, which
// begin `pitch` positions from each other.
Ref found_in(View bools, std::int64_t rows, std::int64_t pitch) {
    const std::int64_t size = bools.size();
    const View counts = count_runs(bools);
    const auto* const before = reinterpret_cast<const std::int64_t*>(data_to_read(counts));
    View found = fresh_view(DType::I64, Dims{before[counts.size() - 1]});
    if (found.size() == 0) return own(new_array(std::move(found)));
    bools.shape = Dims{rows, size / rows};
    bools.strides = Dims{size / rows, 1};
    found = routine_result(Op::Nonzero, DType::Bool, {&bools, &counts}, std::move(found),
                           static_cast<std::uint64_t>(pitch));
    const auto* const positions = reinterpret_cast<const std::int64_t*>(data_to_read(found));
    found.base->range_known = true;
    found.base->range_least = positions[0];
    found.base->range_most = positions[found.size() - 1];
    return own(new_array(std::move(found)));
}

Ref found_in(PyArrayObject* mask, std::int64_t rows, std::int64_t pitch) {
    const Ref flat = own(PyArray_Ravel(mask, NPY_CORDER));
    return found_in(as_array(wrap_operand(flat.ndarray()).get())->view, rows, pitch);
}

// Returns the positions along each axis of a mask. The linear positions are split from the last
// axis on: the quotients never decrease, so few of them take a division.
std::vector<Ref> found_by_axis(PyArrayObject* mask) {
    const auto ndim = static_cast<std::size_t>(PyArray_NDIM(mask));
    std::vector<Ref> found(ndim);
    const Ref flat = found_in(mask, 1, 0);
    View first = as_array(flat.get())->view;
    const std::int64_t count = first.size();
    auto* const rows = reinterpret_cast<std::int64_t*>(ready_data(first));
    for (std::size_t axis = ndim; axis-- > 1;) {
        const std::int64_t extent = PyArray_DIM(mask, static_cast<int>(axis));
        char* data = nullptr;
        View places = filled_view(DType::I64, {&count, 1}, data);
        auto* const out = reinterpret_cast<std::int64_t*>(data);
        std::int64_t row = 0, begin = 0;
        for (std::int64_t k = 0; k < count; ++k) {
            if (rows[k] - begin >= extent) {
                row = rows[k] - begin < 2 * extent ? row + 1 : rows[k] / extent;
                begin = row * extent;
            }
            out[k] = rows[k] - begin;
            rows[k] = row;
        }
        found[axis] = own(new_array(std::move(places)));
    }
    if (count > 0) {
        first.base->range_least = rows[0];
        first.base->range_most = rows[count - 1];
    }
    if (ndim > 0) found[0] = own(new_array(std::move(first)));
    return found;
}

// Returns a copy in which the axes [axis, axis + ndim) are one and the others keep their memory
// order.
View coalesced_copy(const View& view, std::size_t axis, std::size_t ndim) {
    AxisOrder order;
    for (std::size_t k = 0; k < ndim; ++k) order.push_back(axis + k);
    for (const std::size_t k : stride_order(view.strides)) {
        if (k < axis || k >= axis + ndim) order.push_back(k);
    }
    View copy = ordered_view(view.dtype, view.shape, order);
    record_copy(copy, view);
    coalesce_axes(copy, axis, ndim);
    return copy;
}

// Coalesces the axes that a mask covers if possible, so that one search finds positions along the
// result. `may_copy`: the view may be replaced by a copy. Positions along each of several axes take
// ten times as long to find and to combine, unless they are few. Returns as take_lines.
std::int64_t one_axis(View& view, PyArrayObject* mask, std::size_t axis, std::size_t ndim,
                      bool may_copy, std::int64_t& pitch) {
    if (!coalesce_axes(view, axis, ndim)) {
        if (!may_copy) return 0;
        if (const std::int64_t rows = take_lines(view, axis, ndim, pitch)) return rows;
        if (PyArray_CountNonzero(mask) < PyArray_SIZE(mask) / threshold(Threshold::mask_density)) {
            return 0;
        }
        view = coalesced_copy(view, axis, ndim);
    }
    pitch = view.shape[axis];
    return 1;
}

// Adds the terms of a mask whose axes begin at `axis` of the view; returns the number of those axes
// now.
std::size_t add_mask(Terms& out, const Ref& object, std::size_t axis, std::size_t origin,
                     bool may_copy) {
    Ref mask = as_numpy(object);
    auto ndim = static_cast<std::size_t>(PyArray_NDIM(mask.ndarray()));
    if (ndim == 0) {
        bool value = *static_cast<bool*>(PyArray_DATA(mask.ndarray()));
        npy_intp count = value ? 1 : 0;
        Ref positions = own(PyArray_ZEROS(1, &count, NPY_INT64, 0));
        out.terms.push_back({axis, origin, 1, std::move(positions)});
        return 1;
    }
    std::int64_t pitch = 0;
    if (const auto rows = one_axis(out.view, mask.ndarray(), axis, ndim, may_copy, pitch)) {
        Ref found = found_in(mask.ndarray(), rows, pitch);
        const View* view = &as_array(found.get())->view;
        Ref positions = as_numpy(found);
        out.terms.push_back(
            {axis, origin, out.view.shape[axis], std::move(positions), {}, view, std::move(found)});
        return 1;
    }
    std::vector<Ref> found = found_by_axis(mask.ndarray());
    for (std::size_t k = 0; k < ndim; ++k) {
        Ref positions = as_numpy(found[k]);
        out.terms.push_back({axis + k,
                             origin + k,
                             out.view.shape[axis + k],
                             std::move(positions),
                             {},
                             nullptr,
                             std::move(found[k])});
    }
    return ndim;
}

// Checks the bounds of all terms that the user gave; throws IndexError.
void check_bounds(Terms& terms) {
    for (Term& term : terms.terms) {
        if (!term.given) continue;
        term.negative = check_positions(term);
        if (!is_array(term.given.get())) continue;
        const View& view = as_array(term.given.get())->view;
        // With the same address no conversion or permutation has copied the user's positions.
        const bool in_place = PyArray_DATA(term.positions.ndarray()) == data_to_read(view);
        if (view.dtype == DType::I64 && in_place) term.direct = &view;
    }
}

// Returns whether NumPy takes these positions where no element is selected, though some are out of
// bounds: versions warn of that or refuse it. Asks by an array of the same extents without
// elements.
bool may_be_out_of_bounds(const std::vector<Term>& terms) {
    const auto count = static_cast<Py_ssize_t>(terms.size());
    const Ref key = own(PyTuple_New(count));
    Dims extents;
    for (Py_ssize_t k = 0; k < count; ++k) {
        const Term& term = terms[static_cast<std::size_t>(k)];
        PyTuple_SET_ITEM(key.get(), k, Py_NewRef(term.positions.get()));
        extents.push_back(term.extent);
    }
    extents.push_back(0);
    const Ref array =
        own(PyArray_ZEROS(static_cast<int>(extents.size()), extents.data(), NPY_BOOL, 0));
    const Ref part{PyObject_GetItem(array.get(), key.get())};
    if (part) return true;
    if (!PyErr_ExceptionMatches(PyExc_IndexError)) throw PythonError();
    PyErr_Clear();
    return false;
}

// Makes all positions zero, which nothing will read.
void clear_positions(Term& term) {
    PyArrayObject* const positions = term.positions.ndarray();
    term.positions =
        own(PyArray_ZEROS(PyArray_NDIM(positions), PyArray_DIMS(positions), NPY_INT64, 0));
    term.direct = nullptr;
    term.negative = false;
}

}  // namespace

Dims shape_of(PyArrayObject* array) {
    Dims shape;
    for (int k = 0; k < PyArray_NDIM(array); ++k) shape.push_back(PyArray_DIM(array, k));
    return shape;
}

PyObject* array_nonzero(PyObject* self, PyObject*) {
    View bools = as_array(self)->view;  // keeps the base alive while other threads run
    if (bools.ndim() == 0) {
        fail(ErrorKind::Value,
             "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() "
             "instead.");
    }
    if (bools.dtype != DType::Bool) bools = contiguous_copy(bools, DType::Bool);
    if (bools.ndim() == 1 && bools.c_contiguous()) {
        const Ref found = found_in(bools, 1, 0);
        return PyTuple_Pack(1, found.get());
    }
    const Ref array = own(new_array(std::move(bools)));
    std::vector<Ref> found = found_by_axis(borrow_numpy(array.get()).ndarray());
    Ref all = own(PyTuple_New(static_cast<Py_ssize_t>(found.size())));
    for (std::size_t k = 0; k < found.size(); ++k) {
        PyTuple_SET_ITEM(all.get(), static_cast<Py_ssize_t>(k), found[k].release());
    }
    return all.release();
}

HS_FAST_METHOD(nonzero) {
    const bool ours = count == 1 && !keywords && is_array(args[0]);
    if (!ours) Py_RETURN_NOTIMPLEMENTED;
    return array_nonzero(args[0], nullptr);
}

void check_mask_shape(PyArrayObject* mask, const View& source, std::size_t origin) {
    for (int k = 0; k < PyArray_NDIM(mask); ++k) {
        std::int64_t extent = source.shape[origin + static_cast<std::size_t>(k)];
        // An empty mask fits any extent, as in NumPy.
        if (PyArray_DIM(mask, k) == extent || PyArray_DIM(mask, k) == 0) continue;
        fail(ErrorKind::Index, "boolean index did not match indexed array along axis ",
             origin + static_cast<std::size_t>(k), "; size of axis is ", extent,
             " but size of corresponding boolean axis is ", PyArray_DIM(mask, k));
    }
}

Ref as_numpy(const Ref& object) {
    return is_array(object.get()) ? borrow_numpy(object.get()) : object;
}

namespace {

// Coalesces the axes [first, first + count) of a view.
Axes<1> coalesced(const View& view, std::size_t first, std::size_t count) {
    return coalesce(std::span(view.shape.data() + first, count),
                    std::span(view.strides.data() + first, count));
}

// Replaces the axes [first, first + count) by one.
void replace_axes(View& view, std::size_t first, std::size_t count, const Axis<1>& axis) {
    for (; count > 1; --count) {
        view.shape.erase(first);
        view.strides.erase(first);
    }
    view.shape[first] = axis.extent;
    view.strides[first] = axis.strides[0];
}

}  // namespace

bool coalesce_axes(View& view, std::size_t first, std::size_t count) {
    const Axes<1> axes = coalesced(view, first, count);
    const std::int64_t elements = element_count({view.shape.data() + first, count});
    if (axes.size() > 1 && elements > 0) return false;
    const std::int64_t innermost = view.strides[first + count - 1];
    replace_axes(view, first, count,
                 {elements, {axes.empty() ? innermost : axes.back().strides[0]}});
    return true;
}

std::int64_t take_lines(View& view, std::size_t axis, std::size_t ndim, std::int64_t& pitch) {
    const Axes<1> axes = coalesced(view, axis, ndim);
    if (axes.size() != 2) return 0;
    const auto& [rows, apart] = axes[0];
    const auto& [columns, step] = axes[1];
    if (rows * columns == 0 || step[0] == 0) return 0;
    if (apart[0] % step[0] != 0 || apart[0] / step[0] < columns) return 0;
    pitch = apart[0] / step[0];
    replace_axes(view, axis, ndim, {(rows - 1) * pitch + columns, {step[0]}});
    return rows;
}

Terms collect_terms(const View& source, const Index& index, bool reading) {
    Terms out;
    out.view = apply_basic(source, index);
    const auto advanced =
        std::count_if(index.items.begin(), index.items.end(),
                      [](const IndexItem& item) { return item.kind >= IndexKind::Positions; });
    std::size_t axis = 0, origin = 0;
    enum { kBefore, kInside, kBehind } state = kBefore;
    for (const IndexItem& item : index.items) {
        bool indexes = item.kind == IndexKind::Integer || item.kind >= IndexKind::Positions;
        if (indexes) {
            if (state == kBefore) out.place = axis;
            if (state == kBehind) out.place = 0;
            // Indexed axes that are not adjacent come first.
            state = state == kBehind ? kBehind : kInside;
        } else if (state == kInside) {
            state = kBehind;
        }
        switch (item.kind) {
            case IndexKind::Positions: {
                Ref positions = as_positions(item.object, 0);
                out.terms.push_back(
                    {axis, origin, out.view.shape[axis], std::move(positions), item.object});
                ++axis;
                break;
            }
            case IndexKind::Mask:
                check_mask_shape(as_numpy(item.object).ndarray(), source, origin);
                axis += add_mask(out, item.object, axis, origin, reading && advanced == 1);
                break;
            case IndexKind::Integer:
                break;
            case IndexKind::Ellipsis:
                axis += static_cast<std::size_t>(item.consumes);
                break;
            default:
                ++axis;
        }
        origin += static_cast<std::size_t>(item.consumes);
    }
    if (out.terms.size() >= kMaxDims) {
        fail(ErrorKind::Index,
             "when no subspace is given, the number of index arrays cannot be above 63, but ",
             out.terms.size(), " index arrays found");
    }
    return out;
}

void lay_positions(Term& term) {
    term.positions = as_positions(term.positions, NPY_ARRAY_C_CONTIGUOUS);
}

Dims broadcast_terms(const std::vector<Term>& terms) {
    Dims shape;
    bool matched = true;
    for (const Term& term : terms) {
        matched = matched && broadcast_into(shape, shape_of(term.positions.ndarray()));
    }
    if (!matched) {
        std::string text;
        for (const Term& term : terms) text += shape_text(shape_of(term.positions.ndarray())) + " ";
        fail(ErrorKind::Index,
             "shape mismatch: indexing arrays could not be broadcast together with shapes ", text);
    }
    return shape;
}

void check_terms(Terms& terms, const Dims& shape, const Dims& selected) {
    if (element_count(shape) == 0) return;
    try {
        check_bounds(terms);
    } catch (const UserError&) {
        if (element_count(selected) > 0 || !may_be_out_of_bounds(terms.terms)) throw;
        for (Term& term : terms.terms) clear_positions(term);
    }
}

}  // namespace hassium
