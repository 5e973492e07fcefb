// A tile of the nest is a row of the result, and a row of the result is a column of the source. So
// the nest is not walked by tiles but by panels, which a kernel transposes.
#include "exec/nest/transpose.hpp"

#include <algorithm>

#include "exec/single/moves_common.hpp"
#include "simd/tables/transposes.hpp"

namespace hassium {
namespace {

// A job writes the rows of the result that have this many contiguous bytes in the source: two cache
// lines. The hardware prefetcher cannot follow more rows.
constexpr std::int64_t kPanelBytes = 128;
constexpr std::int64_t kLeast = 8;

// Returns the axis along which the source is contiguous; the last one if there is none.
std::size_t source_axis(const LoopPlan& plan, const PlanOperand& in) {
    std::size_t last = plan.extents.size() - 1;
    for (std::size_t k = 0; k < last; ++k) {
        if (in.strides[k] == itemsize(in.dtype) && plan.extents[k] >= kLeast) return k;
    }
    return last;
}

}  // namespace

bool is_transposition(const LoopPlan& plan) {
    if (plan.statements.size() != 1 || plan.extents.size() < 2) return false;
    const Statement& s = plan.statements[0];
    if (!info(s.op).is_copy() || s.masked || s.reduction >= 0) return false;
    const PlanOperand &out = plan.operands[s.operands[0]], &in = plan.operands[s.operands[1]];
    if (out.home != Home::Base || in.home != Home::Base || out.index == in.index) return false;
    const std::int64_t size = itemsize(out.dtype), last = plan.extents.back();
    return out.dtype == in.dtype && s.compute == out.dtype && last >= kLeast &&
           out.strides.back() == size && in.strides.back() != size && in.strides.back() != 0 &&
           element_count(plan.extents) > 0 && source_axis(plan, in) + 1 < plan.extents.size();
}

void run_transposition(const LoopPlan& plan, std::span<const Binding> bases, RunState& state) {
    const Statement& s = plan.statements[0];
    const PlanOperand &out = plan.operands[s.operands[0]], &in = plan.operands[s.operands[1]];
    const std::size_t rows_axis = source_axis(plan, in), last = plan.extents.size() - 1;
    const std::int64_t size = itemsize(out.dtype);
    Odometer others;  // out, in
    for (std::size_t k = 0; k < last; ++k) {
        if (k != rows_axis) others.axis(plan.extents[k], out.strides[k], in.strides[k]);
    }
    char* target = bases[out.index].data + out.offset;
    const char* source = bases[in.index].data + in.offset;
    const std::int64_t rows = plan.extents[rows_axis];
    const std::int64_t height = kPanelBytes / size, panels = (rows + height - 1) / height;
    const TransposeFn turn = transposes_of(kernels()).turn[item_log2(size)];
    auto work = [&](std::int64_t first, std::int64_t end) {
        Odometer walk = others;
        for (std::int64_t job = first; job < end; ++job) {
            walk.seek(job / panels);
            const std::int64_t row = job % panels * height;
            turn({target + walk.at(0) + row * out.strides[rows_axis],
                  source + walk.at(1) + row * size, out.strides[rows_axis], in.strides[last],
                  std::min(height, rows - row), plan.extents[last]});
        }
    };
    spread(others.count() * panels, element_count(plan.extents), state, work);
}

}  // namespace hassium
