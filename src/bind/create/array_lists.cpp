// Arrays from the most frequent lists: of numbers, of rows of numbers, of arrays of one shape.
// NumPy inspects every element twice and reads our arrays through their memory.
#include <algorithm>
#include <span>
#include <utility>

#include "bind/array/array_methods.hpp"
#include "bind/ufunc/ufunc.hpp"

namespace hassium {
namespace {

std::span<PyObject* const> items_of(PyObject* sequence) {
    return {PySequence_Fast_ITEMS(sequence),
            static_cast<std::size_t>(PySequence_Fast_GET_SIZE(sequence))};
}

bool is_plain_list(PyObject* o) { return PyList_CheckExact(o) || PyTuple_CheckExact(o); }

// Floats and 64-bit integers in a list or in rows of one length.
struct Numbers {
    std::span<PyObject* const> items;
    std::int64_t columns = -1;  // elements of each row; -1: no rows
    bool floats = false;

    // Returns false for any other list. Runs no Python code.
    bool read(PyObject* sequence) {
        items = items_of(sequence);
        if (items.empty()) return false;
        if (!is_plain_list(items[0])) return add(items);
        columns = PySequence_Fast_GET_SIZE(items[0]);
        return std::ranges::all_of(items, [&](PyObject* row) {
            return is_plain_list(row) && PySequence_Fast_GET_SIZE(row) == columns &&
                   add(items_of(row));
        });
    }
    Dims shape() const {
        Dims extents = {static_cast<std::int64_t>(items.size())};
        if (columns >= 0) extents.push_back(columns);
        return extents;
    }
    template <class T>
    void write(T* to) const {
        if (columns < 0) return write(to, items);
        for (PyObject* row : items) {
            write(to, items_of(row));
            to += columns;
        }
    }

  private:
    bool add(std::span<PyObject* const> numbers) {
        for (PyObject* item : numbers) {
            if (is_plain_double(item)) {
                floats = true;
                continue;
            }
            if (!PyLong_CheckExact(item)) return false;
            int overflow = 0;
            PyLong_AsLongLongAndOverflow(item, &overflow);
            if (overflow != 0) return false;
        }
        return true;
    }
    template <class T>
    static void write(T* to, std::span<PyObject* const> numbers) {
        for (PyObject* item : numbers) {
            *to++ = PyLong_CheckExact(item) ? static_cast<T>(PyLong_AsLongLong(item))
                                            : static_cast<T>(PyFloat_AS_DOUBLE(item));
        }
    }
};

PyObject* from_numbers(PyObject* sequence, const DType* wanted, char order) {
    Numbers numbers;
    if (!numbers.read(sequence)) return nullptr;
    const DType natural = numbers.floats ? DType::F64 : DType::I64;
    const DType dtype = wanted ? *wanted : natural;
    if (dtype != DType::F64 && dtype != natural) return nullptr;
    const Dims shape = numbers.shape();
    if (shape.size() > 1 && (shape[1] == 0 || order == 'F')) return nullptr;
    char* data = nullptr;
    View view = filled_view(dtype, shape, data);
    // Allocation may flush, which lets other threads change the lists.
    Numbers again;
    const bool same = again.read(sequence) && again.shape() == shape;
    if (!same || again.floats != numbers.floats) return nullptr;
    if (dtype == DType::F64) {
        again.write(reinterpret_cast<double*>(data));
    } else {
        again.write(reinterpret_cast<std::int64_t*>(data));
    }
    return new_array(std::move(view));
}

// Stacks arrays of one shape without a flush. Null if NumPy must convert the list.
PyObject* from_arrays(PyObject* sequence, const DType* wanted, char order) {
    // A flush lets other threads change the list.
    const Ref rows = own(PySequence_Tuple(sequence));
    const std::span<PyObject* const> items = items_of(rows.get());
    if (!is_array(items[0]) || as_array(items[0])->view.ndim() == kMaxDims) return nullptr;
    const View& first = as_array(items[0])->view;
    DType dtype = first.dtype;
    for (PyObject* item : items) {
        if (!is_array(item) || as_array(item)->view.shape != first.shape) return nullptr;
        // NumPy raises an error for scalars that do not fit an integer dtype.
        const bool number = wanted && is_integer(*wanted) && Py_TYPE(item) == scalar_type;
        if (number && !can_cast(as_array(item)->view.dtype, *wanted, Casting::Safe)) return nullptr;
        const OperandType types[] = {{dtype}, {as_array(item)->view.dtype}};
        dtype = result_type(types);
    }
    if (wanted && !can_cast(dtype, *wanted, Casting::SameKind)) return nullptr;
    if (wanted) dtype = *wanted;
    Dims shape = first.shape;
    shape.insert(0, static_cast<std::int64_t>(items.size()));
    check_extents(shape, itemsize(dtype));
    const View result = order == 'F' ? fortran_view(dtype, shape) : fresh_view(dtype, shape);
    View row = result;
    row.shape.erase(0);
    row.strides.erase(0);
    for (PyObject* item : items) {
        if (first.size() > 0) record_copy(row, as_array(item)->view, nullptr);
        row.offset += result.strides[0];
    }
    return new_array(View(result));
}

// The chain of lists being searched, as a list may contain itself.
struct Level {
    PyObject* list;
    const Level* outer;

    bool ends_here() const {
        int depth = 0;
        for (const Level* l = outer; l; l = l->outer, ++depth) {
            if (l->list == list) return true;
        }
        return depth > kMaxDims;
    }
};

bool has_changing_element(const Level& level) {
    if (level.ends_here()) return false;
    const PyTypeObject* plain = nullptr;  // the elements are mostly of one type
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(level.list); ++k) {
        PyObject* item = PySequence_Fast_GET_ITEM(level.list, k);
        PyTypeObject* type = Py_TYPE(item);
        if (type == plain) continue;
        if (type == scalar_type) return true;
        if (is_plain_list(item)) {
            if (has_changing_element({item, &level})) return true;
        } else if (may_need_stand_in(type)) {
            // The test may run code that removes the item from the list.
            if (needs_stand_in(borrow(item).get())) return true;
        } else {
            plain = type;
        }
    }
    return false;
}

Ref with_numpys_elements(const Level& level) {
    if (!has_changing_element(level)) return borrow(level.list);
    // Reading a scalar lets other threads change the list.
    Ref changed = own(PySequence_List(level.list));
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(changed.get()); ++k) {
        PyObject* item = PyList_GET_ITEM(changed.get(), k);
        Ref element = Py_TYPE(item) == scalar_type ? scalar_value(item)
                      : is_plain_list(item)        ? with_numpys_elements({item, &level})
                      : needs_stand_in(item)       ? stand_in_for(item)
                                                   : borrow(item);
        check(PyList_SetItem(changed.get(), k, element.release()));
    }
    return PyTuple_Check(level.list) ? own(PyList_AsTuple(changed.get())) : changed;
}

}  // namespace

Ref with_numpys_elements(PyObject* object) {
    return is_plain_list(object) ? with_numpys_elements(Level{object, nullptr}) : borrow(object);
}

PyObject* array_of_list(PyObject* sequence, const DType* dtype, char order) {
    const std::span<PyObject* const> items = items_of(sequence);
    if (items.empty()) return nullptr;
    return is_array(items[0]) ? from_arrays(sequence, dtype, order)
                              : from_numbers(sequence, dtype, order);
}

}  // namespace hassium
