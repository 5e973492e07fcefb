// concatenate: joins arrays along one axis by one copy into each part of the result.
#include <vector>

#include "bind/array/array_methods.hpp"

namespace hassium {
namespace {

// The parsed arguments; `operands` own the converted arrays of `parts`.
struct Join {
    std::vector<OperandArg> operands;
    std::vector<View> parts;
    std::size_t axis = 0;
    Dims shape;
    DType dtype = DType::F64;
};

// Converts each item to an array; returns false if NumPy must handle one.
bool take_parts(Join& join, PyObject* arrays) {
    static constexpr const char* kNeeded = "The first input argument needs to be a sequence";
    if (!PySequence_Check(arrays)) fail(ErrorKind::Type, kNeeded);
    Ref sequence = own(PySequence_Fast(arrays, kNeeded));
    Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence.get());
    if (count == 0) fail(ErrorKind::Value, "need at least one array to concatenate");
    join.operands.reserve(static_cast<std::size_t>(count));
    join.parts.reserve(static_cast<std::size_t>(count));
    for (Py_ssize_t k = 0; k < count; ++k) {
        PyObject* item = PySequence_Fast_GET_ITEM(sequence.get(), k);
        OperandArg& operand = join.operands.emplace_back();
        if (!to_operand(item, operand)) return false;
        if (operand.view) {
            join.parts.push_back(*operand.view);
            continue;
        }
        char* data = nullptr;
        View scalar = filled_view(operand.dtype, {}, data);
        pack_element(data, operand.dtype, operand.scalar);
        join.parts.push_back(std::move(scalar));
    }
    return true;
}

// Sets the axis; axis=None flattens all parts.
void take_axis(Join& join, PyObject* axis) {
    if (axis == Py_None) {
        for (View& part : join.parts) {
            part = as_vector(part.c_contiguous() ? part : contiguous_copy(part, part.dtype));
        }
    }
    const auto rank = static_cast<int>(join.parts[0].ndim());
    if (rank == 0) {
        fail(ErrorKind::Value, "zero-dimensional arrays cannot be concatenated");
    }
    if (axis && axis != Py_None) join.axis = static_cast<std::size_t>(parse_axis(axis, rank));
}

[[noreturn]] void fail_extent(std::size_t d, std::size_t k, std::int64_t first,
                              std::int64_t other) {
    fail(ErrorKind::Value,
         "all the input array dimensions except for the concatenation axis must match exactly, but "
         "along dimension ",
         d, ", the array at index 0 has size ", first, " and the array at index ", k, " has size ",
         other);
}

void join_shapes(Join& join) {
    join.shape = join.parts[0].shape;
    const std::size_t rank = join.shape.size();
    for (std::size_t k = 1; k < join.parts.size(); ++k) {
        const Dims& shape = join.parts[k].shape;
        if (shape.size() != rank) {
            fail(ErrorKind::Value,
                 "all the input arrays must have same number of dimensions, but the array at index "
                 "0 has ",
                 rank, " dimension(s) and the array at index ", k, " has ", shape.size(),
                 " dimension(s)");
        }
        for (std::size_t d = 0; d < rank; ++d) {
            if (d == join.axis || shape[d] == join.shape[d]) continue;
            fail_extent(d, k, join.shape[d], shape[d]);
        }
        join.shape[join.axis] += shape[join.axis];
    }
}

DType common_dtype(const Join& join) {
    std::vector<OperandType> types;
    types.reserve(join.operands.size());
    for (const OperandArg& operand : join.operands) types.push_back({operand.dtype, operand.weak});
    return result_type(types);
}

// Returns whether a Python number can have the dtype, whatever the casting rule: one of its kind or
// above.
bool weak_fits(Weak weak, DType to) {
    if (weak == Weak::Int) return kind(to) != DTypeKind::Bool;
    return weak == Weak::Float ? is_inexact(to) : kind(to) == DTypeKind::Complex;
}

void check_part_cast(const OperandArg& part, DType to, Casting casting) {
    const bool fits = part.weak == Weak::Strong
                          ? can_cast(part.dtype, to, casting)
                          : casting == Casting::Unsafe || weak_fits(part.weak, to);
    if (!fits) fail_cast(part.dtype, to, casting);
}

View joined_view(const Join& join) {
    check_extents(join.shape, itemsize(join.dtype));
    return ordered_view(join.dtype, join.shape, order_of_joined(join.parts));
}

// Copies one part after the other, as NumPy does: a part that overlaps `out` sees the parts before
// it.
void copy_parts(const Join& join, const View& result) {
    View target = result;
    for (const View& part : join.parts) {
        const std::int64_t extent = part.shape[join.axis];
        target.shape[join.axis] = extent;
        record_copy(target, part, nullptr);
        target.offset += extent * result.strides[join.axis];
    }
}

const View& checked_out(PyObject* out, const Join& join) {
    check_writeable(as_array(out));
    const View& view = as_array(out)->view;
    if (view.shape == join.shape) return view;
    fail(ErrorKind::Value, "Output array is the wrong shape");
}

}  // namespace

HS_FAST_METHOD(create_concatenate) {
    auto found = sort_arguments("concatenate", {"arrays", "axis", "out", "dtype", "casting"},
                                {3, 1}, args, count, keywords);
    PyObject* out = given(found[2]) ? found[2] : nullptr;
    if (out && given(found[3])) {
        fail(ErrorKind::Type,
             "concatenate() only takes `out` or `dtype` as an argument, but both were provided.");
    }
    Casting casting = found[4] ? parse_casting(found[4]) : Casting::SameKind;
    Join join;
    bool native = !out || Py_TYPE(out) == array_type;
    native = native && take_parts(join, found[0]);
    if (native) join.dtype = out ? as_array(out)->view.dtype : common_dtype(join);
    if (native && given(found[3])) native = parse_dtype(found[3], join.dtype);
    if (!native) return by_numpy("concatenate", args, count, keywords);
    take_axis(join, found[1]);
    join_shapes(join);
    View result = out ? checked_out(out, join) : joined_view(join);
    for (const OperandArg& part : join.operands) check_part_cast(part, join.dtype, casting);
    if (out) {
        copy_parts(join, result);
        return Py_NewRef(out);
    }
    copy_parts(join, result);
    return new_array(std::move(result));
}

}  // namespace hassium
