// Conversion between native dtypes and NumPy's dtype objects, and cached attributes of NumPy.
#define HS_IMPORTS_NUMPY
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "bind/array/array_call.hpp"
#include "bind/array/array_methods.hpp"

namespace hassium {

namespace {

constexpr std::array<int, kDTypeCount> kTypeNumbers = {
    NPY_BOOL,   NPY_INT8,   NPY_INT16,   NPY_INT32,   NPY_INT64,   NPY_UINT8,     NPY_UINT16,
    NPY_UINT32, NPY_UINT64, NPY_FLOAT16, NPY_FLOAT32, NPY_FLOAT64, NPY_COMPLEX64, NPY_COMPLEX128};

std::array<PyArray_Descr*, kDTypeCount> descrs;
std::array<std::int8_t, NPY_NTYPES_LEGACY> native_of_number;

// Returns whether a numeric dtype has metadata, fields or a subarray (as h5py's enumerations do),
// which our arrays cannot store.
bool says_more(const PyArray_Descr* descr) {
    return descr->metadata || PyDataType_NAMES(descr) || PyDataType_SUBARRAY(descr);
}

bool native_descr(const PyArray_Descr* descr, DType& out) {
    int number = descr->type_num;
    if (number < 0 || number >= NPY_NTYPES_LEGACY || native_of_number[number] < 0) return false;
    out = static_cast<DType>(native_of_number[number]);
    if (descr == descrs[static_cast<std::size_t>(out)]) return true;
    return PyArray_ISNBO(descr->byteorder) && !says_more(descr);
}

// Looks up the types of Python's and NumPy's numbers directly, as a cast of a small array must be
// cheap.
bool native_type(PyObject* argument, DType& out) {
    if (!PyType_Check(argument)) return false;
    auto* const type = reinterpret_cast<PyTypeObject*>(argument);
    const std::pair<PyTypeObject*, DType> pythons[] = {{&PyFloat_Type, DType::F64},
                                                       {&PyLong_Type, DType::I64},
                                                       {&PyBool_Type, DType::Bool},
                                                       {&PyComplex_Type, DType::C128}};
    for (const auto& [known, dtype] : pythons) {
        if (type != known) continue;
        out = dtype;
        return true;
    }
    for (std::size_t k = 0; k < descrs.size(); ++k) {
        if (type != descrs[k]->typeobj) continue;
        out = static_cast<DType>(k);
        return true;
    }
    return false;
}

bool import_numpy() {
    import_array1(false);
    return true;
}

}  // namespace

PyArray_Descr* descr_of(DType dtype) { return descrs[static_cast<std::size_t>(dtype)]; }

PyArray_Descr* new_descr(DType dtype) {
    return reinterpret_cast<PyArray_Descr*>(Py_NewRef(descr_of(dtype)));
}

PyObject* numpy_dtype(DType dtype) { return reinterpret_cast<PyObject*>(descr_of(dtype)); }

bool native_dtype(PyObject* dtype, DType& out) {
    return PyArray_DescrCheck(dtype) && native_descr(reinterpret_cast<PyArray_Descr*>(dtype), out);
}

bool native_dtype(const PyArrayObject* array, DType& out) {
    return native_descr(PyArray_DESCR(array), out);
}

bool parse_dtype(PyObject* argument, DType& out, Ref* descr) {
    if (native_type(argument, out)) {
        if (descr) *descr = borrow(numpy_dtype(out));
        return true;
    }
    if (is_array(argument)) {  // NumPy reads `dtype` of any object but its own arrays
        PyErr_SetString(PyExc_TypeError, "Cannot construct a dtype from an array");
        throw PythonError();
    }
    PyArray_Descr* found = nullptr;
    if (PyArray_DescrCheck(argument)) {
        found = reinterpret_cast<PyArray_Descr*>(Py_NewRef(argument));
    } else if (!PyArray_DescrConverter(argument, &found)) {
        throw PythonError();
    }
    Ref holder(reinterpret_cast<PyObject*>(found));
    if (descr) *descr = holder;
    return native_descr(found, out);
}

Ref in_native_order(PyObject* dtype) {
    DType ignored;
    Ref descr;
    if (parse_dtype(dtype, ignored, &descr)) return descr;
    auto* const given = reinterpret_cast<PyArray_Descr*>(descr.get());
    if (PyArray_ISNBO(given->byteorder)) return descr;
    return own(reinterpret_cast<PyObject*>(PyArray_DescrNewByteorder(given, NPY_NATIVE)));
}

namespace {

// Converts an argument of result_type for the promotion table; returns false if NumPy must promote.
bool known_type(PyObject* argument, OperandType& type) {
    const auto is_known = [&](PyArray_Descr* descr) {
        // Another dtype of the same values (long long) may be the result itself.
        return native_descr(descr, type.dtype) && descr == descr_of(type.dtype);
    };
    if (is_array(argument)) {
        type.dtype = as_array(argument)->view.dtype;
        return true;
    }
    if (PyArray_CheckExact(argument)) {
        return is_known(PyArray_DESCR(reinterpret_cast<PyArrayObject*>(argument)));
    }
    if (PyArray_DescrCheck(argument)) return is_known(reinterpret_cast<PyArray_Descr*>(argument));
    if (PyFloat_CheckExact(argument)) {
        type = {DType::F64, Weak::Float};
        return true;
    }
    type = {DType::I64, Weak::Int};
    return PyLong_CheckExact(argument) && !beyond_integers(argument);
}

}  // namespace

HS_FAST_METHOD(is_cast_allowed) {
    auto found =
        sort_arguments("can_cast", {"from_", "to", "casting"}, {3, 2}, args, count, keywords);
    // The array's attribute `dtype` would pass for a dtype.
    if (is_array(found[1])) fail(ErrorKind::Type, "Cannot construct a dtype from an array");
    PyObject* numpys = made_once([] { return Py_NewRef(numpy_attribute("can_cast")); });
    if (is_array(found[0])) found[0] = numpy_dtype(as_array(found[0])->view.dtype);
    return PyObject_Vectorcall(numpys, found.data(), found[2] ? 3 : 2, nullptr);
}

HS_FAST_METHOD(find_result_type) {
    SmallVec<OperandType, 8> types;
    bool known = !keywords, strong = false;
    for (Py_ssize_t k = 0; k < count && known; ++k) {
        OperandType type{};
        known = known_type(args[k], type);
        strong = strong || type.weak == Weak::Strong;
        types.push_back(type);
    }
    if (known && strong) {
        return Py_NewRef(numpy_dtype(result_type({types.data(), types.size()})));
    }
    PyObject* numpys = made_once([] { return Py_NewRef(numpy_attribute("result_type")); });
    const Py_ssize_t named = keywords ? PyTuple_GET_SIZE(keywords) : 0;
    SmallVec<PyObject*, 8> kinds;
    for (Py_ssize_t k = 0; k < count + named; ++k) {
        kinds.push_back(is_array(args[k]) ? numpy_dtype(as_array(args[k])->view.dtype) : args[k]);
    }
    return PyObject_Vectorcall(numpys, kinds.data(), static_cast<std::size_t>(count), keywords);
}

Ref asked(const char* question) {
    const Ref module = own(PyImport_ImportModule("hassium._asked"));
    return own(PyObject_CallMethod(module.get(), question, nullptr));
}

PyObject* numpy_attribute(const char* dotted) {
    static auto* known = new std::map<std::string, PyObject*, std::less<>>();
    auto at = known->find(std::string_view(dotted));
    if (at != known->end()) return at->second;
    Ref object = own(PyImport_ImportModule("numpy"));
    std::string path = dotted;
    for (std::size_t start = 0; start <= path.size();) {
        std::size_t end = std::min(path.find('.', start), path.size());
        object = own(PyObject_GetAttrString(object.get(), path.substr(start, end - start).c_str()));
        start = end + 1;
    }
    known->emplace(path, object.get());
    return object.release();
}

std::string shape_text(std::span<const std::int64_t> shape) {
    std::string text = "(";
    for (std::size_t k = 0; k < shape.size(); ++k) {
        if (k) text += ",";
        text += std::to_string(shape[k]);
    }
    return text + (shape.size() == 1 ? ",)" : ")");
}

const char* scalar_type_name(DType dtype) { return descr_of(dtype)->typeobj->tp_name; }

bool init_convert() {
    if (!import_numpy()) return false;
    native_of_number.fill(-1);
    for (int k = 0; k < kDTypeCount; ++k) {
        descrs[k] = PyArray_DescrFromType(kTypeNumbers[k]);
        if (!descrs[k]) return false;
        native_of_number[kTypeNumbers[k]] = static_cast<std::int8_t>(k);
    }
    // C's long and long long are both 64 bits wide here; NumPy distinguishes them, our arrays do
    // not.
    native_of_number[NPY_LONGLONG] = static_cast<std::int8_t>(DType::I64);
    native_of_number[NPY_ULONGLONG] = static_cast<std::int8_t>(DType::U64);
    return true;
}

}  // namespace hassium
