// The Python side of the engine's Host: the GIL, warnings, interrupts, errstate, exceptions.
#pragma once

#include <Python.h>

#include "engine/engine.hpp"

namespace hassium {

// Thrown through C++ frames when a Python exception is already set.
struct PythonError {};

void install_host();

// numpy.errstate of the current context.
ErrState current_errstate();

// While it lives, NumPy's functions report no condition: those of an instruction are reported after
// it, under the errstate of its recording. Needs the GIL.
class Unreported {
  public:
    Unreported();
    ~Unreported();
    Unreported(const Unreported&) = delete;
    Unreported& operator=(const Unreported&) = delete;

  private:
    PyObject* before_;
};

// Turns the C++ exception in flight into a Python one; returns null.
PyObject* raise_current_exception();

// Wraps the body of a slot or method: any C++ exception becomes a Python one.
template <class Body>
PyObject* guarded(Body&& body) {
    try {
        return body();
    } catch (...) {
        return raise_current_exception();
    }
}
template <class Body>
int guarded_int(Body&& body) {
    try {
        return body();
    } catch (...) {
        raise_current_exception();
        return -1;
    }
}

}  // namespace hassium
