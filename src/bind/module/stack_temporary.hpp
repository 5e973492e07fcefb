// Arguments that die with the call they are passed to.
//
// In `np.sum(np.abs(a - b))` nothing but the interpreter's evaluation stack refers to the argument,
// and the interpreter drops it without another look when the call returns. A reduction that returns
// a number flushes inside the call, while the argument is still referred to: its elements would be
// stored in memory that is never read. So the array gives its base up before the flush.
#pragma once

#include <Python.h>

#include "bind/array/live_views.hpp"

namespace hassium {

// Whether `slot` is a place on the evaluation stack of a running frame: the interpreter itself has
// called. C code that calls passes arguments of its own, and may use them and the result
// afterwards.
inline bool is_on_stack(PyObject* const* slot) {
    const PyThreadState* thread = PyThreadState_Get();
    const _PyStackChunk* chunk = thread->datastack_chunk;
    const auto place = reinterpret_cast<std::uintptr_t>(slot);
    return chunk && place >= reinterpret_cast<std::uintptr_t>(chunk->data) &&
           place < reinterpret_cast<std::uintptr_t>(thread->datastack_top);
}

// Whether `slot` is on the evaluation stack and holds the only reference to `array`.
inline bool is_stack_temporary(PyObject* const* slot, PyObject* array) {
    if (Py_REFCNT(array) != 1 || !is_on_stack(slot) || *slot != array) return false;
#if PY_VERSION_HEX >= 0x030E0000
    return PyUnstable_Object_IsUniqueReferencedTemporary(array);
#else
    return true;
#endif
}

// Takes the base from an array that dies with the call: it has no other reference.
inline void release_stack_temporary(PyObject* const* slot, PyObject* array) {
    if (is_array(array) && !as_array(array)->weakrefs && is_stack_temporary(slot, array)) {
        release_base(as_array(array));
    }
}

}  // namespace hassium
