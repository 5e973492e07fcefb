// Analysis of the calling bytecode (hassium/_uses): whether a number of pending work may stay
// pending, and which arguments die with the call that they are passed to.
#pragma once

#include <Python.h>

namespace hassium {

// The arguments of a vectorcall. None for an operator or a subscript.
struct CallArguments {
    PyObject* object = nullptr;         // `self` of a method, or the first argument
    PyObject* const* others = nullptr;  // behind the object, the values of keywords last
    Py_ssize_t count = 0;               // of the others
    PyObject* keywords = nullptr;       // their names, or null

    CallArguments() = default;
    CallArguments(PyObject* first, PyObject* const* args, Py_ssize_t positional, PyObject* names)
        : object(first),
          others(args),
          count(positional + (names ? PyTuple_GET_SIZE(names) : 0)),
          keywords(names) {}
};

// Returns whether only calculations can see the result of the running call. False if C code passed
// its own arguments, as it may keep the result.
bool may_stay_pending(const CallArguments& arguments);

// Returns whether the running instruction is an operator such as `+=`.
bool is_in_place_operator();

// Releases the base of an array that is the object of a call and dies with the call.
//
// In `np.sum(np.abs(a - b))` only the interpreter's evaluation stack refers to the argument, and
// the interpreter drops it unread when the call returns. A reduction that returns a number flushes
// inside the call, while the argument is still referenced, so its elements would be stored to
// memory that is never read. So the array releases its base before the flush.
void release_stack_temporary(const CallArguments& arguments);

}  // namespace hassium
