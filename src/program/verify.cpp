// The executable specification of a program: the invariants that every later stage relies on.
#include <algorithm>
#include <bit>
#include <string>

#include "base/error.hpp"
#include "ops/dtype_rules.hpp"
#include "program/overlap.hpp"
#include "program/program.hpp"
#include "program/text/text_types.hpp"

namespace hassium {
namespace {

using Shape = std::span<const std::int64_t>;

bool equal(Shape a, Shape b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

std::string text(Shape shape) {
    std::string result = "(";
    for (std::int64_t extent : shape) {
        result += (result.size() > 1 ? "," : "") + std::to_string(extent);
    }
    return result + ")";
}

Dims without_axes(Shape shape, std::uint64_t axes) {
    Dims kept;
    for (std::size_t k = 0; k < shape.size(); ++k) {
        if (!(axes >> k & 1)) kept.push_back(shape[k]);
    }
    return kept;
}

// Checks one instruction; each rule returns a sentence, or nothing.
class Checker {
  public:
    Checker(const Program& program, const Instruction& instruction)
        : p_(program), i_(instruction), row_(info(instruction.op)) {}

    std::string fault() {
        std::string found = counts();
        if (!found.empty() || row_.is_system()) return found;
        for (const Operand& o : p_.operands_of(i_)) {
            if (!(found = operand(o)).empty()) return found;
        }
        for (auto rule : {&Checker::roles, &Checker::loop, &Checker::axes, &Checker::shapes,
                          &Checker::overlaps}) {
            if (!(found = (this->*rule)()).empty()) return found;
        }
        return {};
    }

  private:
    std::string counts();
    std::string operand(const Operand& o);
    std::string roles();
    std::string loop();
    std::string axes();
    std::string shapes();
    std::string map_shapes();
    std::string segmented_shapes();
    std::string indexed_shapes();
    std::string overlaps();
    Extent extent(const Operand& o) const {
        return {o.offset, itemsize(o.dtype), p_.shape(o), p_.strides(o)};
    }

    const Program& p_;
    const Instruction& i_;
    const OpInfo& row_;
};

std::string Checker::counts() {
    if (i_.operands + static_cast<std::size_t>(i_.operand_count()) > p_.operands.size()) {
        return "its operands lie outside the operand list";
    }
    if (row_.is_system()) {
        if (i_.nout != 0 || i_.nin != 1 || i_.masked) return "it takes one base";
        const Operand& o = p_.operands[i_.operands];
        if (o.is_constant() || o.base >= p_.bases.size()) return "it names no base";
        return operand(o);
    }
    const bool at = i_.method == Method::At;
    if (i_.method != Method::Call && !(at ? has_at(i_.op) : row_.has(kReducible))) {
        return "the operation has no such method";
    }
    if (i_.masked > 1) return "it has more than one mask";
    if (i_.nout != row_.nout || i_.nin != input_count(i_.op, i_.method)) {
        return "it takes " + std::to_string(row_.nout) + " output(s) and " +
               std::to_string(input_count(i_.op, i_.method)) + " input(s)";
    }
    return {};
}

std::string Checker::operand(const Operand& o) {
    if (o.is_constant()) {
        bool held = o.offset >= 0 && static_cast<std::size_t>(o.offset) < p_.constants.size();
        return held && o.ndim == 0 ? "" : "a constant lies outside the constant list";
    }
    if (o.base >= p_.bases.size()) return "an operand names no base";
    if (o.geometry + 2 * static_cast<std::size_t>(o.ndim) > p_.geometry.size()) {
        return "an operand's geometry lies outside the geometry list";
    }
    for (std::int64_t n : p_.shape(o)) {
        if (n < 0) return "an extent is negative";
    }
    std::int64_t first, last;
    byte_bounds(extent(o), first, last);
    if (first != last && (first < 0 || last > p_.bases[o.base].bytes)) {
        return "a view lies outside its base of " + std::to_string(p_.bases[o.base].bytes) +
               " bytes";
    }
    return {};
}

std::string Checker::roles() {
    for (const Operand& out : p_.outputs(i_)) {
        if (out.is_constant()) return "an output is a constant";
    }
    if (iterates_over_input(i_.method) && p_.inputs(i_)[0].is_constant()) {
        return "its input is a constant";
    }
    if (const Operand* mask = p_.mask(i_)) {
        if (mask->is_constant() || mask->dtype != DType::Bool) return "its mask is no bool view";
        bool allowed =
            row_.is_elementwise() && (i_.method == Method::Call || i_.method == Method::Reduce);
        if (!allowed) return "it takes no mask";
        if (i_.method == Method::Reduce && row_.identity == Identity::None) {
            return "it takes no mask: the operation has no identity";
        }
    }
    return {};
}

std::string Checker::loop() {
    if (row_.is_opaque()) return {};
    std::optional<Loop> loop = loop_of(i_.op, i_.compute);
    bool in_place = true;  // the dtypes that the method combines, and that of its result
    if (loop && i_.method == Method::At) {
        in_place = loop->in[0] == i_.compute && loop->in[1] == i_.compute;
    }
    if (loop && in_place && (i_.method == Method::Call || loop->out[0] == i_.compute)) return {};
    if (loop) return "its results in " + std::string(info(i_.compute).name) + " cannot be folded";
    return "the operation has no loop in " + std::string(info(i_.compute).name);
}

std::string Checker::axes() {
    bool scatters = is_scatter(i_.op, i_.method);
    bool indexed = row_.is_gather() || scatters;
    bool over_input = i_.method != Method::Call || row_.is_arg_reduction();
    if (!indexed && !over_input) {
        return i_.axes == 0 || row_.is_opaque() ? "" : "it takes no axes";
    }
    const Operand& walked = scatters ? p_.outputs(i_)[0] : p_.inputs(i_)[0];
    if (walked.is_constant()) return "its first input is a constant";
    if (walked.ndim < 64 && i_.axes >> walked.ndim != 0) return "an axis is out of bounds";
    int count = std::popcount(i_.axes);
    if (indexed || i_.method == Method::Accumulate || i_.method == Method::Reduceat) {
        return count == 1 ? "" : "it takes exactly one axis";
    }
    if (i_.method == Method::Reduce && !row_.has(kReorderable) && count > 1) {
        return "it takes one axis: the operation is not reorderable";
    }
    return {};
}

std::string Checker::map_shapes() {
    Shape shape = p_.iteration_shape(i_);
    for (const Operand& o : p_.operands_of(i_)) {
        if (!o.is_constant() && !equal(p_.shape(o), shape)) {
            return "an operand has shape " + text(p_.shape(o)) + ", the iteration " + text(shape);
        }
    }
    return {};
}

// take: out has the shape of values with the axis replaced by the index's axes. put: the same with
// the roles of out and values exchanged.
std::string Checker::indexed_shapes() {
    bool gather = row_.is_gather();
    const Operand& whole = gather ? p_.inputs(i_)[0] : p_.outputs(i_)[0];
    const Operand& part = gather ? p_.outputs(i_)[0] : p_.inputs(i_)[0];
    const Operand& index = p_.inputs(i_)[1];
    if (i_.method == Method::At && (whole.dtype != i_.compute || part.dtype != i_.compute)) {
        return "it combines elements of another dtype";
    }
    if (index.is_constant()) return "its index is a constant";
    if (part.is_constant()) return {};
    int axis = std::countr_zero(i_.axes);
    Dims expected;
    for (int k = 0; k < whole.ndim; ++k) {
        if (k != axis) {
            expected.push_back(p_.shape(whole)[static_cast<std::size_t>(k)]);
            continue;
        }
        for (std::int64_t n : p_.shape(index)) expected.push_back(n);
    }
    if (equal(p_.shape(part), expected)) return {};
    return "shape " + text(p_.shape(part)) + " does not fit the index: must be " + text(expected);
}

// reduceat: out has the shape of values with one element per segment along the axis.
std::string Checker::segmented_shapes() {
    const Operand &in = p_.inputs(i_)[0], &index = p_.inputs(i_)[1];
    if (index.is_constant() || index.ndim != 1) return "its index is no vector";
    if (in.dtype != i_.compute || i_.compute == DType::F16) {
        return "it reduces segments in another dtype";
    }
    Dims expected(p_.shape(in));
    expected[static_cast<std::size_t>(std::countr_zero(i_.axes))] = p_.shape(index)[0];
    if (equal(p_.shape(p_.outputs(i_)[0]), expected)) return {};
    return "the output has not the shape " + text(expected);
}

std::string Checker::shapes() {
    if (row_.is_opaque() || row_.is_system()) return {};
    if (row_.is_gather() || is_scatter(i_.op, i_.method)) return indexed_shapes();
    if (i_.method == Method::Reduceat) return segmented_shapes();
    if (row_.is_loop() && i_.method != Method::Reduce) return map_shapes();
    Shape in = p_.shape(p_.inputs(i_)[0]);
    Dims kept = without_axes(in, i_.axes);
    if (!equal(p_.shape(p_.outputs(i_)[0]), kept)) {
        return "the output has shape " + text(p_.shape(p_.outputs(i_)[0])) +
               ", the kept axes have " + text(kept);
    }
    bool nothing = element_count(in) == 0 && element_count(kept) > 0;
    if (nothing && row_.identity == Identity::None) {
        return "it reduces nothing, and the operation has no identity";
    }
    const Operand* mask = p_.mask(i_);
    if (mask && !equal(p_.shape(*mask), in)) return "the mask has another shape than the input";
    return {};
}

// Def. 11 of the paper: a map may read exactly what it writes; the recorder removes every other
// overlap by copying first, and outputs in which an element is written twice. Opaque routines
// handle overlap themselves.
std::string Checker::overlaps() {
    if (row_.is_opaque()) return {};
    bool element_wise =
        row_.is_elementwise() && (i_.method == Method::Call || i_.method == Method::Accumulate);
    auto operands = p_.operands_of(i_);
    for (int o = 0; o < i_.nout; ++o) {
        const Operand& out = operands[static_cast<std::size_t>(o)];
        if (overlaps_itself(extent(out))) return "an output holds an element twice";
        for (int k = o + 1; k < i_.operand_count(); ++k) {
            const Operand& other = operands[static_cast<std::size_t>(k)];
            if (other.is_constant() || other.base != out.base) continue;
            if (k >= i_.nout && element_wise && same_view(extent(out), extent(other))) continue;
            if (may_overlap(extent(out), extent(other))) {
                return k < i_.nout ? "its outputs overlap"
                                   : "an input overlaps an output without being the same view";
            }
        }
    }
    return {};
}

}  // namespace

std::string Program::fault(std::size_t index) const {
    return Checker(*this, instructions[index]).fault();
}

void Program::verify() const {
    HS_CHECK(origins.empty() || origins.size() == instructions.size(),
             "every instruction has an origin");
    std::vector<bool> deleted(bases.size(), false);
    for (std::size_t k = 0; k < instructions.size(); ++k) {
        const Instruction& i = instructions[k];
        std::string wrong = fault(k);
        // An instruction too broken to be printed is named by its number alone.
        HS_CHECK(wrong.empty(), "instruction " + std::to_string(k) + ", " +
                                    std::string(info(i.op).name) + ": " + wrong);
        for (const Operand& o : operands_of(i)) {
            HS_CHECK(o.is_constant() || !deleted[o.base],
                     "instruction " + std::to_string(k) + ", " + dump_instruction(k) + ": base b" +
                         std::to_string(o.base) + " is used after its del");
        }
        if (is_del(i)) deleted[operands[i.operands].base] = true;
    }
}

void Program::verify_sources() const {
    std::vector<bool> written(bases.size());
    for (std::size_t b = 0; b < bases.size(); ++b) written[b] = bases[b].input;
    for (std::size_t k = 0; k < instructions.size(); ++k) {
        const Instruction& i = instructions[k];
        for (const Operand& o : outputs(i)) written[o.base] = true;
        for (const Operand& o : operands_of(i)) {
            HS_CHECK(o.is_constant() || written[o.base] || info(i.op).is_system(),
                     "instruction " + std::to_string(k) + ", " + dump_instruction(k) + ": base b" +
                         std::to_string(o.base) + " is read before anything is written to it");
        }
    }
}

}  // namespace hassium
