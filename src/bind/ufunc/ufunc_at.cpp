// ufunc.at: combines the elements or rows that an index selects with values. The index is parsed as
// in an assignment; NumPy takes the calls that this rejects, and raises every error.
#include "base/error.hpp"
#include "bind/array/array_methods.hpp"
#include "bind/index/index.hpp"
#include "bind/ufunc/ufunc_parts.hpp"
#include "engine/engine.hpp"
#include "ops/dtype_rules.hpp"

namespace hassium {
namespace {

// Returns whether the loop for the two dtypes has only operands and results of `dtype`.
bool combines_in(Op op, DType dtype, DType values) {
    if (!can_cast(values, dtype, Casting::Safe) || checks_exponents(op, dtype)) return false;
    const OperandType types[] = {{dtype}, {values}};
    const Loop loop = resolve(op, types);
    return loop.compute == dtype && loop.in[0] == dtype && loop.in[1] == dtype &&
           loop.out[0] == dtype;
}

// Selects the elements; returns false if the index has no advanced item. Throws where NumPy refuses
// the values or the index.
bool select_rows(const View& array, PyObject* indices, const View& values, Selection& selection) {
    run_index(array, indices);
    if (is_positions(indices) && select_positions(View(array), indices, 0, selection, &values)) {
        return true;
    }
    const Index index = parse_index(array, indices);
    if (!index.advanced) return false;
    selection = select(array, index, Purpose::Writing, &values);
    return true;
}

}  // namespace

bool combine_at(Op op, PyObject* array, PyObject* indices, PyObject* object) {
    if (Py_TYPE(array) != array_type || !has_at(op)) return false;
    if (overrides_ufuncs(object) || overrides_ufuncs(indices)) return false;
    const View view = as_array(array)->view;
    if (view.ndim() == 0 || view.size() == 0 || !loop_of(op, view.dtype)) return false;
    if (view_overlaps_itself(view)) return false;
    const Ref given = own(array_of(object));
    if (!is_array(given.get())) return false;
    const View& values = as_array(given.get())->view;
    if (!combines_in(op, view.dtype, values.dtype)) return false;
    Selection selection;
    try {
        if (!select_rows(view, indices, values, selection)) return false;
    } catch (const UserError&) {
        return false;
    } catch (const PythonError&) {
        PyErr_Clear();
        return false;
    }
    if (values.ndim() > selection.result.size()) return false;
    Value value;
    value.view = values.dtype == view.dtype ? values : contiguous_copy(values, view.dtype);
    write_selection(selection, value, {op, Method::At, current_errstate()});
    return true;
}

}  // namespace hassium
