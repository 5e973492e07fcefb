// Whether a number that pending work will give may stay pending: decided by what the calling code
// does with it (hassium/_uses.py).
#pragma once

#include <Python.h>

namespace hassium {

// Whether nothing but calculations can see the result of the running call. `place` is where the
// interpreter passed an argument of it, null for an operator: C code that was called, and passes
// arguments from elsewhere, may keep the result. Elements that a subscript reads have no place
// either.
bool may_stay_pending(PyObject* const* place);

}  // namespace hassium
