// Source lines of the program that calls the package, and the counts of what ran eagerly or fell
// back to NumPy there.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

namespace hassium {

// Counts an instruction or function that ran at once on exported memory, or through NumPy, with the
// source line of the first caller outside the package.
void count_eager(const char* name);
void count_fallback(const char* name);
// New reference to {name: {"count": n, "sites": {"file:line": n}}}.
PyObject* eager_counts();
PyObject* fallback_counts();
void reset_site_counts();

// What `PyErr_WarnEx` is to be told for a warning at that line.
int caller_level();

// Source lines as numbers, for as long as the process lives: a program has few of them.
std::uint32_t intern_site();
std::string site_text(std::uint32_t site);

}  // namespace hassium
