// Programs built by hand for the tests of planning and execution, their memory, and a naive
// interpreter for float64 that follows the prose of reduction_tree.hpp to the letter.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <vector>

#include "exec/executor.hpp"
#include "plan/lower/lower.hpp"
#include "program/program.hpp"
#include "program/reduction_tree.hpp"
#include "support/check.hpp"

namespace blocks {

using namespace hassium;  // NOLINT: tests speak of the project alone

struct View {
    BaseId base;
    DType dtype;
    std::int64_t offset;
    Dims shape, strides;
    bool constant = false;
    double value = 0;
};

inline Dims c_strides(const Dims& shape, std::int64_t bytes) {
    Dims out(shape.size(), 0);
    for (std::size_t k = shape.size(); k-- > 0;) {
        out[k] = bytes;
        bytes *= shape[k];
    }
    return out;
}

struct Builder {
    Program program;

    View array(DType dtype, const Dims& shape, bool input = false) {
        std::int64_t bytes = element_count(shape) * itemsize(dtype);
        program.bases.push_back({bytes, dtype, static_cast<std::uint8_t>(input), {}});
        return {static_cast<BaseId>(program.bases.size() - 1), dtype, 0, shape,
                c_strides(shape, itemsize(dtype))};
    }
    static View constant(DType dtype, double value) {
        return {kConstant, dtype, 0, {}, {}, true, value};
    }

    void operand(const View& v) {
        if (!v.constant) {
            append_view(program, v.base, v.dtype, v.offset, v.shape, v.strides);
            return;
        }
        Constant c{};
        auto put = [&c](auto x) { std::memcpy(c.bytes, &x, sizeof(x)); };
        if (v.dtype == DType::F64) put(v.value);
        if (v.dtype == DType::F32) put(static_cast<float>(v.value));
        if (v.dtype == DType::I64) put(static_cast<std::int64_t>(v.value));
        if (v.dtype == DType::I32) put(static_cast<std::int32_t>(v.value));
        if (v.dtype == DType::Bool) put(v.value != 0);
        append_constant(program, v.dtype, c);
    }
    std::uint32_t add(Op op, DType compute, const std::vector<View>& outs,
                      const std::vector<View>& ins, const View* mask = nullptr,
                      Method method = Method::Call, std::uint64_t axes = 0) {
        Instruction i{};
        i.op = op;
        i.method = method;
        i.compute = compute;
        i.nout = static_cast<std::uint8_t>(outs.size());
        i.nin = static_cast<std::uint8_t>(ins.size());
        i.masked = mask != nullptr;
        i.operands = static_cast<std::uint32_t>(program.operands.size());
        i.axes = axes;
        for (const View& v : outs) operand(v);
        for (const View& v : ins) operand(v);
        if (mask) operand(*mask);
        program.instructions.push_back(i);
        program.origins.push_back({});
        return static_cast<std::uint32_t>(program.instructions.size() - 1);
    }
    void system(Op op, BaseId base) {
        Instruction i{};
        i.op = op;
        i.operands = static_cast<std::uint32_t>(program.operands.size());
        append_view(program, base, DType::U8, 0, Dims{program.bases[base].bytes}, Dims{1});
        program.instructions.push_back(i);
        program.origins.push_back({});
    }
    void del(const View& v) { system(Op::Del, v.base); }
    void sync(const View& v) { system(Op::Sync, v.base); }
};

inline Block block_of(std::uint32_t first, std::uint32_t last) {
    Block block;
    for (std::uint32_t i = first; i < last; ++i) block.members.push_back({i});
    return block;
}

// Memory of a program's bases; every base has some, so that untouched ones can be compared.
struct Memory {
    std::vector<std::vector<char>> bytes;
    explicit Memory(const Program& p) {
        for (const BaseInfo& b : p.bases) bytes.emplace_back(static_cast<std::size_t>(b.bytes) + 8);
    }
    double* f64(const View& v) {
        return reinterpret_cast<double*>(bytes[v.base].data() + v.offset);
    }
};

// ---- the naive interpreter ----

inline void for_each_index(std::span<const std::int64_t> shape,
                           const std::function<void(const Dims&)>& visit) {
    if (element_count(shape) == 0) return;
    Dims index(shape.size(), 0);
    for (;;) {
        visit(index);
        std::size_t k = shape.size();
        while (k-- > 0) {
            if (++index[k] < shape[k]) break;
            index[k] = 0;
        }
        if (k == static_cast<std::size_t>(-1)) return;
    }
}

inline std::int64_t dot(std::span<const std::int64_t> a, std::span<const std::int64_t> b) {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
    return sum;
}

inline double read(const char* at, DType dtype) {
    auto as = [at](auto x) {
        std::memcpy(&x, at, sizeof(x));
        return static_cast<double>(x);
    };
    switch (dtype) {
        case DType::F64:
            return as(0.0);
        case DType::F32:
            return as(0.0f);
        case DType::I64:
            return as(std::int64_t{});
        case DType::I32:
            return as(std::int32_t{});
        case DType::Bool:
            return *at != 0;
        default:
            check::fail(__FILE__, __LINE__, "dtype of the naive interpreter");
    }
    return 0;
}

inline void write(char* at, DType dtype, double value) {
    auto as = [at](auto x) { std::memcpy(at, &x, sizeof(x)); };
    switch (dtype) {
        case DType::F64:
            return as(value);
        case DType::F32:
            return as(static_cast<float>(value));
        case DType::I64:
            return as(static_cast<std::int64_t>(value));
        case DType::I32:
            return as(static_cast<std::int32_t>(value));
        case DType::Bool:
            return as(value != 0);
        default:
            check::fail(__FILE__, __LINE__, "dtype of the naive interpreter");
    }
}

inline double apply(Op op, double a, double b) {
    switch (op) {
        case Op::Add:
            return a + b;
        case Op::Subtract:
            return a - b;
        case Op::Multiply:
            return a * b;
        case Op::Divide:
            return a / b;
        case Op::Sqrt:
            return std::sqrt(a);
        case Op::Less:
            return a < b;
        case Op::Copy:
            return a;
        default:
            check::fail(__FILE__, __LINE__, "row of the naive interpreter");
    }
    return 0;
}

inline double balanced(Op op, std::vector<double> values) {
    while (values.size() > 1) {
        std::vector<double> next;
        for (std::size_t k = 0; k + 1 < values.size(); k += 2) {
            next.push_back(apply(op, values[k], values[k + 1]));
        }
        if (values.size() % 2) next.push_back(values.back());
        values = std::move(next);
    }
    return values[0];
}

inline double lanes(Op op, const double* x, std::size_t n) {
    std::vector<double> lane(x, x + std::min<std::size_t>(n, 64));
    for (std::size_t k = 64; k < n; ++k) lane[k % 64] = apply(op, lane[k % 64], x[k]);
    for (std::size_t h = 32; h > 0; h /= 2) {
        for (std::size_t l = 0; l < h; ++l) {
            if (l + h < lane.size()) lane[l] = apply(op, lane[l], lane[l + h]);
        }
    }
    return lane[0];
}

inline double in_order(Op op, const double* x, std::size_t n) {
    double sum = x[0];
    for (std::size_t k = 1; k < n; ++k) sum = apply(op, sum, x[k]);
    return sum;
}

// One output's elements in tree order to its value.
inline double combine(Op op, const ReductionTree& tree, const std::vector<double>& elements) {
    if (elements.empty()) return op == Op::Multiply ? 1 : 0;
    if (tree.sequential) return in_order(op, elements.data(), elements.size());
    std::vector<double> partials;
    auto row = static_cast<std::size_t>(tree.row_form ? tree.row_elements
                                                      : static_cast<std::int64_t>(elements.size()));
    auto chunk = static_cast<std::size_t>(tree.row_form ? ReductionTree::kChunk
                                                        : ReductionTree::kColumnChunk);
    for (std::size_t begin = 0; begin < elements.size(); begin += row) {
        for (std::size_t at = begin; at < begin + row; at += chunk) {
            std::size_t n = std::min(chunk, begin + row - at);
            const bool few = n < static_cast<std::size_t>(ReductionTree::in_order(DType::F64));
            const double value = tree.row_form && !few ? lanes(op, &elements[at], n)
                                                       : in_order(op, &elements[at], n);
            partials.push_back(tree.row_form && op == Op::Add ? 0 + value : value);
        }
    }
    return balanced(op, partials);
}

inline void naive_reduce(const Program& p, const Instruction& i, Memory& memory) {
    const Operand& in = p.inputs(i)[0];
    const Operand& out = p.outputs(i)[0];
    std::span<const std::int64_t> shape = p.shape(in);
    ReductionTree tree = reduction_tree(shape, p.strides(in), i.axes, info(i.op).has(kAssociative));
    Dims ordered;  // the input's shape in tree order
    for (std::uint8_t axis : tree.order) ordered.push_back(shape[axis]);
    std::map<std::int64_t, std::vector<double>> elements;
    for_each_index(p.shape(out), [&](const Dims& kept) { elements[dot(kept, p.strides(out))]; });
    for_each_index(ordered, [&](const Dims& at) {
        Dims index(shape.size(), 0);
        for (std::size_t k = 0; k < at.size(); ++k) index[tree.order[k]] = at[k];
        std::int64_t to = 0, next = 0;
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            if ((i.axes >> axis & 1) == 0) {
                to += index[axis] * p.strides(out)[static_cast<std::size_t>(next++)];
            }
        }
        elements[to].push_back(
            read(memory.bytes[in.base].data() + in.offset + dot(index, p.strides(in)), in.dtype));
    });
    for (auto& [offset, list] : elements) {
        write(memory.bytes[out.base].data() + out.offset + offset, out.dtype,
              combine(i.op, tree, list));
    }
}

inline void naive_map(const Program& p, const Instruction& i, Memory& memory) {
    const Operand& out = p.outputs(i)[0];
    std::int64_t count = 0;
    for_each_index(p.shape(out), [&](const Dims& index) {
        double x[3] = {};
        std::span<const Operand> all = p.operands_of(i);
        for (std::size_t k = 1; k < all.size(); ++k) {
            const Operand& o = all[k];
            const char* at =
                o.is_constant() ? reinterpret_cast<const char*>(
                                      p.constants[static_cast<std::size_t>(o.offset)].bytes)
                                : memory.bytes[o.base].data() + o.offset + dot(index, p.strides(o));
            x[k - 1] = read(at, o.dtype);
        }
        char* to = memory.bytes[out.base].data() + out.offset + dot(index, p.strides(out));
        if (i.masked && x[i.nin] == 0) return;
        double value = info(i.op).cls == OpClass::Generate
                           ? x[0] + static_cast<double>(count++) * x[1]
                           : apply(i.op, x[0], x[1]);
        write(to, out.dtype, value);
    });
}

inline void naive(const Program& p, Memory& memory) {
    for (const Instruction& i : p.instructions) {
        if (info(i.op).cls == OpClass::System) continue;
        if (i.method == Method::Reduce) {
            naive_reduce(p, i, memory);
        } else {
            naive_map(p, i, memory);
        }
    }
}

}  // namespace blocks
