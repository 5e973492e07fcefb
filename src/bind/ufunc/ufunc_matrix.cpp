// The rows on matrices (matmul and its kin), each a block of its own: shapes by NumPy's gufunc
// signature, computation by NumPy's ufunc, or by the loop that it calls, on the memory. Stacks of
// small matrices and products of integers take another path (exec/single/products.cpp).
#include "bind/array/array_methods.hpp"
#include "bind/ufunc/ufunc_parts.hpp"
// Must follow NumPy's array headers.
#include <numpy/ufuncobject.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "program/routine.hpp"
#include "record/allocation.hpp"

namespace hassium {
namespace {

// A core dimension by number; an optional one (`?`) may be missing from the operand.
struct CoreDim {
    std::uint8_t number;
    bool optional;
};
using Core = SmallVec<CoreDim, 4>;

struct Signature {
    std::string text;
    Core operands[3];  // inputs, then the output
};

// "(n?,k),(k,m?)->(n?,m?)"
Signature parse_signature(const std::string& text) {
    Signature signature{text, {}};
    std::string names;
    std::size_t operand = 0;
    bool inside = false;
    for (const char c : text) {
        if (c == '(') {
            inside = true;
        } else if (c == ')') {
            inside = false;
            ++operand;
        } else if (inside && c == '?') {
            signature.operands[operand].back().optional = true;
        } else if (inside && c != ',') {
            if (names.find(c) == std::string::npos) names += c;
            signature.operands[operand].push_back(
                {static_cast<std::uint8_t>(names.find(c)), false});
        }
    }
    return signature;
}

const Signature& signature_of(Op op) {
    static Signature parsed[kOpCount];
    Signature& signature = parsed[static_cast<int>(op)];
    if (signature.text.empty()) {
        Ref text = own(PyObject_GetAttrString(numpy_ufunc(op), "signature"));
        signature = parse_signature(text_of(text.get()));
    }
    return signature;
}

constexpr int kMaxCore = 8;

struct CoreSizes {
    std::int64_t size[kMaxCore];
    bool missing[kMaxCore] = {};  // an optional dimension that an operand lacks
    CoreSizes() { std::fill_n(size, kMaxCore, std::int64_t{-1}); }
};

[[noreturn]] void fail_dimensions(Op op, const Signature& s, int operand, std::size_t has,
                                  std::size_t needs) {
    fail(ErrorKind::Value, info(op).name, ": Input operand ", operand,
         " does not have enough dimensions (has ", has, ", gufunc core with signature ", s.text,
         " requires ", needs, ")");
}

// Reads an operand's core dimensions, its last axes, into `sizes`; returns the loop dimensions.
Dims take_core(Op op, const Signature& s, int operand, const View& view, CoreSizes& sizes) {
    const Core& core = s.operands[operand];
    std::size_t required = 0;
    for (const CoreDim& d : core) required += !d.optional;
    if (view.ndim() < required) fail_dimensions(op, s, operand, view.ndim(), required);
    const bool drop = view.ndim() < core.size();
    const std::size_t used = drop ? required : core.size();
    std::size_t axis = view.ndim() - used;
    std::size_t position = 0;
    for (const CoreDim& d : core) {
        if (drop && d.optional) {
            sizes.missing[d.number] = true;
            continue;
        }
        const std::int64_t extent = view.shape[axis++];
        std::int64_t& size = sizes.size[d.number];
        if (size >= 0 && size != extent) {
            fail(ErrorKind::Value, info(op).name, ": Input operand ", operand,
                 " has a mismatch in its core dimension ", position, ", with gufunc signature ",
                 s.text, " (size ", extent, " is different from ", size, ")");
        }
        size = extent;
        ++position;
    }
    Dims loop = view.shape;
    loop.resize(view.ndim() - used);
    return loop;
}

Dims matrix_shape(Op op, const View& a, const View& b) {
    const Signature& s = signature_of(op);
    CoreSizes sizes;
    Dims shape = take_core(op, s, 0, a, sizes);
    if (!broadcast_into(shape, take_core(op, s, 1, b, sizes))) {
        fail(ErrorKind::Value, "operands could not be broadcast together with remapped shapes");
    }
    for (const CoreDim& d : s.operands[2]) {
        if (!sizes.missing[d.number]) shape.push_back(sizes.size[d.number]);
    }
    return shape;
}

// Returns a fresh view with the loop axes in the memory order of the operands.
View product_view(Op op, DType dtype, const Dims& shape, const Operands& operands) {
    View looped[2];
    for (std::size_t k = 0; k < 2; ++k) {
        const View& view = *operands.args[k].view;
        const std::size_t core = std::min(signature_of(op).operands[k].size(), view.ndim());
        looped[k].shape.assign(view.shape.data(), view.ndim() - core);
        looped[k].strides.assign(view.strides.data(), view.ndim() - core);
    }
    const std::size_t loops = std::max(looped[0].ndim(), looped[1].ndim());
    if (loops < 2) return fresh_view(dtype, shape);
    const View* models[] = {&looped[0], &looped[1]};
    AxisOrder order = order_like(loops, models);
    for (std::size_t axis = loops; axis < shape.size(); ++axis) order.push_back(axis);
    return ordered_view(dtype, shape, order);
}

void call_ufunc(Op op, std::span<const BoundView> operands) {
    const std::size_t nout = info(op).nout;
    const std::size_t count = operands.size();
    Ref arrays[3];
    PyObject* args[3];
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t from = (k + nout) % count;
        const BoundView& v = operands[from];
        arrays[k] = numpy_on(v.data, v.dtype, v.shape, v.strides, from < nout);
        args[k] = arrays[k].get();
    }
    const Unreported errstate;
    own(PyObject_Vectorcall(numpy_ufunc(op), args, count, nullptr));
}

bool lies_whole(const BoundView& v) {
    const std::int64_t item = itemsize(v.dtype);
    return reinterpret_cast<std::intptr_t>(v.data) % item == 0 &&
           std::all_of(v.strides.begin(), v.strides.end(), [=](auto s) { return s % item == 0; });
}

// Computes the product of two vectors by the dot function that NumPy's ufunc calls: the ufunc's
// arrays would double the time for a thousand elements. Returns false if the ufunc does more.
bool multiply_vectors(Op op, std::span<const BoundView> operands) {
    const BoundView &out = operands[0], &a = operands[1], &b = operands[2];
    if (!info(op).is_matmul() || a.shape.size() != 1 || b.shape.size() != 1) return false;
    if (a.shape[0] == 1) return false;  // the ufunc uses another loop for these
    for (const BoundView& v : operands) {
        if (v.dtype != out.dtype || !lies_whole(v)) return false;
    }
    auto* descr = reinterpret_cast<PyArray_Descr*>(numpy_dtype(out.dtype));
    PyDataType_GetArrFuncs(descr)->dotfunc(a.data, a.strides[0], b.data, b.strides[0], out.data,
                                           a.shape[0], nullptr);
    return true;
}

// NumPy's loops over operands of one dtype.
struct MatrixLoop {
    PyUFuncGenericFunction fn = nullptr;
    void* data = nullptr;
};
MatrixLoop matrix_loops[kOpCount][kDTypeCount];

void find_matrix_loops(Op op) {
    const auto* ufunc = reinterpret_cast<PyUFuncObject*>(numpy_ufunc(op));
    for (int d = 0; d < kDTypeCount; ++d) {
        const auto* descr = reinterpret_cast<PyArray_Descr*>(numpy_dtype(static_cast<DType>(d)));
        const char type = static_cast<char>(descr->type_num);
        const char wanted[] = {type, type, type};
        for (int k = ufunc->ntypes; k-- > 0;) {
            if (std::memcmp(ufunc->types + 3 * k, wanted, 3) != 0) continue;
            matrix_loops[static_cast<int>(op)][d] = {ufunc->functions[k],
                                                     ufunc->data ? ufunc->data[k] : nullptr};
        }
    }
}

// What the ufunc passes to a loop for operands without loop dimensions: extents of the core
// dimensions, and strides of each operand along its own. An axis of extent 1 has stride 0, and so
// has one that an operand lacks: NumPy's loop chooses its path by them, and with it what infinities
// give.
struct CoreArguments {
    char* places[3];
    npy_intp extents[1 + kMaxCore] = {1};
    npy_intp steps[3 + 3 * kMaxCore] = {};  // begins with the strides of the loop dimension
};

// Returns false if an operand has loop dimensions or no elements.
bool core_arguments(const Signature& s, std::span<const BoundView> operands, CoreArguments& out) {
    bool missing[kMaxCore] = {};
    std::size_t step = 3;
    for (std::size_t k = 0; k < 3; ++k) {
        const BoundView& v = operands[(k + 1) % 3];
        const Core& core = s.operands[k];
        std::size_t axis = 0;
        for (const CoreDim& d : core) {
            bool& lacks = missing[d.number];
            if (k < 2) lacks = d.optional && v.shape.size() < core.size();
            if (!lacks && axis == v.shape.size()) return false;
            const npy_intp extent = lacks ? 1 : v.shape[axis];
            if (extent == 0) return false;
            out.steps[step++] = extent == 1 ? 0 : v.strides[axis];
            out.extents[1 + d.number] = extent;
            axis += !lacks;
        }
        if (axis != v.shape.size()) return false;
        out.places[k] = v.data;
    }
    return true;
}

// Computes one product by NumPy's loop: for small operands the arrays and the ufunc's dispatch take
// longer than the loop. Returns false if the ufunc does more.
bool multiply_matrices(Op op, std::span<const BoundView> operands) {
    const BoundView& out = operands[0];
    const MatrixLoop& loop = matrix_loops[static_cast<int>(op)][static_cast<int>(out.dtype)];
    if (!loop.fn) return false;
    for (const BoundView& v : operands) {
        if (v.dtype != out.dtype || !lies_whole(v)) return false;
        // NumPy copies overlapping operands first.
        if (&v != &out && may_share(v, out)) return false;
    }
    CoreArguments arguments;
    if (!core_arguments(signature_of(op), operands, arguments)) return false;
    loop.fn(arguments.places, arguments.extents, arguments.steps, loop.data);
    return true;
}

// Runs a product; a flush calls it without the GIL.
void run_product(const Instruction& i, std::span<const BoundView> operands, RunState&) {
    if (multiply_vectors(i.op, operands) || multiply_matrices(i.op, operands)) return;
    struct Gil {
        PyGILState_STATE state = PyGILState_Ensure();
        ~Gil() { PyGILState_Release(state); }
    } gil;
    call_ufunc(i.op, operands);
}

}  // namespace

PyObject* execute_matrix(Op op, PyObject* const* ins, const Keywords& keywords,
                         const RawCall& raw) {
    Operands operands;
    Output out;
    bool native = !keywords.where && keywords.order == 'K';
    for (int k = 0; k < 2; ++k) native = native && operands.add(ins[k]) && operands.args[k].view;
    if (keywords.out[0]) native = native && out.take(keywords.out[0]);
    if (!native) return numpy_answers(op, nullptr, raw);
    const OperandType types[] = {{operands.args[0].dtype}, {operands.args[1].dtype}};
    const Loop loop = keywords.has_dtype ? resolve_as(op, types, keywords.dtype, keywords.casting)
                                         : resolve(op, types);
    check_casts(op, operands, loop, keywords.casting);
    const Dims shape = matrix_shape(op, *operands.args[0].view, *operands.args[1].view);
    // NumPy broadcasts a product to an output of more axes, or refuses the output.
    if (out && out.view().shape != shape) return numpy_answers(op, nullptr, raw);
    if (out) check_output_cast(op, 0, loop.out[0], out.view().dtype, keywords.casting);
    if (out) warn_complex_discard(loop.out[0], out.view().dtype);
    const bool direct = out && out.view().dtype == loop.out[0];
    View result = direct ? out.view() : product_view(op, loop.out[0], shape, operands);
    // A product needs memory in any case, so one that is too large is refused here.
    if (!direct) require_memory(result);
    View cast[2];
    Request request;
    request.op = op;
    request.compute = loop.compute;
    request.nin = 2;
    request.out[0] = &result;
    for (int k = 0; k < 2; ++k) {
        request.in[k].view = operands.args[k].view;
        request.in[k].dtype = operands.args[k].dtype;
        // The row has no parameter for dtype=, so the operands are cast.
        if (!keywords.has_dtype || types[k].dtype == loop.in[k]) continue;
        cast[k] = contiguous_copy(*operands.args[k].view, loop.in[k]);
        request.in[k].view = &cast[k];
        request.in[k].dtype = loop.in[k];
    }
    request.errstate = current_errstate();
    request.step_of = keywords.step_of;
    if (result.size() > 0) Engine::instance().submit(request);
    if (!out) return wrap_result(std::move(result), !keywords.as_array);
    if (!direct) record_cast(out.view(), result, nullptr);
    return out.result();
}

// dot_product(a, b, out=None): matmul whose floating-point warnings name `dot`, as those of NumPy's
// dot and of functions built on it.
HS_FAST_METHOD(dot_product) {
    PyObject* names = made_once([] { return Py_BuildValue("(s)", "out"); });
    Keywords as_dot;
    as_dot.step_of = StepOf::Dot;
    std::optional<Unreported> quiet;
    if (!asked_once([] { return "dot_reports"; })) quiet.emplace();
    const bool has_out = count == 3 && args[2] != Py_None;
    if (has_out) as_dot.out[0] = args[2];
    return execute_matrix(Op::Matmul, args, as_dot, {args, 2, has_out ? names : nullptr});
}

namespace {

// The two arguments, if both are our or NumPy's arrays with 1 to `most_axes` axes; else null.
struct Factors {
    Ref x, y;

    Factors(PyObject* const* args, Py_ssize_t count, std::size_t most_axes) {
        if (count != 2) return;
        x = plain_operand(args[0]);
        if (x) y = plain_operand(args[1]);
        if (!y || !has_axes(x, most_axes) || !has_axes(y, most_axes)) x = y = Ref();
    }
    explicit operator bool() const { return static_cast<bool>(x); }
    static bool has_axes(const Ref& array, std::size_t most) {
        const std::size_t axes = self_of(array.get())->view.ndim();
        return axes > 0 && axes <= most;
    }
};

// Returns a copy if a stride is not positive, as NumPy's dot makes for BLAS, else the array. The
// Python function does the same.
Ref forward(Ref array) {
    const View& v = self_of(array.get())->view;
    const bool astray = is_inexact(v.dtype) && std::any_of(v.strides.begin(), v.strides.end(),
                                                           [](auto s) { return s <= 0; });
    return astray ? own(new_array(copy_in_order(v, v.dtype, 'C'))) : array;
}

PyObject* product(Factors factors) {
    const View &a = self_of(factors.x.get())->view, &b = self_of(factors.y.get())->view;
    if (a.shape.back() != b.shape[0]) Py_RETURN_NOTIMPLEMENTED;
    const Ref x = forward(std::move(factors.x)), y = forward(std::move(factors.y));
    PyObject* const both[] = {x.get(), y.get()};
    return dot_product(nullptr, both, 2, nullptr);
}

}  // namespace

HS_FAST_METHOD(dot) {
    Factors factors(args, count, 2);
    if (!factors) Py_RETURN_NOTIMPLEMENTED;
    return product(std::move(factors));
}

HS_FAST_METHOD(inner) {
    Factors factors(args, count, 1);
    if (!factors) Py_RETURN_NOTIMPLEMENTED;
    return product(std::move(factors));
}

// NumPy's vdot reports no floating-point errors.
HS_FAST_METHOD(vdot) {
    Factors factors(args, count, 1);
    if (!factors) Py_RETURN_NOTIMPLEMENTED;
    const Unreported errstate;
    const View &a = self_of(factors.x.get())->view, &b = self_of(factors.y.get())->view;
    if (kind(a.dtype) != DTypeKind::Complex) return product(std::move(factors));
    if (a.shape[0] != b.shape[0]) Py_RETURN_NOTIMPLEMENTED;
    PyObject* const both[] = {factors.x.get(), factors.y.get()};
    return execute_matrix(Op::Vecdot, both, Keywords(), {both, 2, nullptr});
}

void init_matrix() {
    for (int op = 0; op < kOpCount; ++op) {
        const bool ufunc = kOps[op].is_opaque() && kOps[op].has(kUfunc);
        if (!ufunc || kOps[op].nin != 2) continue;  // isnat has no signature
        signature_of(static_cast<Op>(op));          // products read it without the GIL
        find_matrix_loops(static_cast<Op>(op));
        register_library_routine(static_cast<Op>(op), run_product);
    }
}

}  // namespace hassium
