// Whether a number that pending work will give may stay pending: decided by what the calling code
// does with it (hassium/_uses); and arguments that die with the call they are passed to.
#pragma once

#include <Python.h>

namespace hassium {

// The arguments of a call by vector: the object of a method first, the values of keywords last.
// Empty for an operator and a subscript.
struct CallArguments {
    PyObject* const* first = nullptr;
    Py_ssize_t count = 0;

    CallArguments() = default;
    CallArguments(PyObject* const* args, Py_ssize_t positional, PyObject* keywords)
        : first(args), count(positional + (keywords ? PyTuple_GET_SIZE(keywords) : 0)) {}
};

// Whether nothing but calculations can see the result of the running call. C code that was called,
// and passes arguments of its own, may keep the result.
bool may_stay_pending(const CallArguments& arguments);

// Takes the base from an array that is the first argument and dies with the call.
//
// In `np.sum(np.abs(a - b))` nothing but the interpreter's evaluation stack refers to the argument,
// and the interpreter drops it without another look when the call returns. A reduction that returns
// a number flushes inside the call, while the argument is still referred to: its elements would be
// stored in memory that is never read. So the array gives its base up before the flush.
void release_stack_temporary(const CallArguments& arguments);

}  // namespace hassium
