// Calls of ufuncs that NumPy must answer: operands that override them, dtypes that are not native.
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "bind/array/array_call.hpp"
#include "bind/ufunc/ufunc_parts.hpp"

namespace hassium {
namespace {

// NumPy's ufunc of a row or its method, and the name under which its calls are counted.
struct Counted {
    PyObject* function;
    std::string name;
};

// Returns the cached entry; `method` must be a string literal, "" for the ufunc itself.
const Counted& counted(Op op, std::string_view method) {
    static auto* known = new std::map<std::pair<Op, std::string_view>, Counted>();
    const auto found = known->find({op, method});
    if (found != known->end()) return found->second;
    std::string name(info(op).name);
    Ref function = borrow(numpy_ufunc(op));
    if (!method.empty()) {
        name.append(".").append(method);
        function = own(PyObject_GetAttrString(function.get(), method.data()));
    }
    return known->emplace(std::pair(op, method), Counted{function.release(), name}).first->second;
}

}  // namespace

bool overrides_ufuncs(PyObject* object) {
    if (is_array(object) || PyArray_CheckExact(object) || PyFloat_CheckExact(object) ||
        PyLong_CheckExact(object)) {
        return false;
    }
    static PyObject* name = PyUnicode_InternFromString("__array_ufunc__");
    static PyObject* basic =
        _PyType_Lookup(&PyArray_Type, name);  // inherited by ndarray's subclasses
    PyObject* own_method = _PyType_Lookup(Py_TYPE(object), name);
    return own_method && own_method != basic;
}

PyObject* numpy_answers(Op op, const char* method, const RawCall& raw) {
    const Counted& answer = counted(op, method ? method : "");
    return by_numpy(answer.function, answer.name.c_str(), raw.args, raw.count, raw.names);
}

}  // namespace hassium
