// Shared by reduce and accumulate: sets of axes (one bit for each) and the checks of every call.
#pragma once

#include "bind/ufunc/ufunc_parts.hpp"

namespace hassium {

constexpr std::uint64_t bit(std::size_t axis) { return std::uint64_t{1} << axis; }

std::uint64_t all_axes(std::size_t ndim);
// Parse one axis, or a set of axes (null or None: all). Both throw NumPy's AxisError.
std::size_t normal_axis(long long axis, std::size_t ndim);
std::uint64_t parse_axes(PyObject* axis, std::size_t ndim);

// Return the view without the axes of the set, and with axes of extent 1 inserted for them.
View without_axes(const View& view, std::uint64_t axes);
View with_axes(const View& kept, std::uint64_t axes, std::size_t ndim);
std::int64_t reduced_count(const View& view, std::uint64_t axes);

// Throws if the ufunc has no such method.
void check_reducible(Op op, const char* method);
// Returns the dtype in which a reduction computes. `wanted`: that of dtype=; `out`: the user's
// output. Both may be null.
DType compute_dtype(Op op, DType in, const DType* wanted, const View* out);
// Records a cast of `result` to the user's output.
void store_cast(const View& out, const View& result);
// Checks the exponents of a power reduced along `axis`: all elements but the first of each line.
void check_exponents_along(Op op, DType compute, const View& in, std::size_t axis);
inline bool is_given(PyObject* argument) { return argument && argument != Py_None; }
void submit(Request& request);

}  // namespace hassium
