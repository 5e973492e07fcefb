// Fused sums of products, squares and bools: the kernel that folds a row computes its input.
//
// The products of a nest are absorbed by their sum if nothing else reads them. A chain would store
// them to a tile, from which the fold would load them again: three passes over the first-level
// cache instead of one over the operands. Bools from a comparison are counted as they are computed:
// the count gives their sum, whether any is true and whether all are.
#include <algorithm>

#include "exec/compile/compiler.hpp"

namespace hassium {

// Returns the statement before `end` that computes the operand, if exactly `readers` operands of
// later statements read it.
std::optional<std::size_t> Compiler::made_for(std::uint32_t operand, std::size_t end,
                                              std::ptrdiff_t readers) const {
    if (plan_.operands[operand].home != Home::Tile) return std::nullopt;
    std::optional<std::size_t> maker;
    std::ptrdiff_t uses = 0;
    for (std::size_t k = 0; k < plan_.statements.size(); ++k) {
        const auto& operands = plan_.statements[k].operands;
        uses += std::count(operands.begin(), operands.end(), operand);
        if (k < end && operands[0] == operand) maker = k;
    }
    return uses == readers + 1 ? maker : std::nullopt;
}

bool Compiler::computes(const Statement& s, DType dtype) const {
    return s.reduction < 0 && !s.masked && s.nout == 1 && s.compute == dtype &&
           std::all_of(
               s.operands.begin(), s.operands.end(),
               [&](std::uint32_t o) { return plan_.operands[o].dtype == dtype; });
}

bool Compiler::array_in_memory(std::uint32_t operand) const {
    const PlanOperand& o = plan_.operands[operand];
    return o.home == Home::Base && operand_layout(o) == OperandLayout::Contiguous;
}

// Also true for a value of the block that a chain can store to memory.
bool Compiler::comes_to_memory(std::uint32_t operand) const {
    const PlanOperand& o = plan_.operands[operand];
    return array_in_memory(operand) ||
           (o.home == Home::Tile && operand_layout(o) == OperandLayout::Contiguous);
}

bool Compiler::one_element(std::uint32_t operand) const {
    const PlanOperand& o = plan_.operands[operand];
    return o.home != Home::Tile && operand_layout(o) == OperandLayout::Scalar;
}

bool Compiler::rewritten(std::uint32_t operand, std::span<const std::size_t> parts,
                         std::size_t end) const {
    const PlanOperand& o = plan_.operands[operand];
    for (std::size_t k = parts[0]; k < end; ++k) {
        if (absorbed_[k] || std::find(parts.begin(), parts.end(), k) != parts.end()) continue;
        const Statement& s = plan_.statements[k];
        for (std::size_t out = 0; out < s.nout; ++out) {
            const PlanOperand& to = plan_.operands[s.operands[out]];
            if (to.home == o.home && to.index == o.index) return true;
        }
    }
    return false;
}

// Returns the fused sum of a product or square, or of a squared difference.
Compiler::Sum Compiler::sum_of_product(std::size_t product, DType dtype) const {
    const Statement& s = plan_.statements[product];
    const std::uint32_t x = s.operands[1], y = s.operands.back();
    if (x != y) {
        const bool both = comes_to_memory(x) && comes_to_memory(y);
        return {both, FoldOf::Product, x, y, {product}};
    }
    const Sum square{comes_to_memory(x), FoldOf::Square, x, x, {product}};
    const std::optional<std::size_t> difference = made_for(x, product, s.nin);
    if (!difference) return square;
    const Statement& d = plan_.statements[*difference];
    if (!info(d.op).is_difference() || !computes(d, dtype) || !array_in_memory(d.operands[1])) {
        return square;
    }
    const bool element = one_element(d.operands[2]);
    if (!element && !array_in_memory(d.operands[2])) return square;
    return {true,
            element ? FoldOf::SquaredDeviation : FoldOf::SquaredDifference,
            d.operands[1],
            d.operands[2],
            {*difference, product},
            element};
}

// Returns the fused fold of bools from two arrays, or an array and an element, by a row with a
// count kernel. Inputs that a chain computes are not fused: their bools take less memory.
Compiler::Sum Compiler::count_at(std::size_t statement) const {
    const Statement& s = plan_.statements[statement];
    const ReductionCode& c = code_.reductions[static_cast<std::size_t>(s.reduction)];
    const bool sums = info(s.op).is_sum() && s.compute == c.accumulator &&
                      (c.accumulator == DType::I64 || c.accumulator == DType::F64);
    if (!sums && !c.decides) return {};
    const std::optional<std::size_t> maker = made_for(s.operands[1], statement, 1);
    if (!maker) return {};
    const Statement& m = plan_.statements[*maker];
    const CountFn count = code_.table->count[static_cast<int>(m.op)][static_cast<int>(m.compute)];
    if (!count || m.masked || m.reduction >= 0) return {};
    const std::uint32_t x = m.operands[1], y = m.operands.back();
    auto of_compute = [&](std::uint32_t o) { return plan_.operands[o].dtype == m.compute; };
    if (!of_compute(x) || !of_compute(y) || !array_in_memory(x)) return {};
    Sum found{true, FoldOf::Truth, x, y, {*maker}, one_element(y), count};
    found.found = (found.one || array_in_memory(y)) && !rewritten(x, found.statements, statement) &&
                  !rewritten(y, found.statements, statement);
    return found;
}

Compiler::Sum Compiler::sum_at(std::size_t statement) const {
    const Statement& s = plan_.statements[statement];
    if (s.reduction < 0 || s.masked) return {};
    const ReductionCode& c = code_.reductions[static_cast<std::size_t>(s.reduction)];
    const std::uint32_t in = s.operands[1];
    if (!c.row_form || c.sequential || c.round) return {};
    if (plan_.operands[in].dtype == DType::Bool) {
        if (Sum count = count_at(statement); count.found) return count;
    }
    if (!info(s.op).is_sum()) return {};
    if (plan_.operands[in].dtype == DType::Bool && s.compute == c.accumulator) {
        Sum count{comes_to_memory(in), FoldOf::Truth, in, in, {}};
        count.found = count.found && sum_kernel(count, c.accumulator);
        return count;
    }
    if (plan_.operands[in].dtype != c.accumulator) return {};
    const std::optional<std::size_t> product = made_for(in, statement, 1);
    if (!product) return {};
    const Statement& p = plan_.statements[*product];
    const bool multiplies = info(p.op).is_product() || info(p.op).is_square();
    if (!multiplies || !computes(p, c.accumulator)) return {};
    Sum sum = sum_of_product(*product, c.accumulator);
    sum.found = sum.found && sum_kernel(sum, c.accumulator) &&
                !rewritten(sum.p, sum.statements, statement) &&
                !rewritten(sum.q, sum.statements, statement);
    return sum;
}

bool Compiler::summed_from(std::size_t statement, std::uint32_t operand) const {
    return std::any_of(
        sums_.begin() + static_cast<std::ptrdiff_t>(statement), sums_.end(),
        [&](const Sum& sum) { return sum.found && (sum.p == operand || sum.q == operand); });
}

SumFn Compiler::sum_kernel(const Sum& sum, DType dtype) const {
    return code_.table->sum_of[static_cast<int>(sum.of)][static_cast<int>(dtype)];
}

void Compiler::find_sums() {
    sums_.resize(plan_.statements.size());
    absorbed_.assign(plan_.statements.size(), false);
    for (std::size_t k = 0; k < plan_.statements.size(); ++k) {
        sums_[k] = sum_at(k);
        if (!sums_[k].found) continue;
        ReductionCode& c =
            code_.reductions[static_cast<std::size_t>(plan_.statements[k].reduction)];
        c.of_products = true;
        if (c.planes) {
            sums_[k] = {};
            continue;
        }
        for (std::size_t absorbed : sums_[k].statements) absorbed_[absorbed] = true;
    }
}

void Compiler::emit_sum(const Statement& s, const Sum& sum) {
    const PlanOperand &p = plan_.operands[sum.p], &q = plan_.operands[sum.q];
    for (const PlanOperand* o : {&p, &q}) {
        if (o->home == Home::Tile && slot_scalar_[o->index]) spread_slot(*o);
    }
    const PointerId partial = partial_pointer(s);
    Step& step = add(sum.count ? StepKind::RowCounts : StepKind::RowSums,
                     {partial, pointer_of(p, operand_layout(p)), pointer_of(q, operand_layout(q))});
    step.walk = static_cast<std::uint32_t>(s.reduction);
    if (sum.count) {
        step.count = sum.count;
    } else {
        step.sum = sum_kernel(sum, code_.reductions[step.walk].accumulator);
    }
    step.bytes = static_cast<std::uint8_t>(itemsize(p.dtype));
    step.scalars = sum.one;
}

}  // namespace hassium
