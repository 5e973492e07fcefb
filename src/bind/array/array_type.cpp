// The array and scalar types: objects, their free list, their slots.
#include <Python.h>
#include <structmember.h>

#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

#include "bind/array/array_parts.hpp"
#include "bind/array/live_views.hpp"
#include "bind/module/value_uses.hpp"

namespace hassium {

PyTypeObject* array_type = nullptr;
PyTypeObject* scalar_type = nullptr;

namespace {

// Free list, as every operation creates and drops arrays. Guarded by the GIL.
constexpr int kSpareObjects = 512;
void* spare_objects[kSpareObjects];
int spare_count = 0;

static_assert(std::is_standard_layout_v<ArrayObject>);

ArrayObject* allocate(PyTypeObject* type, View&& view) {
    void* memory =
        spare_count ? spare_objects[--spare_count] : PyObject_Malloc(sizeof(ArrayObject));
    if (!memory) {
        PyErr_NoMemory();
        return nullptr;
    }
    auto* array = static_cast<ArrayObject*>(memory);
    PyObject_Init(reinterpret_cast<PyObject*>(array), type);
    new (&array->view) View(std::move(view));
    link(array);
    array->weakrefs = array->exported = array->copied_from = nullptr;
    array->warns = Warns::No;
    array->align_cleared = false;
    return array;
}

void array_dealloc(PyObject* self) {
    ArrayObject* array = self_of(self);
    if (array->weakrefs) PyObject_ClearWeakRefs(self);
    if (lasting_exports) end_lasting_export(self);
    if (array->copied_from) forget_copy(array);
    PyTypeObject* type = Py_TYPE(self);
    PyObject* parent = array->parent;
    unlink(array);
    array->view.~View();
    if (spare_count < kSpareObjects) {
        spare_objects[spare_count++] = self;
    } else {
        PyObject_Free(self);
    }
    Py_XDECREF(parent);
    Py_DECREF(type);
}

Py_ssize_t array_length(PyObject* self) {
    const View& view = self_of(self)->view;
    if (view.ndim() == 0) {
        if (self_of(self)->is_scalar) {
            PyErr_Format(PyExc_TypeError, "object of type '%s' has no len()",
                         scalar_type_name(view.dtype));
        } else {
            PyErr_SetString(PyExc_TypeError, "len() of unsized object");
        }
        return -1;
    }
    return view.shape[0];
}

PyObject* array_subscript(PyObject* self, PyObject* key) { return index_read(self_of(self), key); }

void array_assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
    if (!value) fail(ErrorKind::Value, "cannot delete array elements");
    index_write(self_of(self), key, value);
}

// Returns whether `position`, to which Python has added the length if negative, is within bounds;
// else sets IndexError. Every loop over an array ends this way, so it avoids a C++ exception.
bool is_position(const View& view, Py_ssize_t position) {
    if (view.ndim() == 0 || (position >= 0 && position < view.shape[0])) return true;
    PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis 0 with size %lld", position,
                 static_cast<long long>(view.shape[0]));
    return false;
}

PyObject* array_item(PyObject* self, Py_ssize_t position) {
    if (!is_position(self_of(self)->view, position)) return nullptr;
    return index_item(self_of(self), position);
}

void array_assign_item(PyObject* self, Py_ssize_t position, PyObject* value) {
    if (!is_position(self_of(self)->view, position)) throw PythonError();
    if (!value) fail(ErrorKind::Value, "cannot delete array elements");
    Ref key = own(PyLong_FromSsize_t(position));
    index_write(self_of(self), key.get(), value);
}

// Without this slot operator.concat would add the arrays.
PyObject* array_concat(PyObject*, PyObject*) {
    PyErr_SetString(PyExc_TypeError,
                    "Concatenation operation is not implemented for NumPy arrays, use "
                    "np.concatenate() instead. Please do not rely on this error; it may not be "
                    "given on all Python implementations.");
    return nullptr;
}

Py_hash_t scalar_hash(PyObject* self) { return PyObject_Hash(scalar_value(self).get()); }

// ndarray(shape, dtype, buffer, offset, strides, order): NumPy checks the arguments and the buffer.
PyObject* array_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
    auto* numpys = reinterpret_cast<PyObject*>(&PyArray_Type);
    Ref array = own(PyObject_Call(numpys, args, kwargs));
    DType dtype;
    if (!native_dtype(array.ndarray(), dtype)) {
        return array.release();
    }
    if (PyArray_BASE(array.ndarray())) return view_of_numpy(array.ndarray(), true).release();
    return adopt_numpy(std::move(array)).release();
}

// `type(x)(value)`, as in statistics.mean, converts a value: returns NumPy's scalar.
PyObject* scalar_new(PyTypeObject*, PyObject* args, PyObject* keywords) {
    PyObject* value = nullptr;
    if (keywords || !PyArg_ParseTuple(args, "O:scalar", &value)) {
        fail(ErrorKind::Type, "hassium.scalar is what operations return; use array()");
    }
    if (Py_TYPE(value) == scalar_type) return scalar_value(value).release();
    Ref array = own(PyArray_FromAny(value, nullptr, 0, 0, 0, nullptr));
    if (PyArray_DESCR(array.ndarray())->type_num == NPY_OBJECT) {  // such as fractions
        array = own(PyArray_Cast(array.ndarray(), NPY_DOUBLE));
    }
    return PyArray_Return(reinterpret_cast<PyArrayObject*>(array.release()));
}

PyMemberDef array_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ArrayObject, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyTypeObject* make_with_slots(const char* name, unsigned long flags,
                              std::vector<PyType_Slot> own_slots, const char* doc) {
    std::vector<PyType_Slot> slots = {
        {Py_tp_dealloc, slot(array_dealloc)},
        {Py_tp_members, array_members},
        {Py_tp_doc, const_cast<char*>(doc)},
        {Py_tp_repr, slot(guard<array_repr>)},
        {Py_tp_str, slot(guard<array_str>)},
        {Py_tp_richcompare, slot(array_richcompare)},
        {Py_mp_subscript, slot(guard<array_subscript>)},
        {Py_bf_getbuffer, slot(array_get_buffer)},
        {Py_bf_releasebuffer, slot(array_release_buffer)},
    };
    slots.insert(slots.end(), own_slots.begin(), own_slots.end());
    std::size_t count = 0;
    const PyType_Slot* numbers = number_slots(count);
    slots.insert(slots.end(), numbers, numbers + count);
    slots.push_back({0, nullptr});
    return make_type<ArrayObject>(name, flags | Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                                  slots.data());
}

// A `match` statement takes an array for a sequence where it does NumPy's.
PyTypeObject* make_array_type() {
    return make_with_slots(
        "hassium.ndarray", PyArray_Type.tp_flags & Py_TPFLAGS_SEQUENCE,
        {
            {Py_tp_new, slot(guard<array_new>)},
            {Py_tp_iter, slot(array_iter)},
            {Py_mp_length, slot(array_length)},
            {Py_tp_hash, slot(PyObject_HashNotImplemented)},
            {Py_tp_getset, array_getset},
            {Py_tp_methods, array_methods},
            {Py_mp_ass_subscript, slot(guard<array_assign_subscript>)},
            {Py_sq_length, slot(array_length)},
            {Py_sq_concat, slot(array_concat)},
            {Py_sq_inplace_concat, slot(array_concat)},
            {Py_sq_item, slot(guard<array_item>)},
            {Py_sq_ass_item, slot(guard<array_assign_item>)},
            {Py_sq_contains, slot(guard<array_contains>)},
        },
        "A multidimensional array that records operations and runs them when read.\n\n"
        "isinstance() accepts NumPy's arrays too; a class derived from this one\n"
        "derives from numpy.ndarray.");
}

PyTypeObject* make_scalar_type() {
    return make_with_slots("hassium.scalar", 0,
                           {
                               {Py_tp_new, slot(guard<scalar_new>)},
                               {Py_tp_hash, slot(guard<scalar_hash>)},
                               {Py_tp_getattro, slot(guard<scalar_getattro>)},
                               {Py_tp_getset, scalar_attributes()},
                               {Py_tp_methods, scalar_methods()},
                           },
                           "A number that is computed when it is read; NumPy's scalar otherwise.");
}

}  // namespace

PyObject* new_array(View&& view, PyObject* parent, bool writeable) {
    ArrayObject* array = allocate(array_type, std::move(view));
    if (!array) return nullptr;
    array->parent = Py_XNewRef(parent);
    array->writeable = writeable;
    array->is_scalar = false;
    return reinterpret_cast<PyObject*>(array);
}

PyObject* new_scalar(View&& view) {
    ArrayObject* scalar = allocate(scalar_type, std::move(view));
    if (!scalar) return nullptr;
    scalar->parent = nullptr;
    scalar->writeable = false;
    scalar->is_scalar = true;
    return reinterpret_cast<PyObject*>(scalar);
}

PyObject* wrap_result(View&& view, bool scalar_if_0d, const CallArguments& arguments) {
    if (scalar_if_0d && view.ndim() == 0) {
        if (!view.base->readable()) release_stack_temporary(arguments);
        if (view.base->readable() || !may_stay_pending(arguments)) {
            return element_at(data_to_read(view), view.dtype);
        }
        return new_scalar(std::move(view));
    }
    return new_array(std::move(view));
}

bool init_array(PyObject* module) {
    if (!init_convert() || !init_flags() || !init_flat() || !init_export()) return false;
    if (!init_foreign(module)) return false;
    const Ref numpy{PyImport_ImportModule("numpy")};
    if (!numpy) return false;
    document(array_methods, reinterpret_cast<PyObject*>(&PyArray_Type));
    document(module_functions, numpy.get());
    array_type = make_array_type();
    scalar_type = make_scalar_type();
    if (!array_type || !scalar_type) return false;
    replace_numpy_slots();
    if (!teach_numpy_views()) return false;
    return PyModule_AddObjectRef(module, "ndarray", reinterpret_cast<PyObject*>(array_type)) == 0 &&
           PyModule_AddObjectRef(module, "scalar", reinterpret_cast<PyObject*>(scalar_type)) == 0 &&
           PyModule_AddFunctions(module, module_functions) == 0 &&
           PyModule_AddFunctions(module, draw_functions) == 0;
}

}  // namespace hassium
