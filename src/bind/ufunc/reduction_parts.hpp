// What reduce and accumulate share: sets of axes, and what is asked of every call.
#pragma once

#include "bind/ufunc/ufunc_parts.hpp"

namespace hassium {

constexpr std::uint64_t bit(std::size_t axis) { return std::uint64_t{1} << axis; }

std::uint64_t all_axes(std::size_t ndim);
// Both throw NumPy's AxisError; a set has a bit for each axis.
std::size_t normal_axis(long long axis, std::size_t ndim);
std::uint64_t parse_axes(PyObject* axis, std::size_t ndim);

// The view without the axes of the set, and with axes of one element where the set says.
View without_axes(const View& view, std::uint64_t axes);
View with_axes(const View& kept, std::uint64_t axes, std::size_t ndim);
std::int64_t reduced_count(const View& view, std::uint64_t axes);

// Throws where the ufunc has no such method.
void check_reducible(Op op, const char* method);
// `wanted`: that of dtype=; `out`: the user's output. Both may be null.
DType compute_dtype(Op op, DType in, const DType* wanted, const View* out);
// Into the user's output, whatever its dtype.
void store_cast(const View& out, const View& result);
// What is behind the first element of each line along the axis are exponents.
void check_exponents_along(Op op, DType compute, const View& in, std::size_t axis);
inline bool is_given(PyObject* argument) { return argument && argument != Py_None; }
void submit(Request& request);

}  // namespace hassium
