#include "rewrite/forms.hpp"

#include <algorithm>
#include <cstdlib>

#include "rewrite/base_uses.hpp"

namespace hassium {

SameForm compare_forms(const Program& program, const Instruction& a, const Instruction& b) {
    if (!is_map(a) || a.op != b.op || a.method != b.method || a.compute != b.compute ||
        a.nin != b.nin || a.nout != b.nout || a.masked != b.masked ||
        a.all_elements != b.all_elements || a.axes != b.axes) {
        return {};
    }
    const std::span<const std::int64_t> longer = program.iteration_shape(a);
    const std::span<const std::int64_t> shorter = program.iteration_shape(b);
    if (longer.size() != shorter.size()) return {};
    SameForm form{true};
    for (std::size_t k = 0; k < longer.size(); ++k) {
        if (longer[k] == shorter[k]) continue;
        if (longer[k] != shorter[k] + 1 || form.axis != SameForm::kNoAxis) return {};
        form.axis = k;
    }
    const auto alike = [&](const Operand& o, const Operand& p) {
        if (o.is_constant() != p.is_constant() || o.dtype != p.dtype) return false;
        return o.is_constant() || form.axis != SameForm::kNoAxis ||
               std::ranges::equal(program.strides(o), program.strides(p));
    };
    form.same = std::ranges::equal(program.operands_of(a), program.operands_of(b), alike);
    return form;
}

bool write_neighbours(const Program& program, const Instruction& a, const Instruction& b) {
    if (a.nout == 0 || b.nout == 0) return false;
    const Operand &o = program.outputs(a)[0], &p = program.outputs(b)[0];
    const std::int64_t step = std::abs(p.offset - o.offset);
    if (o.base != p.base || step == 0) return false;
    for (std::size_t k = 0; k < o.ndim; ++k) {
        if (program.shape(o)[k] > 1 && std::abs(program.strides(o)[k]) < step) return false;
    }
    return true;
}

}  // namespace hassium
