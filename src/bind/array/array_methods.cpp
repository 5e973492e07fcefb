// The tables of methods and functions.
#include "bind/array/array_methods.hpp"

namespace hassium {

#define HS_METHOD(name, function) method<function>(name),
#define HS_METHOD_OF(name, function, flags) method<function>(name, flags),
PyMethodDef array_methods[] = {
#include "bind/array/methods.def"
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

#define HS_FUNCTION(name, function, doc) method<function>(name, kFast, doc),
#define HS_FUNCTION_OF(name, function, flags) method<function>(name, flags),
PyMethodDef module_functions[] = {
#include "bind/array/methods.def"
    {nullptr, nullptr, 0, nullptr}};

}  // namespace hassium
