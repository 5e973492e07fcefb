// The functions of the public namespace: each checks its arguments and calls a native function.
//
// NumPy's functions let subclasses of its arrays and foreign objects define the result by
// `__array_function__`, `__array_wrap__` or a method of the function's name; native functions only
// read the data. So the call goes to NumPy's function, counted as a fallback, if an argument is no
// array, number or other plain value, or an element of a list or tuple has one of the protocols. A
// native function may also return NotImplemented to pass the call to NumPy. No Python frame is in
// between, so NumPy's warnings name the program's line. A call with a keyword that only one of the
// two functions has, or with fewer arguments than NumPy's requires, goes to NumPy's: its version
// has the parameter, or refuses the call.
//
// C code calls a native function in Python more slowly than Python does, so functions that are a
// method of the array in C call that method directly.
#include <algorithm>
#include <cstddef>
#include <iterator>

#include "bind/array/array_call.hpp"
#include "bind/ufunc/ufunc.hpp"

#include <structmember.h>

namespace hassium {
namespace {

struct Dispatcher {
    PyObject_HEAD vectorcallfunc call;
    PyObject* native;
    vectorcallfunc native_call;   // null if NumPy's function takes every call
    PyObject* keywords;           // names that a call may give, or null: any
    Py_ssize_t required;          // parameters of NumPy's function without a default, if known
    PyObject* numpys;             // NumPy's function
    PyObject* label;              // the name to count fallbacks under, or None
    const char* name;             // the text of the label, or null
    PyObject* method;             // the method of the array, or null
    Py_ssize_t least_for_method;  // positional arguments that the function requires
    Py_ssize_t most_for_method;   // positional arguments of the same meaning to it
    bool by_position;             // the method's keywords differ: it takes calls without any
    PyObject* in_c;               // tried first if there are no keywords, or null
    PyObject* dict;
    PyObject* weakrefs;
};

PyTypeObject* dispatcher_type = nullptr;

Dispatcher* as_dispatcher(PyObject* o) { return reinterpret_cast<Dispatcher*>(o); }

// --- calls that NumPy must take

// Returns whether it is one of the frequent argument types, which native functions treat as NumPy
// does.
bool is_common(const PyTypeObject* type) {
    return type == array_type || type == &PyLong_Type || type == Py_TYPE(Py_None) ||
           type == &PyFloat_Type || type == scalar_type || type == &PyArray_Type ||
           type == &PyBool_Type || type == &PyUnicode_Type || type == &PyComplex_Type;
}

// Returns whether the object is a plain value. NumPy's scalars and types are, though they may have
// the protocols.
bool is_value(PyObject* object) {
    PyObject* no_value = made_once([] { return Py_NewRef(numpy_attribute("_NoValue")); });
    return is_common(Py_TYPE(object)) || object == no_value ||
           PyObject_TypeCheck(object, &PyGenericArrType_Type) || PyType_Check(object) ||
           PyArray_DescrCheck(object) || PyLong_Check(object) || PyUnicode_Check(object) ||
           PyRange_Check(object) || PySlice_Check(object) || PyFunction_Check(object) ||
           PyCFunction_Check(object) || PyMethod_Check(object);
}

bool has_protocol(PyObject* object) {
    static PyObject* const names[] = {PyUnicode_InternFromString("__array_function__"),
                                      PyUnicode_InternFromString("__array_ufunc__"),
                                      PyUnicode_InternFromString("__array_wrap__")};
    return std::any_of(std::begin(names), std::end(names), [&](PyObject* name) {
        return _PyType_Lookup(Py_TYPE(object), name) != nullptr;
    });
}

bool element_has_protocol(PyObject* sequence) {
    const PyTypeObject* last = nullptr;  // the elements are mostly of one type
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(sequence); ++k) {
        PyObject* element = PySequence_Fast_GET_ITEM(sequence, k);
        if (Py_TYPE(element) == last) continue;
        last = Py_TYPE(element);
        if (!is_value(element) && has_protocol(element)) return true;
    }
    return false;
}

// Returns the names of the public methods of NumPy's arrays, which its functions call on other
// objects.
PyObject* find_methods_of_arrays() {
    auto* type = reinterpret_cast<PyObject*>(&PyArray_Type);
    const Ref dict = own(PyObject_GetAttrString(type, "__dict__"));
    const Ref names = own(PyMapping_Keys(dict.get())), found = own(PyList_New(0));
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(names.get()); ++k) {
        PyObject* name = PyList_GET_ITEM(names.get(), k);
        PyObject* member = _PyType_Lookup(&PyArray_Type, name);
        const bool method = member && Py_IS_TYPE(member, &PyMethodDescr_Type);
        if (!method || PyUnicode_READ_CHAR(name, 0) == '_') continue;
        check(PyList_Append(found.get(), name));
    }
    return PyList_AsTuple(found.get());
}

// Returns whether the object has `__array__` and nothing else that NumPy would call: it is data,
// like a list.
bool is_data(PyObject* object) {
    PyTypeObject* type = Py_TYPE(object);
    if (type->tp_getattro != PyObject_GenericGetAttr || !needs_stand_in(object)) return false;
    if (has_protocol(object)) return false;
    PyObject* names = made_once([] { return find_methods_of_arrays(); });
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); ++k) {
        if (_PyType_Lookup(type, PyTuple_GET_ITEM(names, k))) return false;
    }
    return true;
}

// Returns whether NumPy must take a call with this argument. A class derived from list counts as a
// foreign object, as NumPy may call its methods; one derived from tuple is a named tuple.
bool is_numpys(PyObject* object) {
    if (PyTuple_Check(object) || PyList_CheckExact(object)) return element_has_protocol(object);
    return !is_value(object) && !is_data(object);
}

// --- parameters

// Returns the parameters of a Python function that a call may give by name; null if it takes any.
Ref parameter_names(PyObject* function) {
    auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GetCode(function));
    if (code->co_flags & CO_VARKEYWORDS) return {};
    const Ref names = own(PyCode_GetVarnames(code));
    return own(PyTuple_GetSlice(names.get(), code->co_posonlyargcount,
                                code->co_argcount + code->co_kwonlyargcount));
}

bool holds_name(PyObject* names, PyObject* name) {
    const auto at = [&](Py_ssize_t k) { return PyTuple_GET_ITEM(names, k); };
    const Py_ssize_t count = PyTuple_GET_SIZE(names);
    for (Py_ssize_t k = 0; k < count; ++k) {
        if (at(k) == name) return true;  // nearly all names are interned
    }
    for (Py_ssize_t k = 0; k < count; ++k) {
        if (PyUnicode_Compare(at(k), name) == 0) return true;
    }
    return false;
}

// Returns the Python function that NumPy's function is or calls with its arguments, or null.
Ref written_in_python(PyObject* numpys) {
    Ref written(PyObject_GetAttrString(numpys, "_implementation"));
    if (!written) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw PythonError();
        PyErr_Clear();
        written = borrow(numpys);
    }
    return PyFunction_Check(written.get()) ? written : Ref();
}

// Returns the parameters of the native function that this version of NumPy's function has as well,
// as far as they are known; null if a call may give any name.
Ref shared_keywords(PyObject* native, const Ref& written) {
    if (!PyFunction_Check(native)) return {};
    Ref own_names = parameter_names(native);
    if (!own_names || !written) return own_names;
    const Ref numpys_names = parameter_names(written.get());
    if (!numpys_names) return own_names;
    const Ref shared = own(PyList_New(0));
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(own_names.get()); ++k) {
        PyObject* name = PyTuple_GET_ITEM(own_names.get(), k);
        if (holds_name(numpys_names.get(), name)) check(PyList_Append(shared.get(), name));
    }
    return own(PyList_AsTuple(shared.get()));
}

// Returns the number of positional parameters of a Python function without a default.
Py_ssize_t required_arguments(PyObject* function) {
    const auto* code = reinterpret_cast<PyCodeObject*>(PyFunction_GetCode(function));
    PyObject* defaults = PyFunction_GetDefaults(function);
    return code->co_argcount - (defaults ? PyTuple_GET_SIZE(defaults) : 0);
}

bool has_other_keyword(const Dispatcher& dispatcher, PyObject* names) {
    if (!names || !dispatcher.keywords) return false;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); ++k) {
        if (!holds_name(dispatcher.keywords, PyTuple_GET_ITEM(names, k))) return true;
    }
    return false;
}

// --- the call

PyObject* dispatch(PyObject* self, PyObject* const* args, std::size_t flags, PyObject* names) {
    const Dispatcher& dispatcher = *as_dispatcher(self);
    const Py_ssize_t count = PyVectorcall_NARGS(flags);
    const Py_ssize_t all = count + (names ? PyTuple_GET_SIZE(names) : 0);
    bool numpys = !dispatcher.native_call || all < dispatcher.required ||
                  has_other_keyword(dispatcher, names);
    for (Py_ssize_t k = 0; k < all && !numpys; ++k) {
        numpys = !is_common(Py_TYPE(args[k])) && is_numpys(args[k]);
    }
    const auto by_numpys = [&] {
        return by_numpy(dispatcher.numpys, dispatcher.name, args, count, names);
    };
    if (numpys) return by_numpys();
    if (dispatcher.in_c && !names) {
        PyObject* found = PyObject_Vectorcall(dispatcher.in_c, args, flags, nullptr);
        if (found != Py_NotImplemented) return found;
        Py_DECREF(found);
    }
    const bool by_method = count >= dispatcher.least_for_method &&
                           count <= dispatcher.most_for_method && Py_TYPE(args[0]) == array_type &&
                           !(names && dispatcher.by_position);
    if (by_method) return PyObject_Vectorcall(dispatcher.method, args, flags, names);
    PyObject* found = dispatcher.native_call(dispatcher.native, args, flags, names);
    if (found != Py_NotImplemented) return found;
    Py_DECREF(found);
    return by_numpys();
}

// --- the type

// dispatcher(native, numpys, label, most_for_method=0, in_c=None, by_position=False). If `native`
// is None, it calls NumPy's function with no Python frame in between, so that warnings name the
// program.
PyObject* dispatcher_new(PyTypeObject* type, PyObject* args, PyObject*) {
    PyObject *native, *numpys, *label, *in_c = Py_None;
    Py_ssize_t most_for_method = 0;
    int by_position = 0;
    if (!PyArg_ParseTuple(args, "OOO|nOp:dispatcher", &native, &numpys, &label, &most_for_method,
                          &in_c, &by_position)) {
        return nullptr;
    }
    const vectorcallfunc native_call = PyVectorcall_Function(native);
    if (!native_call && native != Py_None) {
        PyErr_SetString(PyExc_TypeError, "dispatcher() takes a function that is called by vector");
        return nullptr;
    }
    const char* text = label == Py_None ? nullptr : PyUnicode_AsUTF8(label);
    if (!text && label != Py_None) return nullptr;
    Ref method;
    if (most_for_method > 0) {
        Ref name(PyObject_GetAttrString(native, "__name__"));
        if (!name) return nullptr;
        // By type lookup: the attribute `ndarray.sum` takes NumPy's arrays as well.
        method = borrow(_PyType_Lookup(array_type, name.get()));
        if (!method.get()) {
            PyErr_SetObject(PyExc_AttributeError, name.get());
            return nullptr;
        }
    }
    const Ref written = written_in_python(numpys);
    Ref keywords = shared_keywords(native, written);
    PyObject* self = type->tp_alloc(type, 0);
    if (!self) return nullptr;
    Dispatcher& made = *as_dispatcher(self);
    made.call = guard<dispatch>;
    made.native = Py_NewRef(native);
    made.native_call = native_call;
    made.keywords = keywords.release();
    made.required = written ? required_arguments(written.get()) : 0;
    made.numpys = Py_NewRef(numpys);
    made.label = Py_NewRef(label);
    made.name = text;
    made.method = method.release();
    made.least_for_method =
        most_for_method > 0 ? std::max<Py_ssize_t>(1, required_arguments(native)) : 1;
    made.most_for_method = most_for_method;
    made.by_position = by_position != 0;
    made.in_c = in_c == Py_None ? nullptr : Py_NewRef(in_c);
    return self;
}

int dispatcher_traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_dispatcher(self)->native);
    Py_VISIT(as_dispatcher(self)->numpys);
    Py_VISIT(as_dispatcher(self)->dict);
    return 0;
}

// Keeps the functions, so that the object stays callable; they break their own cycles.
int dispatcher_clear(PyObject* self) {
    Py_CLEAR(as_dispatcher(self)->dict);
    return 0;
}

constexpr auto dispatcher_dealloc =
    deallocate<Dispatcher, &Dispatcher::dict, &Dispatcher::native, &Dispatcher::keywords,
               &Dispatcher::numpys, &Dispatcher::label, &Dispatcher::method, &Dispatcher::in_c>;

// Binds to an instance as Python functions do: the array type has dispatchers as methods.
PyObject* dispatcher_get(PyObject* self, PyObject* instance, PyObject*) {
    return instance ? PyMethod_New(self, instance) : Py_NewRef(self);
}

PyObject* dispatcher_repr(PyObject* self) {
    Ref name = own(PyObject_GetAttrString(self, "__qualname__"));
    return PyUnicode_FromFormat("<function %S at %p>", name.get(), self);
}

// Equal to NumPy's function, with the same hash: `__array_function__` receives NumPy's, and
// programs look it up in tables that they fill with ours.
PyObject* dispatcher_richcompare(PyObject* self, PyObject* other, int operation) {
    PyObject* its = Py_TYPE(other) == Py_TYPE(self) ? as_dispatcher(other)->numpys : other;
    if (its != as_dispatcher(self)->numpys || (operation != Py_EQ && operation != Py_NE)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return PyBool_FromLong(operation == Py_EQ);
}

Py_hash_t dispatcher_hash(PyObject* self) { return PyObject_Hash(as_dispatcher(self)->numpys); }

// Pickled by name, as functions are. A method of the array type is looked up without the metaclass,
// which gives programs a function for NumPy's arrays as well.
PyObject* dispatcher_reduce(PyObject* self, PyObject*) {
    Ref name = own(PyObject_GetAttrString(self, "__qualname__"));
    const Ref words = own(PyUnicode_Split(name.get(), own(PyUnicode_FromString(".")).get(), 1));
    if (PyList_GET_SIZE(words.get()) == 1) return name.release();
    const Ref inspect = own(PyImport_ImportModule("inspect"));
    const Ref find = own(PyObject_GetAttrString(inspect.get(), "getattr_static"));
    return Py_BuildValue("(O(OO))", find.get(), array_type, PyList_GET_ITEM(words.get(), 1));
}

PyMethodDef methods[] = {{"__reduce__", guard<dispatcher_reduce>, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Dispatcher, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(Dispatcher, dict), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Dispatcher, weakrefs), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyGetSetDef attributes[] = {
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};

}  // namespace

bool is_dispatcher(PyObject* object) { return Py_IS_TYPE(object, dispatcher_type); }

bool init_dispatcher(PyObject* module) {
    PyType_Slot slots[] = {{Py_tp_new, slot(guard<dispatcher_new>)},
                           {Py_tp_traverse, slot(dispatcher_traverse)},
                           {Py_tp_clear, slot(dispatcher_clear)},
                           {Py_tp_dealloc, slot(dispatcher_dealloc)},
                           {Py_tp_call, slot(PyVectorcall_Call)},
                           {Py_tp_descr_get, slot(dispatcher_get)},
                           {Py_tp_repr, slot(guard<dispatcher_repr>)},
                           {Py_tp_richcompare, slot(dispatcher_richcompare)},
                           {Py_tp_hash, slot(dispatcher_hash)},
                           {Py_tp_methods, methods},
                           {Py_tp_members, members},
                           {Py_tp_getset, attributes},
                           {0, nullptr}};
    constexpr unsigned long kFlags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC |
                                     Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_HAVE_VECTORCALL |
                                     Py_TPFLAGS_METHOD_DESCRIPTOR;
    dispatcher_type = make_type<Dispatcher>("hassium.dispatcher", kFlags, slots);
    return dispatcher_type && PyModule_AddType(module, dispatcher_type) == 0;
}

}  // namespace hassium
