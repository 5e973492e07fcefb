// The ufunc objects: created from the op table, called by vectorcall.
#include <cstddef>

#include "bind/array/array_call.hpp"
#include "bind/array/array_methods.hpp"
#include "bind/ufunc/ufunc_parts.hpp"

#include <structmember.h>

namespace hassium {

PyTypeObject* ufunc_type = nullptr;

namespace {

PyObject* objects[kOpCount] = {};

}  // namespace

PyObject* ufunc_object(Op op) { return objects[static_cast<int>(op)]; }

namespace {

void check_count(Op op, Py_ssize_t count) {
    const OpInfo& row = info(op);
    if (count >= row.nin && count <= row.nin + row.nout) return;
    fail(ErrorKind::Type, row.name, "() takes from ", row.nin, " to ", row.nin + row.nout,
         " positional arguments but ", count, (count == 1 ? " was" : " were"), " given");
}

PyObject* ufunc_call(PyObject* self, PyObject* const* args, std::size_t flagged, PyObject* names) {
    const Op op = as_ufunc(self)->op;
    const Py_ssize_t count = PyVectorcall_NARGS(flagged);
    const OpInfo& row = info(op);
    if (!names && count == row.nin && row.is_elementwise()) {
        return execute_plain(op, args, {args, count, nullptr});
    }
    check_count(op, count);
    const RawCall raw{args, count, names};
    return execute(op, args, parse_keywords(op, raw, row.nin), raw);
}

PyObject* ufunc_repr(PyObject* self) {
    return PyUnicode_FromFormat("<ufunc '%U'>", as_ufunc(self)->name);
}

// Equal to NumPy's ufunc, with the same hash: `__array_ufunc__` receives NumPy's, and programs look
// it up in tables that they fill with ours.
PyObject* ufunc_richcompare(PyObject* self, PyObject* other, int operation) {
    PyObject* its = Py_TYPE(other) == ufunc_type ? as_ufunc(other)->numpy : other;
    if (its != as_ufunc(self)->numpy || (operation != Py_EQ && operation != Py_NE)) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    return PyBool_FromLong(operation == Py_EQ);
}

Py_hash_t ufunc_hash(PyObject* self) { return PyObject_Hash(as_ufunc(self)->numpy); }

// Pickled by name, as a global of the package.
PyObject* ufunc_pickle(PyObject* self, PyObject*) { return Py_NewRef(as_ufunc(self)->name); }

PyObject* get_name(PyObject* self, void*) { return Py_NewRef(as_ufunc(self)->name); }
PyObject* get_nin(PyObject* self, void*) { return PyLong_FromLong(info(as_ufunc(self)->op).nin); }
PyObject* get_nout(PyObject* self, void*) { return PyLong_FromLong(info(as_ufunc(self)->op).nout); }
PyObject* get_nargs(PyObject* self, void*) {
    const OpInfo& row = info(as_ufunc(self)->op);
    return PyLong_FromLong(row.nin + row.nout);
}

// Attributes that the table does not have (types, ntypes, identity, signature, docstring) are
// NumPy's.
PyObject* get_of_numpy(PyObject* self, void* name) {
    return PyObject_GetAttrString(as_ufunc(self)->numpy, static_cast<const char*>(name));
}

char doc_name[] = "__doc__";
char types_name[] = "types";
char ntypes_name[] = "ntypes";
char identity_name[] = "identity";
char signature_name[] = "signature";
char text_signature_name[] = "__signature__";

// A program may set the docstring, and restore it by deletion.
PyObject* get_doc(PyObject* self, void*) {
    PyObject* dict = as_ufunc(self)->dict;
    PyObject* given = dict ? PyDict_GetItemString(dict, doc_name) : nullptr;
    if (given) return Py_NewRef(given);
    const Ref text = Ref{get_of_numpy(self, doc_name)};
    return text ? documented(text.get()) : nullptr;
}

void set_doc(PyObject* self, PyObject* text, void*) {
    Ref dict = own(PyObject_GenericGetDict(self, nullptr));
    if (text) return check(PyDict_SetItemString(dict.get(), doc_name, text));
    check(PyDict_DelItemString(dict.get(), doc_name));
}

PyGetSetDef ufunc_getset[] = {
    {"__name__", get_name, nullptr, nullptr, nullptr},
    {"__qualname__", get_name, nullptr, nullptr, nullptr},
    {"__doc__", guard<get_doc>, guard<set_doc>, nullptr, nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {"__signature__", get_of_numpy, nullptr, nullptr, text_signature_name},
    {"nin", get_nin, nullptr, nullptr, nullptr},
    {"nout", get_nout, nullptr, nullptr, nullptr},
    {"nargs", get_nargs, nullptr, nullptr, nullptr},
    {"types", get_of_numpy, nullptr, nullptr, types_name},
    {"ntypes", get_of_numpy, nullptr, nullptr, ntypes_name},
    {"identity", get_of_numpy, nullptr, nullptr, identity_name},
    {"signature", get_of_numpy, nullptr, nullptr, signature_name},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

constexpr char kResolve[] = "resolve_dtypes", kContext[] = "_resolve_dtypes_and_context",
               kLoop[] = "_get_strided_loop";

// Methods on dtypes and loops are NumPy's.
template <const char* name>
PyObject* method_of_numpy(PyObject* self, PyObject* const* args, Py_ssize_t count,
                          PyObject* names) {
    const Ref function = own(PyObject_GetAttrString(as_ufunc(self)->numpy, name));
    return PyObject_Vectorcall(function.get(), args, static_cast<std::size_t>(count), names);
}

PyMethodDef ufunc_methods[] = {
    method<method_reduce>("reduce"),
    method<method_accumulate>("accumulate"),
    method<method_outer>("outer"),
    method<method_at>("at"),
    method<method_reduceat>("reduceat"),
    method<method_of_numpy<kResolve>>(kResolve),
    method<method_of_numpy<kContext>>(kContext),
    method<method_of_numpy<kLoop>>(kLoop),
    {"__reduce__", ufunc_pickle, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyMemberDef ufunc_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(UfuncObject, vectorcall), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(UfuncObject, dict), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

constexpr auto ufunc_dealloc =
    deallocate<UfuncObject, &UfuncObject::numpy, &UfuncObject::name, &UfuncObject::dict>;
PyType_Slot ufunc_slots[] = {
    {Py_tp_dealloc, slot(ufunc_dealloc)},
    {Py_tp_repr, slot(ufunc_repr)},
    {Py_tp_richcompare, slot(ufunc_richcompare)},
    {Py_tp_hash, slot(ufunc_hash)},
    {Py_tp_call, slot(PyVectorcall_Call)},
    {Py_tp_getset, ufunc_getset},
    {Py_tp_methods, ufunc_methods},
    {Py_tp_members, ufunc_members},
    {0, nullptr},
};

// isinstance(numpy.add, hassium.ufunc) is true too, as a program may use both.
PyObject* instance_check(PyObject*, PyObject* object) {
    if (Py_TYPE(object) == ufunc_type) Py_RETURN_TRUE;
    PyObject* other = made_once([] { return Py_NewRef(numpy_attribute("ufunc")); });
    const int is = PyObject_IsInstance(object, other);
    return is < 0 ? nullptr : PyBool_FromLong(is);
}

PyObject* subclass_check(PyObject*, PyObject* object) {
    PyObject* other = made_once([] { return Py_NewRef(numpy_attribute("ufunc")); });
    return PyBool_FromLong(object == reinterpret_cast<PyObject*>(ufunc_type) || object == other);
}

PyMethodDef meta_methods[] = {
    {"__instancecheck__", instance_check, METH_O, nullptr},
    {"__subclasscheck__", subclass_check, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot meta_slots[] = {{Py_tp_methods, meta_methods}, {0, nullptr}};
PyType_Spec meta_spec = {"hassium._core._UfuncMeta", 0, 0, Py_TPFLAGS_DEFAULT, meta_slots};

void make_types() {
    Ref meta = own(PyType_FromSpecWithBases(&meta_spec, reinterpret_cast<PyObject*>(&PyType_Type)));
    document(ufunc_methods, numpy_attribute("ufunc"));
    document(ufunc_getset, numpy_attribute("ufunc"));
    constexpr unsigned long kFlags =
        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION;
    ufunc_type = make_type<UfuncObject>("hassium.ufunc", kFlags, ufunc_slots);
    if (!ufunc_type) throw PythonError();
    // As PyType_FromMetaclass from Python 3.12 on; the metaclass adds no storage.
    Py_SET_TYPE(reinterpret_cast<PyObject*>(ufunc_type),
                reinterpret_cast<PyTypeObject*>(meta.release()));
}

PyObject* new_ufunc(Op op) {
    Ref name = own(PyUnicode_InternFromString(std::string(info(op).name).c_str()));
    Ref numpy = own(PyObject_GetAttr(own(PyImport_ImportModule("numpy")).get(), name.get()));
    PyObject* object = own(ufunc_type->tp_alloc(ufunc_type, 0)).release();
    UfuncObject* ufunc = as_ufunc(object);
    ufunc->vectorcall = guard<ufunc_call>;
    ufunc->op = op;
    ufunc->numpy = numpy.release();
    ufunc->name = name.release();
    return object;
}

bool numpy_has(std::string_view name) {
    PyObject* numpy = made_once([] { return PyImport_ImportModule("numpy"); });
    return PyObject_HasAttrString(numpy, std::string(name).c_str()) != 0;
}

void fill_module(PyObject* module) {
    Ref all = own(PyDict_New());
    for (int k = 0; k < kOpCount; ++k) {
        const Op op = static_cast<Op>(k);
        // Maps that are functions in NumPy (where, clip, copy) are recorded through ufunc objects
        // as well.
        const bool map = info(op).is_elementwise() && numpy_has(info(op).name);
        if (!info(op).has(kUfunc) && !map) continue;
        objects[k] = new_ufunc(op);
        check(PyDict_SetItem(all.get(), as_ufunc(objects[k])->name, objects[k]));
    }
    for (const OpAlias& alias : kOpAliases) {
        const std::string name(alias.alias);
        check(PyDict_SetItemString(all.get(), name.c_str(), ufunc_object(*find_op(alias.name))));
    }
    check(PyModule_AddObjectRef(module, "ufuncs", all.get()));
    check(PyModule_AddObjectRef(module, "ufunc", reinterpret_cast<PyObject*>(ufunc_type)));
}

}  // namespace

bool init_ufunc(PyObject* module) {
    return guarded_status([&] {
               make_types();
               fill_module(module);
               init_matrix();
               init_sorts();
           }) == 0;
}

}  // namespace hassium
