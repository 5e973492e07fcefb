// Call sites: source lines of the program that calls the package. Instructions carry them as
// numbers, warnings name them, and eager operations and fallbacks to NumPy are counted by them.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

namespace hassium {

// Returns the number of the line that the innermost frame outside the package runs, or 0 without
// such a frame. Numbers stay valid for the life of the process, as a program has few lines. Takes a
// few nanoseconds for known instructions, else about two microseconds. Needs the GIL.
std::uint32_t call_site();
// Returns "file:line", or "" for 0.
std::string site_text(std::uint32_t site);
// Warns as `warnings.warn` would at that line: by the current filters, once for a line if they say
// so. Returns a negative number with a Python error set if a filter turns the warning into an
// error.
int warn_at(std::uint32_t site, PyObject* category, const char* text);
inline int warn_at_caller(PyObject* category, const char* text) {
    return warn_at(call_site(), category, text);
}

// Counts an instruction or function that ran eagerly on exported memory, or through NumPy, at the
// calling line.
void count_eager(const char* name);
void count_fallback(const char* name);
// Return a new reference to {name: {"count": n, "sites": {"file:line": n}}}.
PyObject* eager_counts();
PyObject* fallback_counts();
void reset_site_counts();

}  // namespace hassium
