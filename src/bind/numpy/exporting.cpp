// The boundary to other packages' compiled code and to their class tests.
//
// C functions that take arrays test for NumPy's type and read NumPy's struct, so they refuse our
// arrays. An `exporting` replaces such a function in its module or class: it calls the function
// with NumPy's views of our arrays and behaves like it in every other respect. Python code tests
// with isinstance and then uses the protocols that our arrays have, so only the test is replaced
// there.
#include <algorithm>
#include <cstddef>
#include <cstring>

#include "bind/array/array_call.hpp"
#include "bind/array/array_methods.hpp"
#include "record/thresholds.hpp"

#include <structmember.h>

namespace hassium {
namespace {

struct Exporting {
    PyObject_HEAD vectorcallfunc call;
    PyObject* function;
    PyObject* weakrefs;
};

Exporting* as_exporting(PyObject* o) { return reinterpret_cast<Exporting*>(o); }

// The types for functions of modules, and for functions that bind as methods of a class.
PyTypeObject* function_type = nullptr;
PyTypeObject* method_type = nullptr;

bool is_exporting(PyObject* o) { return Py_TYPE(o) == function_type || Py_TYPE(o) == method_type; }

// hassium.random's Generator and RandomState.
PyObject* generator_types[2] = {};

bool holds_array(PyObject* container) {
    constexpr Py_ssize_t kElementsSearched = threshold(Threshold::searched_elements);
    if (PyDict_CheckExact(container)) {
        PyObject *key, *value;
        Py_ssize_t at = 0;
        for (Py_ssize_t k = 0; k < kElementsSearched; ++k) {
            if (!PyDict_Next(container, &at, &key, &value)) return false;
            if (is_array(value)) return true;
        }
        return false;
    }
    if (!PyList_CheckExact(container) && !PyTuple_CheckExact(container)) return false;
    const Py_ssize_t count = std::min(PySequence_Fast_GET_SIZE(container), kElementsSearched);
    for (Py_ssize_t k = 0; k < count; ++k) {
        if (is_array(PySequence_Fast_GET_ITEM(container, k))) return true;
    }
    return false;
}

PyObject* call_exporting(PyObject* self, PyObject* const* args, std::size_t flags,
                         PyObject* names) {
    PyObject* function = as_exporting(self)->function;
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    const Py_ssize_t all = count + (names ? PyTuple_GET_SIZE(names) : 0);
    for (Py_ssize_t k = 0; k < all; ++k) {
        if (is_array(args[k]) || is_generator(args[k]) || holds_array(args[k])) {
            return on_exports(function, args, count, names);
        }
    }
    return PyObject_Vectorcall(function, args, flags, names);
}

// Returns whether it is an object of f2py. That of a Fortran module has the routines as attributes.
bool is_fortran(PyObject* o) { return std::strcmp(Py_TYPE(o)->tp_name, "fortran") == 0; }

PyObject* wrapped(PyObject* function, PyTypeObject* type) {
    PyObject* self = type->tp_alloc(type, 0);
    if (!self) return nullptr;
    as_exporting(self)->call = guard<call_exporting>;
    as_exporting(self)->function = Py_NewRef(function);
    return self;
}

// exporting(function, method=False)
PyObject* exporting_new(PyTypeObject*, PyObject* args, PyObject*) {
    PyObject* function;
    int method = 0;
    if (!PyArg_ParseTuple(args, "O|p:exporting", &function, &method)) return nullptr;
    if (is_exporting(function)) return Py_NewRef(function);
    return wrapped(function, method ? method_type : function_type);
}

PyObject* exporting_getattro(PyObject* self, PyObject* name) {
    PyObject* function = as_exporting(self)->function;
    if (PyUnicode_CompareWithASCIIString(name, "__wrapped__") == 0) return Py_NewRef(function);
    Ref value(PyObject_GetAttr(function, name));
    return value && is_fortran(value.get()) ? wrapped(value.get(), function_type) : value.release();
}

int exporting_setattro(PyObject* self, PyObject* name, PyObject* value) {
    PyObject* function = as_exporting(self)->function;
    if (!value || !is_array(value)) return PyObject_SetAttr(function, name, value);
    return PyObject_SetAttr(function, name, export_to_numpy(as_array(value)).get());
}

// Cython's fused functions return a specialization by subscript.
PyObject* exporting_subscript(PyObject* self, PyObject* key) {
    const Ref found(PyObject_GetItem(as_exporting(self)->function, key));
    return found ? wrapped(found.get(), Py_TYPE(self)) : nullptr;
}

PyObject* exporting_get(PyObject* self, PyObject* instance, PyObject*) {
    return instance ? PyMethod_New(self, instance) : Py_NewRef(self);
}

PyObject* exporting_repr(PyObject* self) { return PyObject_Repr(as_exporting(self)->function); }

// Equal to the function: a registry that has one of the two finds the other.
PyObject* exporting_richcompare(PyObject* self, PyObject* other, int operation) {
    if (is_exporting(other)) other = as_exporting(other)->function;
    return PyObject_RichCompare(as_exporting(self)->function, other, operation);
}

Py_hash_t exporting_hash(PyObject* self) { return PyObject_Hash(as_exporting(self)->function); }

int exporting_traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_exporting(self)->function);
    return 0;
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Exporting, call), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Exporting, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyTypeObject* make_exporting(const char* name, bool method) {
    PyType_Slot slots[] = {{Py_tp_new, slot(exporting_new)},
                           {Py_tp_traverse, slot(exporting_traverse)},
                           {Py_tp_dealloc, slot(deallocate<Exporting, &Exporting::function>)},
                           {Py_tp_call, slot(PyVectorcall_Call)},
                           {Py_tp_getattro, slot(exporting_getattro)},
                           {Py_tp_setattro, slot(guard<exporting_setattro>)},
                           {Py_mp_subscript, slot(exporting_subscript)},
                           {Py_tp_repr, slot(exporting_repr)},
                           {Py_tp_richcompare, slot(exporting_richcompare)},
                           {Py_tp_hash, slot(exporting_hash)},
                           {Py_tp_members, members},
                           {method ? Py_tp_descr_get : 0, slot(exporting_get)},
                           {0, nullptr}};
    const unsigned long binds = method ? Py_TPFLAGS_METHOD_DESCRIPTOR : 0UL;
    return make_type<Exporting>(name,
                                Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
                                    Py_TPFLAGS_HAVE_VECTORCALL | binds,
                                slots);
}

// ---- class tests ----

PyObject* numpys_array() {
    return made_once([] {
        npy_intp none = 0;
        return PyArray_SimpleNew(1, &none, NPY_DOUBLE);
    });
}

bool is_pair(const char* name, Py_ssize_t count) {
    if (count == 2) return true;
    PyErr_Format(PyExc_TypeError, "%s expected 2 arguments, got %zd", name, count);
    return false;
}

// isinstance(value, classes), with our arrays taken as NumPy's.
PyObject* is_instance(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (!is_pair("isinstance", count)) return nullptr;
    PyObject* value = Py_TYPE(args[0]) == array_type ? numpys_array() : args[0];
    const int answer = value ? PyObject_IsInstance(value, args[1]) : -1;
    return answer < 0 ? nullptr : PyBool_FromLong(answer);
}

// issubclass(type, classes), with our array type taken as NumPy's.
PyObject* is_subclass(PyObject*, PyObject* const* args, Py_ssize_t count) {
    if (!is_pair("issubclass", count)) return nullptr;
    PyObject* type = args[0] == reinterpret_cast<PyObject*>(array_type)
                         ? reinterpret_cast<PyObject*>(&PyArray_Type)
                         : args[0];
    const int answer = PyObject_IsSubclass(type, args[1]);
    return answer < 0 ? nullptr : PyBool_FromLong(answer);
}

// register_generators(Generator, RandomState)
PyObject* register_generators(PyObject*, PyObject* args) {
    PyObject *generator, *state;
    if (!PyArg_ParseTuple(args, "O!O!:register_generators", &PyType_Type, &generator, &PyType_Type,
                          &state)) {
        return nullptr;
    }
    Py_XSETREF(generator_types[0], Py_NewRef(generator));
    Py_XSETREF(generator_types[1], Py_NewRef(state));
    Py_RETURN_NONE;
}

// put_in_class(type, name, value): sets an attribute, also of an immutable class.
PyObject* put_in_class(PyObject*, PyObject* args) {
    PyObject *type, *name, *value;
    if (!PyArg_ParseTuple(args, "O!UO:put_in_class", &PyType_Type, &type, &name, &value)) {
        return nullptr;
    }
    auto* kind = reinterpret_cast<PyTypeObject*>(type);
    if (!kind->tp_dict) Py_RETURN_NONE;  // since Python 3.12: of a type of Python's own
    if (PyDict_SetItem(kind->tp_dict, name, value) < 0) return nullptr;
    PyType_Modified(kind);
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {method<is_instance>("isinstance", METH_FASTCALL),
                           method<is_subclass>("issubclass", METH_FASTCALL),
                           {"register_generators", register_generators, METH_VARARGS, nullptr},
                           {"put_in_class", put_in_class, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool is_generator(PyObject* object) {
    PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(object));
    return type == generator_types[0] || type == generator_types[1];
}

bool init_exporting(PyObject* module) {
    function_type = make_exporting("hassium.exporting", false);
    method_type = make_exporting("hassium.exporting_method", true);
    return function_type && method_type &&
           PyModule_AddObjectRef(module, "exporting", reinterpret_cast<PyObject*>(function_type)) ==
               0 &&
           PyModule_AddFunctions(module, functions) == 0;
}

}  // namespace hassium
