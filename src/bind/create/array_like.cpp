// Arrays from other objects by NumPy's rules.
//
// NumPy refuses our array as the result of an object's `__array__`. So it gets a stand-in for such
// an object, whose `__array__` calls the object's once with NumPy's arguments and exports the
// result.
#include "bind/array/array_methods.hpp"

namespace hassium {
namespace {

struct StandIn {
    PyObject_HEAD PyObject* object;
    PyObject* given;     // our array that `__array__` returned, or null
    PyObject* exported;  // NumPy's array on its memory
};

PyTypeObject* stand_in_type = nullptr;

StandIn* as_stand_in(PyObject* o) { return reinterpret_cast<StandIn*>(o); }

PyObject* stand_in_array(PyObject* self, PyObject* const* args, Py_ssize_t count, PyObject* names) {
    StandIn& stand_in = *as_stand_in(self);
    const Ref method = own(PyObject_GetAttrString(stand_in.object, "__array__"));
    Ref made = own(PyObject_Vectorcall(method.get(), args, static_cast<std::size_t>(count), names));
    if (!is_array(made.get())) return made.release();
    PyObject* exported = export_to_numpy(as_array(made.get())).release();
    Py_XSETREF(stand_in.given, made.release());
    Py_XSETREF(stand_in.exported, exported);
    return Py_NewRef(exported);
}

// Forwards a conversion to the object: as an element of a list it may become a number or a text.
template <class Result, Result (*function)(PyObject*)>
Result of_object(PyObject* self) {
    return function(as_stand_in(self)->object);
}

PyMethodDef stand_in_methods[] = {method<stand_in_array>("__array__"),
                                  {nullptr, nullptr, 0, nullptr}};
constexpr auto stand_in_dealloc =
    deallocate<StandIn, &StandIn::object, &StandIn::given, &StandIn::exported>;
PyType_Slot stand_in_slots[] = {{Py_tp_dealloc, slot(stand_in_dealloc)},
                                {Py_nb_float, slot(of_object<PyObject*, PyNumber_Float>)},
                                {Py_nb_int, slot(of_object<PyObject*, PyNumber_Long>)},
                                {Py_nb_bool, slot(of_object<int, PyObject_IsTrue>)},
                                {Py_tp_str, slot(of_object<PyObject*, PyObject_Str>)},
                                {Py_tp_repr, slot(of_object<PyObject*, PyObject_Repr>)},
                                {Py_tp_methods, stand_in_methods},
                                {0, nullptr}};

// Replaces stand-ins among the elements of an object array by their objects.
void put_objects_back(PyArrayObject* array) {
    if (PyArray_TYPE(array) != NPY_OBJECT) return;
    auto** elements = static_cast<PyObject**>(PyArray_DATA(array));
    if (!PyArray_ISONESEGMENT(array)) return;  // converted from an array, not from a list
    for (npy_intp k = 0; k < PyArray_SIZE(array); ++k) {
        if (!elements[k] || Py_TYPE(elements[k]) != stand_in_type) continue;
        Py_SETREF(elements[k], Py_NewRef(as_stand_in(elements[k])->object));
    }
}

}  // namespace

bool may_need_stand_in(PyTypeObject* type) {
    static PyObject* const method = PyUnicode_InternFromString("__array__");
    if (type == &PyLong_Type || type == &PyFloat_Type || type == array_type) return false;
    return _PyType_Lookup(type, method) && type != scalar_type &&
           !PyType_IsSubtype(type, &PyArray_Type) && !PyType_IsSubtype(type, &PyType_Type) &&
           !PyType_IsSubtype(type, &PyGenericArrType_Type);
}

bool needs_stand_in(PyObject* object) {
    // NumPy tries these protocols before `__array__`.
    return may_need_stand_in(Py_TYPE(object)) && !PyObject_CheckBuffer(object) &&
           !PyObject_HasAttrString(object, "__array_struct__") &&
           !PyObject_HasAttrString(object, "__array_interface__");
}

Ref stand_in_for(PyObject* object) {
    if (!stand_in_type) {
        stand_in_type = make_type<StandIn>("hassium._core._StandIn", kFinalType, stand_in_slots);
        if (!stand_in_type) throw PythonError();
    }
    Ref made = own(stand_in_type->tp_alloc(stand_in_type, 0));
    as_stand_in(made.get())->object = Py_NewRef(object);
    return made;
}

Ref array_from_any(PyObject* object, PyArray_Descr* descr, int most_axes, int flags) {
    const bool alone = needs_stand_in(object);
    const Ref source = alone ? stand_in_for(object) : with_numpys_elements(object);
    Ref made(PyArray_FromAny(source.get(), descr, 0, most_axes, flags, nullptr));
    if (!made || source.get() == object) return made;
    if (alone) {
        const StandIn& stand_in = *as_stand_in(source.get());
        if (stand_in.given && made.get() == stand_in.exported) return borrow(stand_in.given);
    }
    put_objects_back(made.ndarray());
    return made;
}

Ref numpy_from_any(PyObject* object, PyArray_Descr* descr, int most_axes, int flags) {
    Ref made = own(array_from_any(object, descr, most_axes, flags).release());
    return is_array(made.get()) ? export_to_numpy(as_array(made.get())) : made;
}

}  // namespace hassium
