// Runs blocks of several phases. Threads take panels. A panel runs on one thread, phase after
// phase, with its reductions finished in between.
//
// An ordered phase accumulates the lines of a panel, or a piece of one that waits for the panel
// before (exec/single/line_scan.hpp); or it scatters the panel's values after those before, or
// reduces their segments (exec/single/segments.hpp).
//
// Code addresses elements by their position in the whole array. For memory of one panel the base
// address is shifted: each panel has bindings that map its first byte to the thread's memory.
// Partials of reductions are bound in the same way.
#include "exec/nest/rows.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "exec/block_memory.hpp"
#include "exec/nest/chunked_run.hpp"
#include "exec/nest/walker.hpp"
#include "exec/single/index_lookups.hpp"
#include "exec/single/line_scan.hpp"
#include "exec/single/moves.hpp"
#include "exec/single/segments.hpp"

namespace hassium {
namespace {

std::int64_t padded(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

char* moved(char* data, std::int64_t back) {
    return reinterpret_cast<char*>(reinterpret_cast<Address>(data) - back);
}

struct PoolMemory {
    char* data = nullptr;
    std::int64_t bytes = 0;
    void acquire(std::int64_t size) {
        if (size > 0) data = memory_pool().acquire(size);
        bytes = size;
    }
    ~PoolMemory() { memory_pool().release(data, bytes); }
};

class PanelRun {
  public:
    PanelRun(const Program& program, const LoopPlan& plan, const BlockCode& code,
             std::span<Binding> bases, RunState& state)
        : program_(program),
          plan_(plan),
          panels_(plan.panels),
          code_(code),
          constants_(constants_of(program, state)),
          bases_(bases),
          state_(state) {
        for (const PanelBase& b : panels_.bases) bytes_ += padded(b.bytes);
        for (const BlockCode& phase : code_.phases) {
            walkers_.add(phase);
            for (const ReductionCode& r : phase.reductions) bytes_ += padded(partial_bytes(r));
        }
        for (const LoopPlan& phase : plan.phases) {
            if (phase.kind == BlockKind::Ordered) add_steps(phase);
        }
        bytes_ += padded(scan_bytes_);
    }

    // Acquires the memory of all workers. Throws std::bad_alloc.
    void allocate(int workers) {
        memory_.acquire(workers * bytes_);
        thread_scratch(walkers_.all());
        for (OrderedStep& step : steps_) {
            if (step.segments) step.segments->allocate();
        }
    }

    // Called after the last panel.
    void finish() {
        if (plan_.raises) clear_fp_flags();
        for (OrderedStep& step : steps_) {
            if (step.segments) step.segments->finish(state_);
        }
        if (plan_.raises) state_.raised |= read_fp_flags();
    }

    static void run(void* context, std::int64_t first, std::int64_t last, int worker) {
        auto& self = *static_cast<PanelRun*>(context);
        Thread thread(self, worker);
        for (std::int64_t panel = first; panel < last; ++panel) thread.run(panel);
    }

  private:
    // A statement of an ordered phase.
    struct OrderedStep {
        const LoopPlan& phase;
        const Statement& statement;
        std::optional<LineScan> line = {};               // of an accumulation
        std::optional<PiecewiseSegments> segments = {};  // of a reduction of segments
        Before before = {};
        const PlanOperand& operand(std::size_t k) const {
            return phase.operands[statement.operands[k]];
        }
    };

    const Program& program_;
    const LoopPlan& plan_;
    const Panels& panels_;
    const BlockCode& code_;
    const Constant* constants_;
    std::span<Binding> bases_;
    RunState& state_;
    std::deque<OrderedStep> steps_;  // of all phases
    std::int64_t bytes_ = 0;         // per worker
    std::int64_t scan_bytes_ = 0;    // of these, scratch of scans
    WalkerBytes walkers_;
    PoolMemory memory_;

    std::int64_t partial_bytes(const ReductionCode& r) const {
        return r.direct ? 0 : panels_.height * panels_.width * r.partials * r.bytes;
    }

    void add_steps(const LoopPlan& phase) {
        // If lines are cut, a panel has a piece of one.
        const std::int64_t length = panels_.in_order ? panels_.rows : phase.extents.back();
        for (const Statement& s : phase.statements) {
            OrderedStep& step = steps_.emplace_back(phase, s);
            if (s.method == Method::Reduceat) add_segments(step);
            if (s.method != Method::Accumulate) continue;
            const DType out = step.operand(0).dtype, in = step.operand(1).dtype;
            const LineScan& line = step.line.emplace(
                s.op, s.compute,
                LineShape{in, out, itemsize(in), itemsize(out), length, step.operand(0).stream});
            scan_bytes_ =
                std::max(scan_bytes_, panels_.in_order ? line.scratch_bytes(panels_.height)
                                                       : line.line_scratch_bytes());
        }
    }

    void add_segments(OrderedStep& step) {
        const Instruction& i = program_.instructions[step.statement.instruction];
        const Operand &out = program_.outputs(i)[0], &values = program_.inputs(i)[0],
                      &beginnings = program_.inputs(i)[1];
        auto view = [&](const Operand& o, char* data) {
            return BoundView{data, o.dtype, program_.shape(o), program_.strides(o)};
        };
        auto address = [&](const Operand& o) { return bases_[o.base].data + o.offset; };
        step.segments.emplace(i, view(out, address(out)), view(values, nullptr),
                              view(beginnings, address(beginnings)));
    }

    // One phase, panel after panel.
    struct Phase {
        SmallVec<char*, 4> partials;
        Launch launch;
        Walker walker;
        Phase(const Constant* constants, const BlockCode& code, std::span<const Binding> bases,
              WalkerRoom& room)
            : partials(code.reductions.size(), nullptr),
              launch{constants, code, bases, partials.data()},
              walker(launch, room) {}
    };

    struct Thread {
        PanelRun& run_;
        char* memory;
        std::vector<Binding> bases;
        std::vector<std::optional<Phase>> phases;
        std::int64_t index[kMaxDims] = {};
        std::int64_t rows = 0;

        Thread(PanelRun& owner, int worker)
            : run_(owner),
              memory(owner.memory_.data + worker * owner.bytes_),
              bases(owner.bases_.begin(), owner.bases_.end()),
              phases(owner.code_.phases.size()) {
            WalkerRoom room(owner.walkers_);
            for (std::size_t k = 0; k < phases.size(); ++k) {
                if (owner.plan_.phases[k].kind == BlockKind::Ordered) continue;
                phases[k].emplace(owner.constants_, owner.code_.phases[k], bases, room);
            }
        }

        void run(std::int64_t panel) {
            char* at = place(panel);
            std::size_t step = 0;
            for (std::size_t k = 0; k < phases.size(); ++k) {
                if (phases[k]) {
                    run_phase(*phases[k], panel, at);
                    continue;
                }
                for (std::size_t n = run_.plan_.phases[k].statements.size(); n-- > 0;) {
                    OrderedStep& next = run_.steps_[step++];
                    next.line       ? run_scan(next, panel)
                    : next.segments ? run_segments(next, panel)
                                    : run_scatter(next, panel);
                }
            }
        }

        char* at_panel(const PlanOperand& o) const {
            char* at = bases[o.index].data + o.offset;
            for (std::size_t k = 0; k < run_.panels_.extents.size(); ++k) {
                at += index[k] * o.strides[k];
            }
            return at;
        }

        void run_scan(OrderedStep& scan, std::int64_t panel) {
            const PlanOperand &out = scan.operand(0), &in = scan.operand(1);
            const char* source = at_panel(in);
            char* target = at_panel(out);
            char* scratch = memory + run_.bytes_ - padded(run_.scan_bytes_);
            if (run_.panels_.in_order) {
                return scan.line->run(source, target, first_row(), rows, panel, scan.before,
                                      scratch);
            }
            const std::size_t fixed = scan.phase.fixed;
            Dims shape = scan.phase.extents;
            if (shape.size() > fixed + 1) shape[fixed] = rows;
            auto view = [&](const PlanOperand& o, const char* at) {
                return BoundView{const_cast<char*>(at), o.dtype,
                                 std::span<const std::int64_t>(shape).subspan(fixed),
                                 std::span<const std::int64_t>(o.strides).subspan(fixed)};
            };
            run_scan_here({scan.statement.op, scan.statement.compute, shape.size() - fixed - 1},
                          view(out, target), view(in, source), scratch);
        }

        std::int64_t first_row() const {
            return index[run_.panels_.extents.size() - 1] * run_.panels_.height;
        }

        void run_segments(OrderedStep& step, std::int64_t panel) {
            const char* values = at_panel(step.operand(1));
            step.segments->run(values, first_row(), rows, panel, step.before);
        }

        // All panels write to the same vector; each has a piece of the values and of the index.
        void run_scatter(OrderedStep& scatter, std::int64_t panel) {
            const Program& p = run_.program_;
            const Instruction& i = p.instructions[scatter.statement.instruction];
            const Operand& whole = p.outputs(i)[0];
            auto piece = [&](const PlanOperand& o) {
                return BoundView{at_panel(o), o.dtype, {&rows, 1}, {&o.strides.back(), 1}};
            };
            const BoundView views[] = {
                {at_panel(scatter.operand(0)), whole.dtype, p.shape(whole), p.strides(whole)},
                piece(scatter.operand(1)),
                piece(scatter.operand(2))};
            const Turn turn(scatter.before, panel);
            run_single(i, views, {}, run_.state_);
        }

        // Binds the panel's bases to the thread's memory; returns the address after them.
        char* place(std::int64_t panel) {
            const Panels& panels = run_.panels_;
            std::int64_t rest = panel;
            for (std::size_t k = panels.extents.size(); k-- > 0;) {
                index[k] = rest % panels.extents[k];
                rest /= panels.extents[k];
            }
            rows = panels.rows - index[panels.extents.size() - 1] * panels.height;
            rows = std::min(rows, panels.height);
            char* at = memory;
            for (const PanelBase& b : panels.bases) {
                std::int64_t back = b.offset;
                for (std::size_t k = 0; k < b.strides.size(); ++k) back += index[k] * b.strides[k];
                bases[b.base].data = moved(at, back);
                at += padded(b.bytes);
            }
            return at;
        }

        void run_phase(Phase& phase, std::int64_t panel, char*& at) {
            Launch& launch = phase.launch;
            const BlockCode& code = launch.code;
            const std::int64_t width = run_.panels_.width;
            const std::int64_t output = panel * run_.panels_.height * width;
            for (std::size_t k = 0; k < code.reductions.size(); ++k) {
                const ReductionCode& r = code.reductions[k];
                phase.partials[k] = r.direct ? bases[r.base].data + r.offset
                                             : moved(at, output * r.partials * r.bytes);
                at += padded(run_.partial_bytes(r));
            }
            launch.span_elements = code.span_elements;
            launch.units = code.units;
            std::int64_t jobs = code.jobs / run_.panels_.count, first = panel * jobs;
            if (rows < run_.panels_.height) {
                if (code.outer.size() == run_.panels_.extents.size()) {
                    // The whole panel is in the span.
                    launch.span_elements = code.span_elements / run_.panels_.height * rows;
                    jobs = (launch.span_elements + code.unit - 1) / code.unit;
                    launch.units = jobs;
                    first = panel * jobs;
                } else {
                    jobs = jobs / run_.panels_.height * rows;
                }
            }
            phase.walker.run(first, first + jobs);
            finish_outputs(launch, output, rows * width);
        }
    };
};

void run_launch(void* context, std::int64_t first, std::int64_t last, int) {
    run_jobs(*static_cast<const Launch*>(context), first, last);
}

// Runs each phase over its whole space, one after another.
void run_whole(const Program& program, const LoopPlan& plan, const BlockCode& code,
               std::span<Binding> bases, RunState& state, const Taken& taken) {
    std::vector<std::unique_ptr<PartialMemory>> partials;
    try {
        for (const BlockCode& phase : code.phases) {
            partials.push_back(std::make_unique<PartialMemory>(phase, bases));
            thread_scratch(phase.all_scratch_bytes());
        }
    } catch (const std::bad_alloc&) {
        give_back(taken, bases);
        throw;
    }
    note_launch(state);
    for (std::size_t k = 0; k < code.phases.size(); ++k) {
        const BlockCode& phase = code.phases[k];
        const LoopPlan& part = plan.phases[k];
        Launch launch{constants_of(program, state), phase, bases, partials[k]->pointers()};
        ChunkedRun chunks(part, phase, phase.jobs, state);
        chunks.run(run_launch, &launch);
        finish_all(launch, part, state);
    }
}

}  // namespace

namespace {

// Returns whether the block scatters to a vector larger than a core's own caches. Threads that
// alternate would take its cache lines from each other.
bool scatters_far(const Program& p, const LoopPlan& plan) {
    return std::ranges::any_of(plan.instructions, [&](std::uint32_t index) {
        const Instruction& i = p.instructions[index];
        if (!is_scatter(i.op, i.method)) return false;
        const Operand& whole = p.outputs(i)[0];
        return is_far(p.shape(whole)[0], p.strides(whole)[0]);
    });
}

}  // namespace

void run_rows(const Program& program, const LoopPlan& plan, const BlockCode& code,
              std::span<Binding> bases, RunState& state) {
    Taken taken = acquire_all(plan, bases);
    if (plan.panels.extents.empty()) return run_whole(program, plan, code, bases, state, taken);
    ChunkedRun chunks(plan, code, plan.panels.count, state, scatters_far(program, plan));
    PanelRun panels(program, plan, code, bases, state);
    try {
        panels.allocate(chunks.workers());
    } catch (const std::bad_alloc&) {
        give_back(taken, bases);
        throw;
    }
    note_launch(state);
    chunks.run(PanelRun::run, &panels);
    panels.finish();
}

}  // namespace hassium
