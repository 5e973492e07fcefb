// The Python side of the engine's Host: the GIL, warnings, interrupts, errstate, exceptions, and
// the counts of what ran eagerly or fell back to NumPy, with call sites.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

#include "engine/engine.hpp"

namespace hassium {

// Thrown through C++ frames when a Python exception is already set.
struct PythonError {};

void install_host();

// numpy.errstate of the current context.
ErrState current_errstate();

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

// Counts an instruction or function that ran at once on exported memory, or through NumPy, with the
// source line of the first caller outside the package.
void count_eager(const char* name);
void count_fallback(const char* name);
// New reference to {name: {"count": n, "sites": {"file:line": n}}}.
PyObject* eager_counts();
PyObject* fallback_counts();
void reset_site_counts();

// Source lines as numbers, for as long as the process lives: a program has few of them.
std::uint32_t intern_site();
std::string site_text(std::uint32_t site);

}  // namespace hassium
