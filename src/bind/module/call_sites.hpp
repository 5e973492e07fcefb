// Source lines of the program that calls the package: as numbers that instructions carry, as
// places of warnings, and with the counts of what ran eagerly or fell back to NumPy there.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

namespace hassium {

// The number of the line that the innermost frame outside the package is at; 0: no such frame. A
// number is valid for as long as the process lives: a program has few lines. Known instructions of
// code objects take a few nanoseconds, others about two microseconds. Needs the GIL.
std::uint32_t call_site();
// "file:line", or "" for 0.
std::string site_text(std::uint32_t site);
// Warns as `warnings.warn` at that line would: by the filters in force now, once for a line where
// they say so. Negative with a Python error set where a filter makes an error of it.
int warn_at(std::uint32_t site, PyObject* category, const char* text);
inline int warn_at_caller(PyObject* category, const char* text) {
    return warn_at(call_site(), category, text);
}

// Counts an instruction or function that ran at once on exported memory, or through NumPy, at the
// line that called.
void count_eager(const char* name);
void count_fallback(const char* name);
// New reference to {name: {"count": n, "sites": {"file:line": n}}}.
PyObject* eager_counts();
PyObject* fallback_counts();
void reset_site_counts();

}  // namespace hassium
