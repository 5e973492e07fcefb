// Binds the op table and its dtype rules as Python data, from which tests, docs, the stub and
// benchmarks take their parameters.
#include <pybind11/stl.h>

#include <limits>
#include <string>
#include <vector>

#include "bind/module/module.hpp"
#include "ops/dtype_rules.hpp"
#include "ops/op_info.hpp"

namespace py = pybind11;

namespace hassium {

namespace {

constexpr std::string_view kClassNames[] = {"map",     "reduce", "generate", "gather",
                                            "scatter", "opaque", "system"};

struct NamedBit {
    std::uint32_t bit;
    const char* name;
};
constexpr NamedBit kFlagNames[] = {{kCommutative, "commutative"},
                                   {kAssociative, "associative"},
                                   {kReducible, "reducible"},
                                   {kReorderable, "reorderable"},
                                   {kMath, "math"},
                                   {kScalarLoop, "scalar_loop"},
                                   {kUfunc, "ufunc"},
                                   {kExact, "exact"},
                                   {kBoolResult, "bool_result"},
                                   {kIntRaises, "int_raises"},
                                   {kChecksExponent, "checks_exponent"},
                                   {kByParts, "by_parts"},
                                   {kNumberTest, "number_test"}};
constexpr NamedBit kConditionNames[] = {
    {kDivide, "divide"}, {kOver, "over"}, {kUnder, "under"}, {kInvalid, "invalid"}};

template <std::size_t N>
py::tuple names_of(const NamedBit (&table)[N], std::uint32_t bits) {
    py::list names;
    for (const NamedBit& b : table) {
        if (bits & b.bit) names.append(b.name);
    }
    return py::tuple(names);
}

py::object identity_of(const OpInfo& row) {
    const bool truth = row.has(kBoolResult);
    switch (row.identity) {
        case Identity::None:
            return py::none();
        case Identity::Zero:
            return truth ? py::object(py::bool_(false)) : py::object(py::int_(0));
        case Identity::One:
            return truth ? py::object(py::bool_(true)) : py::object(py::int_(1));
        case Identity::AllOnes:
            return py::int_(-1);
        case Identity::MinusInf:
            return py::float_(-std::numeric_limits<double>::infinity());
    }
    return py::none();
}

py::str name_of(DType t) { return py::str(info(t).name.data(), info(t).name.size()); }

py::tuple inputs_of(const OpInfo& row, const Loop& loop) {
    py::tuple in(row.nin);
    for (std::size_t i = 0; i < row.nin; ++i) in[i] = name_of(loop.in[i]);
    return in;
}

py::tuple outputs_of(const OpInfo& row, const Loop& loop) {
    py::tuple out(row.nout);
    for (std::size_t i = 0; i < row.nout; ++i) out[i] = name_of(loop.out[i]);
    return out;
}

py::dict row_of(Op op) {
    const OpInfo& row = info(op);
    py::dict loops;
    for (int t = 0; t < kDTypeCount; ++t) {
        const std::optional<Loop> loop = loop_of(op, static_cast<DType>(t));
        if (!loop) continue;
        loops[name_of(loop->compute)] =
            py::make_tuple(inputs_of(row, *loop), outputs_of(row, *loop));
    }
    py::list aliases;
    for (const OpAlias& a : kOpAliases) {
        if (a.name == row.name) aliases.append(std::string(a.alias));
    }
    py::dict d;
    d["name"] = std::string(row.name);
    d["nin"] = row.nin;
    d["nout"] = row.nout;
    d["class"] = std::string(kClassNames[static_cast<int>(row.cls)]);
    d["flags"] = names_of(kFlagNames, row.flags);
    d["identity"] = identity_of(row);
    d["cycles"] = row.cycles;
    d["ulp"] = row.ulp;
    d["raises"] = names_of(kConditionNames, row.raises);
    d["aliases"] = py::tuple(aliases);
    d["loops"] = loops;
    return d;
}

py::list op_table() {
    py::list rows;
    for (int i = 0; i < kOpCount; ++i) rows.append(row_of(static_cast<Op>(i)));
    return rows;
}

DType dtype_named(const std::string& name) {
    const std::optional<DType> t = find_dtype(name);
    if (!t) throw py::value_error("not a native dtype: " + name);
    return *t;
}

// Parses a dtype's name, or `int`, `float`, `complex` for a Python scalar.
OperandType operand_named(const std::string& name) {
    if (name == "int") return {DType::I64, Weak::Int};
    if (name == "float") return {DType::F64, Weak::Float};
    if (name == "complex") return {DType::C128, Weak::Complex};
    return {dtype_named(name), Weak::Strong};
}

// Returns (row, inputs, outputs) of the loop for operands of these types.
py::tuple resolve_names(const std::string& name, const std::vector<std::string>& types,
                        const std::optional<std::string>& dtype) {
    std::optional<Op> op = find_op(name);
    if (!op) throw py::value_error("not an operation: " + name);
    if (types.size() != info(*op).nin) throw py::value_error("wrong number of operands: " + name);
    std::vector<OperandType> ins;
    for (const std::string& t : types) ins.push_back(operand_named(t));
    const Loop loop = translated([&] {
        return dtype ? resolve_as(*op, ins, dtype_named(*dtype), Casting::SameKind)
                     : resolve(*op, ins);
    });
    const OpInfo& row = info(*op);  // resolve() may change the row
    return py::make_tuple(std::string(row.name), inputs_of(row, loop), outputs_of(row, loop));
}

}  // namespace

void bind_ops(py::module_& m) {
    m.def("op_table", &op_table);
    m.def("resolve", &resolve_names, py::arg("name"), py::arg("types"),
          py::arg("dtype") = py::none());
}

}  // namespace hassium
