// Program to text; docs/bytecode.md describes the form, parser.cpp reads it back.
#include <bit>
#include <string>

#include "program/program.hpp"
#include "program/text/literal.hpp"
#include "program/text/text_types.hpp"

namespace hassium {
namespace {

// A base is counted in elements of its dtype, unless its size is no multiple of them.
DType unit_of(const BaseInfo& base) {
    return base.bytes % itemsize(base.dtype) == 0 ? base.dtype : DType::U8;
}

std::string base_name(BaseId base) { return "b" + std::to_string(base); }

// Returns the text of a view after the name of the base.
std::string view_text(const Program& p, const Operand& o) {
    const BaseInfo& base = p.bases[o.base];
    auto shape = p.shape(o);
    auto strides = p.strides(o);
    std::int64_t size = itemsize(o.dtype);
    std::string text;
    bool by_elements = o.dtype == unit_of(base) && o.offset % size == 0;
    for (std::int64_t stride : strides) by_elements = by_elements && stride % size == 0;
    bool whole = by_elements && o.ndim == 1 && o.offset == 0 && strides[0] == size &&
                 shape[0] * size == base.bytes;
    if (whole) return text;
    std::int64_t unit = by_elements ? size : 1;
    if (!by_elements) text += ":" + std::string(info(o.dtype).name) + "@";
    text += "[" + std::to_string(o.offset / unit) + "+(";
    for (std::size_t k = 0; k < shape.size(); ++k) {
        if (k > 0) text += ",";
        text += std::to_string(shape[k]) + ":" + std::to_string(strides[k] / unit);
    }
    text += ")]";
    return text;
}

class InstructionText {
  public:
    InstructionText(const Program& program, const Instruction& instruction)
        : p_(program), i_(instruction) {}

    std::string line() {
        text_ = info(i_.op).name;
        if (info(i_.op).is_system()) {
            const Operand& o = p_.operands[i_.operands];
            text_ += " ";
            is_all_bytes(o) ? void(text_ += base_name(o.base)) : view(o);
            return text_;
        }
        if (i_.method == Method::Reduce) text_ += ".reduce";
        if (i_.method == Method::Accumulate) text_ += ".accumulate";
        if (i_.method == Method::At) text_ += ".at";
        if (i_.method == Method::Reduceat) text_ += ".reduceat";
        if (!compute_is_implied()) text_ += ":" + std::string(info(i_.compute).name);
        axes();
        for (int k = 0; k < i_.nout; ++k) {
            text_ += k == 0 ? " " : ",";
            view(p_.outputs(i_)[static_cast<std::size_t>(k)]);
        }
        for (int k = 0; k < i_.nin; ++k) {
            const Operand& in = p_.inputs(i_)[static_cast<std::size_t>(k)];
            text_ += " ";
            in.is_constant() ? constant(in, k) : view(in);
        }
        if (const Operand* mask = p_.mask(i_)) {
            text_ += " where=";
            view(*mask);
        }
        return text_;
    }

  private:
    bool compute_is_implied() const {
        SmallVec<OperandType, 3> ins;
        bool all_constant = i_.nin > 0;
        for (const Operand& in : p_.inputs(i_)) {
            all_constant = all_constant && in.is_constant();
            ins.push_back(in.is_constant() ? literal_type(kind(in.dtype)) : OperandType{in.dtype});
        }
        if (i_.nin != input_count(i_.op, i_.method) || i_.nout == 0) return false;
        Op op = i_.op;
        auto implied = implied_compute(op, i_.method, ins, all_constant, p_.outputs(i_)[0].dtype);
        return implied == i_.compute && op == i_.op;
    }
    void axes() {
        const char* lead = " axis=";
        for (std::uint64_t rest = i_.axes; rest != 0; rest &= rest - 1) {
            text_ += lead + std::to_string(std::countr_zero(rest));
            lead = ",";
        }
    }
    void constant(const Operand& in, int k) {
        const Constant& value = p_.constants[static_cast<std::size_t>(in.offset)];
        const bool bits = info(i_.op).rule == DTypeRule::Stream;
        text_ += bits ? format_bits(value) : format_constant(value, in.dtype);
        if (in.dtype != input_dtype(i_.op, i_.method, i_.compute, k)) {
            text_ += ":" + std::string(info(in.dtype).name);
        }
    }
    bool is_all_bytes(const Operand& o) const {
        return o.dtype == DType::U8 && o.ndim == 1 && p_.shape(o)[0] == p_.bases[o.base].bytes &&
               p_.strides(o)[0] == 1;
    }
    void view(const Operand& o) { text_ += base_name(o.base) + view_text(p_, o); }

    const Program& p_;
    const Instruction& i_;
    std::string text_;
};

}  // namespace

std::string Program::dump_instruction(std::size_t index) const {
    return InstructionText(*this, instructions[index]).line();
}

std::string Program::dump_view(const Operand& view) const {
    bool named = view.base < names.size();
    return (named ? names[view.base] : base_name(view.base)) + view_text(*this, view);
}

std::string Program::dump() const {
    std::string text;
    for (std::size_t k = 0; k < bases.size(); ++k) {
        DType unit = unit_of(bases[k]);
        text += "base " + base_name(static_cast<BaseId>(k)) + " " + std::string(info(unit).name) +
                " " + std::to_string(bases[k].bytes / itemsize(unit));
        text += bases[k].input ? " input\n" : "\n";
    }
    for (std::size_t k = 0; k < instructions.size(); ++k) text += dump_instruction(k) + "\n";
    return text;
}

}  // namespace hassium
