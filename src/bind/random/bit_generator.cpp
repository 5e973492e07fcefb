#include "bind/random/bit_generator.hpp"

#include <numpy/random/bitgen.h>

#include "bind/array/array_call.hpp"

namespace hassium {
namespace {

PyObject* integer(Word128 value) {
    return _PyLong_FromByteArray(reinterpret_cast<const unsigned char*>(&value), sizeof value, 1,
                                 0);
}

}  // namespace

Ref generator_handle(PyObject* bit_generator) {
    Ref capsule = own(PyObject_GetAttrString(bit_generator, "capsule"));
    Ref lock = own(PyObject_GetAttrString(bit_generator, "lock"));
    Ref acquire = own(PyObject_GetAttrString(lock.get(), "acquire"));
    Ref release = own(PyObject_GetAttrString(lock.get(), "release"));
    return own(PyTuple_Pack(3, capsule.get(), acquire.get(), release.get()));
}

HeldGenerator::HeldGenerator(PyObject* handle) : handle_(handle) {
    const auto* bits = static_cast<const bitgen_t*>(
        PyCapsule_GetPointer(PyTuple_GET_ITEM(handle, 0), "BitGenerator"));
    if (!bits) throw PythonError();
    state_ = bits->state;
    own(PyObject_CallNoArgs(PyTuple_GET_ITEM(handle, 1)));
}

HeldGenerator::~HeldGenerator() {
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    Ref released(PyObject_CallNoArgs(PyTuple_GET_ITEM(handle_, 2)));
    if (!released) PyErr_WriteUnraisable(handle_);
    PyErr_Restore(type, value, traceback);
}

PyObject* pcg64_in_memory(PyObject*, PyObject* bit_generator) {
    const Ref handle = generator_handle(bit_generator);
    const HeldGenerator held(handle.get());
    const Pcg64State& s = held.pcg64();
    return Py_BuildValue("NNiI", integer(s.stream->state), integer(s.stream->increment), s.has_half,
                         s.half);
}

PyObject* mt19937_in_memory(PyObject*, PyObject* bit_generator) {
    const Ref handle = generator_handle(bit_generator);
    const HeldGenerator held(handle.get());
    const Mt19937State& s = held.mt19937();
    const char* key = reinterpret_cast<const char*>(s.key);
    return Py_BuildValue("Ni", PyBytes_FromStringAndSize(key, sizeof s.key), s.position);
}

}  // namespace hassium
