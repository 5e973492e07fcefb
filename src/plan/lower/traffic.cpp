// Estimates the memory traffic and time of a block, and derives: non-temporal stores, prefetched
// operands, floating-point conditions that may be raised.
#include <algorithm>
#include <cstdlib>

#include "base/processor.hpp"
#include "base/settings.hpp"
#include "ops/dtype_rules.hpp"
#include "plan/lower/lowering_context.hpp"

namespace hassium {
namespace {

// A non-temporal store pays if the block moves more than the caches hold and nothing reads the
// result soon; below these sizes it is 1.5x slower.
constexpr std::int64_t kStreamBlock = std::int64_t{16} << 20;
constexpr std::int64_t kStreamResult = 8'000'000;
// For a phase, which reads its panel from a core's own cache and is one of several that compute: it
// pays from a single such result on (docs/decisions/0028-stores-past-the-caches.md).
constexpr std::int64_t kStreamPhase = 2 * kStreamResult;
// Copies of whole lines avoid the read for ownership anyway (exec/single/long_lines.hpp), as long
// as the last-level cache holds them.
constexpr std::int64_t kStreamMoves = std::int64_t{32} << 20;
// A block of this many bytes finds nothing in the caches when it begins, nor does the reader of its
// result.
constexpr std::int64_t kStreamPast = std::int64_t{64} << 20;
// An operand of a block larger than the caches is prefetched: tiles come in bursts, for which the
// hardware prefetcher reaches two thirds of the bandwidth. Within the caches prefetch instructions
// cost 10 to 33 %.
constexpr std::int64_t kAheadBlock = std::int64_t{12} << 20;
constexpr std::int64_t kAheadOperand = std::int64_t{1} << 20;
// With more arrays side by side the hardware prefetcher does better, in a block whose arrays all
// come from memory and whose computation takes less than a sixth of the time that moving them
// takes.
constexpr std::size_t kAheadAlone = 2;
constexpr double kMostlyMoves = 6;
// Prefetches proceed line by line: for elements further apart they would load all lines between.
constexpr std::int64_t kLine = 64;
// Operands are partly in a core's own cache, or in the shared one. Shifted views of one array count
// separately.
constexpr std::int64_t kNearBytes = std::int64_t{2} << 20;
constexpr double kNearBytesPerSecond = 50e9, kBytesPerSecond = 20e9;
// The op table's cycles are those of narrow registers: kernels of x86-64-v3 and v4 take a half to a
// sixth of them.
constexpr double kCyclesPerSecond = 8e9;

double seconds_to_move(std::int64_t bytes) {
    const std::int64_t near = std::min(bytes, kNearBytes);
    return static_cast<double>(near) / kNearBytesPerSecond +
           static_cast<double>(bytes - near) / kBytesPerSecond;
}

std::uint8_t statement_raises(const LoopPlan& plan, const Statement& s) {
    std::uint8_t raises = hassium::raises(s.op, s.compute);
    auto loop = loop_of(s.op, s.compute);
    if (!loop) return raises;
    for (std::size_t k = 0; k < s.nout; ++k) {
        raises |= cast_raises(loop->out[k], plan.operands[s.operands[k]].dtype);
    }
    for (std::size_t k = 0; k < s.nin; ++k) {
        raises |= cast_raises(plan.operands[s.operands[s.nout + k]].dtype, loop->in[k]);
    }
    return raises;
}

double statement_cycles(const Statement& s) {
    const OpInfo& row = info(s.op);
    bool per_element = row.has(kMath) || row.has(kScalarLoop);
    double width = static_cast<double>(itemsize(s.compute)) / 8;
    return row.cycles * (per_element ? std::max(width, 0.5) : width);
}

// Returns whether a block stores so much that none of it is in the caches when a later one reads
// it. The block may read its own results only from registers.
bool passes_caches(const LoopPlan& plan) {
    return plan.bytes >= kStreamPast &&
           std::none_of(plan.statements.begin(), plan.statements.end(), [](const Statement& s) {
               const OpInfo& row = info(s.op);
               return s.masked || s.reduction >= 0 || !row.is_elementwise() || row.has(kMath) ||
                      row.has(kScalarLoop);
           });
}

bool stores_each_element(const Statement& s) {
    return !s.masked && (s.method == Method::Call || s.method == Method::Accumulate);
}

// Returns, per operand, whether it is an output of one statement, unmasked and never read.
std::vector<bool> written_once(const LoopPlan& plan) {
    std::vector<std::uint32_t> writes(plan.operands.size()), uses(plan.operands.size());
    for (const Statement& s : plan.statements) {
        for (std::size_t k = 0; k < s.operands.size(); ++k) {
            ++uses[s.operands[k]];
            writes[s.operands[k]] += k < s.nout && stores_each_element(s);
        }
    }
    std::vector<bool> once(uses.size());
    for (std::size_t k = 0; k < uses.size(); ++k) once[k] = writes[k] == 1 && uses[k] == 1;
    return once;
}

// Returns whether the operand is the only one on its base, and written before it is read.
bool written_first(const LoopPlan& plan, std::uint32_t operand) {
    for (std::uint32_t k = 0; k < plan.operands.size(); ++k) {
        const PlanOperand& o = plan.operands[k];
        if (k != operand && o.home == Home::Base && o.index == plan.operands[operand].index) {
            return false;
        }
    }
    for (const Statement& s : plan.statements) {
        for (std::size_t k = s.nout; k < s.operands.size(); ++k) {
            if (s.operands[k] == operand) return false;
        }
        for (std::size_t k = 0; k < s.nout; ++k) {
            if (s.operands[k] == operand) return true;
        }
    }
    return false;
}

// Returns the bytes from which on a nest uses non-temporal stores.
std::int64_t least_to_stream(const LoopPlan& plan) {
    const std::int64_t least = plan.fixed > 0 ? kStreamPhase : kStreamBlock;
    if (plan.statements.size() != 1 || !info(plan.statements[0].op).is_copy()) return least;
    const Statement& s = plan.statements[0];
    const PlanOperand &out = plan.operands[s.operands[0]], &in = plan.operands[s.operands[1]];
    if (in.home == Home::Constant) return kStreamPast;
    const bool moves_lines = in.home == Home::Base && in.dtype == out.dtype &&
                             s.compute == out.dtype && in.strides.back() == itemsize(in.dtype) &&
                             out.strides.back() == itemsize(out.dtype);
    return moves_lines ? std::max(least, kStreamMoves) : least;
}

constexpr std::int64_t kMostLanes = 8;
// Bytes of a tile of all lanes, which wait in scratch: fewer are read while their stores are on the
// way.
constexpr std::int64_t kLaneBytes = 8192;
constexpr std::int64_t kLaneTile = 64;  // elements: whole register tiles

// Returns the outputs whose elements interleave with those of `output` and fill whole lines
// together, by their position; empty if some of these elements are not an output, or the nest reads
// the base.
std::vector<std::uint32_t> interleaved(const LoopPlan& plan, const std::vector<bool>& once,
                                       std::uint32_t output) {
    const PlanOperand& o = plan.operands[output];
    const std::int64_t size = itemsize(o.dtype), lanes = o.strides.back() / size;
    if (lanes < 2 || lanes > kMostLanes || o.strides.back() % size != 0) return {};
    std::vector<std::uint32_t> found;
    for (std::uint32_t k = 0; k < plan.operands.size(); ++k) {
        const PlanOperand& other = plan.operands[k];
        if (other.home != Home::Base || other.index != o.index) continue;
        const bool beside = other.dtype == o.dtype && other.strides == o.strides;
        if (!beside || !once[k]) return {};
        found.push_back(k);
    }
    if (std::ssize(found) % lanes != 0) return {};
    std::ranges::sort(found, {}, [&](std::uint32_t k) { return plan.operands[k].offset; });
    const auto at = std::ranges::find(found, output) - found.begin();
    found.erase(found.begin(), found.begin() + at / lanes * lanes);
    found.resize(static_cast<std::size_t>(lanes));
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const PlanOperand& other = plan.operands[found[static_cast<std::size_t>(lane)]];
        if (other.offset != plan.operands[found[0]].offset + lane * size) return {};
    }
    return found;
}

// For a nest without reductions: marks outputs that fill lines together.
void choose_lanes(LoopPlan& plan, const BaseUses& uses, const std::vector<bool>& once, bool past) {
    for (std::uint32_t k = 0; k < plan.operands.size(); ++k) {
        const PlanOperand& o = plan.operands[k];
        if (o.home != Home::Base || !once[k] || o.lanes > 0) continue;
        const std::vector<std::uint32_t> lanes = interleaved(plan, once, k);
        const auto count = static_cast<std::int64_t>(lanes.size());
        const std::int64_t bytes = count * view_bytes(plan.extents, o.strides, o.dtype);
        if (count == 0 || bytes < kStreamResult) continue;
        if (!past && uses.computed[o.index] != lanes.size()) continue;
        for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
            PlanOperand& one = plan.operands[lanes[lane]];
            one.stream = plan.stream = true;
            one.lanes = static_cast<std::uint8_t>(count);
            one.lane = static_cast<std::uint8_t>(lane);
        }
        const std::int64_t row = plan.span == 1 ? 1 : plan.extents.back();
        const std::int64_t fit = kLaneBytes / (count * itemsize(o.dtype));
        const std::int64_t wanted = std::max(fit / kLaneTile, std::int64_t{1}) * kLaneTile;
        plan.tile = plan.unit = std::min(plan.tile, std::max(wanted / row, std::int64_t{1}) * row);
    }
}

// Returns the number of outputs of the nest on a base; 0 if it uses the base in any other way.
std::size_t count_outputs(const LoopPlan& plan, const std::vector<bool>& once, BaseId base) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < plan.operands.size(); ++k) {
        const PlanOperand& o = plan.operands[k];
        if (o.home != Home::Base || o.index != base) continue;
        if (!once[k]) return 0;
        ++count;
    }
    return count;
}

void choose_streams(LoopPlan& plan, const BaseUses& uses) {
    if (plan.bytes < least_to_stream(plan)) return;
    const bool past = passes_caches(plan);
    const std::vector<bool> once = written_once(plan);
    if (plan.kind == BlockKind::Nest && plan.fixed == 0) choose_lanes(plan, uses, once, past);
    for (const Statement& s : plan.statements) {
        if (!stores_each_element(s)) continue;
        for (std::size_t k = 0; k < s.nout; ++k) {
            PlanOperand& o = plan.operands[s.operands[k]];
            if (o.home != Home::Base || o.lanes > 0) continue;
            if (view_bytes(plan.extents, o.strides, o.dtype) < kStreamResult) continue;
            const std::size_t outputs = count_outputs(plan, once, o.index);
            const bool unread = outputs > 0 && uses.computed[o.index] == outputs;
            o.stream = unread || (past && (outputs > 0 || written_first(plan, s.operands[k])));
            plan.stream = plan.stream || o.stream;
        }
    }
}

// Returns whether `one` visits memory that `other` visits later.
bool before(const PlanOperand& one, const PlanOperand& other) {
    const auto outer = std::find_if(one.strides.begin(), one.strides.end(),
                                    [](std::int64_t stride) { return stride != 0; });
    const bool forwards = outer == one.strides.end() || *outer > 0;
    return forwards ? one.offset > other.offset : one.offset < other.offset;
}

// Among views that step equally over one base the foremost loads the data for all. With such views
// every measured processor gains.
void choose_ahead(LoopPlan& plan, bool mostly_moves) {
    // A column sweep continues with the next row, elsewhere in memory.
    if (plan.bytes < kAheadBlock || plan.swept > 0) return;
    const std::string_view choice = settings().choice(Setting::prefetch);
    if (choice == "off") return;
    auto followed = [&](const PlanOperand& one) {
        return std::any_of(plan.operands.begin(), plan.operands.end(), [&](const PlanOperand& o) {
            return o.home == Home::Base && o.index == one.index && o.strides == one.strides &&
                   before(one, o);
        });
    };
    auto leads = [&](const PlanOperand& one) {
        return std::none_of(plan.operands.begin(), plan.operands.end(), [&](const PlanOperand& o) {
            return o.home == Home::Base && o.index == one.index && o.strides == one.strides &&
                   (before(o, one) || (o.offset == one.offset && o.ahead));
        });
    };
    std::vector<PlanOperand*> alone;
    for (const Statement& s : plan.statements) {
        for (std::size_t k = s.nout; k < s.operands.size(); ++k) {
            PlanOperand& o = plan.operands[s.operands[k]];
            if (o.home != Home::Base || o.ahead || !leads(o)) continue;
            if (view_bytes(plan.extents, o.strides, o.dtype) < kAheadOperand) continue;
            if (std::abs(o.strides.back()) > kLine) continue;
            o.ahead = true;
            if (!followed(o)) alone.push_back(&o);
        }
    }
    const bool crowded = mostly_moves && alone.size() > kAheadAlone && plan.bytes >= kStreamPast;
    // A tile's lines are written after it: meanwhile nothing loads the next one.
    const bool in_lanes = std::ranges::any_of(plan.operands, [](auto& o) { return o.lanes > 0; });
    if (choice != "on" && !in_lanes && (crowded || plan.bytes < fetches_gain_from(mostly_moves))) {
        for (PlanOperand* o : alone) o->ahead = false;
    }
    plan.ahead = std::any_of(plan.operands.begin(), plan.operands.end(),
                             [](const PlanOperand& o) { return o.ahead; });
}

}  // namespace

std::int64_t view_bytes(std::span<const std::int64_t> shape, std::span<const std::int64_t> strides,
                        DType dtype) {
    std::int64_t n = itemsize(dtype);
    for (std::size_t k = 0; k < shape.size(); ++k) n *= strides[k] || !shape[k] ? shape[k] : 1;
    return n;
}

namespace {

std::int64_t operand_bytes(const LoopPlan& plan, const PlanOperand& o) {
    const std::span<const std::int64_t> extents = plan.extents;
    return o.anywhere ? element_count(extents) * itemsize(o.dtype)
                      : view_bytes(extents, o.strides, o.dtype);
}

}  // namespace

void estimate_traffic(LoopPlan& plan, const BaseUses& uses) {
    const std::span<const std::int64_t> extents = plan.extents;
    std::int64_t bytes = 0;
    for (const PlanOperand& o : plan.operands) {
        if (o.home == Home::Base) bytes += operand_bytes(plan, o);
    }
    plan.bytes = bytes;
    double elements = static_cast<double>(element_count(extents));
    const double moving = seconds_to_move(plan.bytes);
    const double computing = elements * plan.cycles / kCyclesPerSecond;
    plan.seconds = std::max(moving, computing);
    choose_streams(plan, uses);
    if (plan.kind == BlockKind::Nest) choose_ahead(plan, kMostlyMoves * computing < moving);
}

void estimate_single_traffic(LoopPlan& plan, const Program& program, const Instruction& alone,
                             const BaseUses& uses) {
    plan.bytes = 0;
    for (const Operand& view : program.operands_of(alone)) {
        if (view.is_constant()) continue;
        plan.bytes += view_bytes(program.shape(view), program.strides(view), view.dtype);
    }
    double elements = static_cast<double>(element_count(program.iteration_shape(alone)));
    plan.seconds =
        std::max(seconds_to_move(plan.bytes), elements * info(alone.op).cycles / kCyclesPerSecond);
    const Operand& out = program.outputs(alone)[0];
    plan.stream =
        alone.method == Method::Accumulate && plan.bytes >= kStreamBlock &&
        view_bytes(program.shape(out), program.strides(out), out.dtype) >= kStreamResult &&
        uses.computed[out.base] == 1;
}

void estimate(LoweringContext& context) {
    LoopPlan& plan = context.plan;
    if (plan.kind == BlockKind::Single) {
        const Instruction& alone = context.instruction(context.work[0]);
        plan.raises = raises(alone.op, alone.compute);
        return estimate_single_traffic(plan, context.program, alone, context.lowering.uses);
    }
    for (const Statement& s : plan.statements) {
        plan.cycles += statement_cycles(s);
        plan.raises |= statement_raises(plan, s);
    }
    estimate_traffic(plan, context.lowering.uses);
}

// Counts each external view once, however many phases use it.
void estimate_rows(LoweringContext& context) {
    LoopPlan& plan = context.plan;
    std::vector<const PlanOperand*> seen;
    for (const LoopPlan& phase : plan.phases) {
        plan.raises |= phase.raises;
        plan.stream = plan.stream || phase.stream;
        double elements = static_cast<double>(element_count(phase.extents));
        plan.seconds += elements * phase.cycles / kCyclesPerSecond;
        for (const PlanOperand& o : phase.operands) {
            auto outside = [&] {
                return std::none_of(plan.panels.bases.begin(), plan.panels.bases.end(),
                                    [&](const PanelBase& b) { return b.base == o.index; });
            };
            auto same = [&](const PlanOperand* other) {
                return other->index == o.index && other->offset == o.offset &&
                       other->dtype == o.dtype;
            };
            if (o.home != Home::Base || !outside()) continue;
            if (std::any_of(seen.begin(), seen.end(), same)) continue;
            seen.push_back(&o);
            plan.bytes += operand_bytes(phase, o);
        }
    }
    plan.seconds = std::max(plan.seconds, seconds_to_move(plan.bytes));
}

}  // namespace hassium
