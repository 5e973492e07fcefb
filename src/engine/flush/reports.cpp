#include "engine/flush/reports.hpp"

#include <optional>

#include "ops/dtype_rules.hpp"
#include "program/word_hash.hpp"

namespace hassium {
namespace {

// Returns the flags that casts between the operands' and the loop's dtypes can raise.
std::uint8_t conversions_raise(const Program& program, const Instruction& instruction) {
    std::optional<Loop> loop = loop_of(instruction.op, instruction.compute);
    if (!loop) return 0;
    std::uint8_t flags = 0;
    std::span<const Operand> outs = program.outputs(instruction), ins = program.inputs(instruction);
    for (std::size_t k = 0; k < outs.size(); ++k) {
        flags |= cast_raises(loop->out[k], outs[k].dtype);
    }
    for (std::size_t k = 0; k < ins.size(); ++k) flags |= cast_raises(ins[k].dtype, loop->in[k]);
    return flags;
}

// An instruction that can have raised the exception, by its row or by a cast of its operands.
struct Suspect {
    std::uint32_t index;             // in the program
    const Instruction* instruction;  // as recorded
    const Origin* origin;
    std::uint32_t recorded;
    bool row, cast;
};

class Conditions {
  public:
    Conditions(const RanBlock& block, std::vector<FpReport>& reports, ReportedOnce* reported,
               const TestOfBlock& test)
        : block_(block), reports_(reports), reported_(reported), test_(test) {}

    void collect(int condition) {
        condition_ = condition;
        std::vector<Suspect> suspects = find();
        if (suspects.size() > 1) suspects = narrowed(std::move(suspects));
        if (suspects.empty()) return;
        if (certain_) {
            for (const Suspect& one : suspects) report({&one, 1});
        } else if (!std::ranges::any_of(suspects, [&](const Suspect& s) { return ignored(s); })) {
            report(suspects);
        }
    }

  private:
    const RanBlock& block_;
    std::vector<FpReport>& reports_;
    ReportedOnce* reported_;
    const TestOfBlock& test_;
    std::optional<std::shared_ptr<const RaisedBy>> raised_by_;  // set when first needed
    int condition_ = 0;
    bool certain_ = true;

    bool has(int flags) const { return flags >> condition_ & 1; }
    bool ignored(const Suspect& s) const {
        return s.origin->errstate.mode(condition_) == ErrMode::Ignore;
    }
    std::vector<Suspect> find() {
        std::vector<Suspect> found;
        bool all_ignored = true;
        for (const std::uint32_t index : block_.instructions) {
            const Instruction& i = block_.program.instructions[index];
            if (info(i.op).is_system()) continue;
            const bool row = has(raises(i.op, i.compute));
            const bool cast = has(conversions_raise(block_.program, i));
            if (!row && !cast) continue;
            const std::uint32_t recorded = block_.recorded_as[index];
            found.push_back({index, &block_.recorded.instructions[recorded],
                             &block_.recorded.origins[recorded], recorded, row, cast});
            all_ignored &= ignored(found.back());
        }
        certain_ = true;
        if (all_ignored) found.clear();
        return found;
    }
    // Returns the instructions that raise by themselves; else the undetermined ones; else all.
    std::vector<Suspect> narrowed(std::vector<Suspect> all) {
        if (!raised_by_) raised_by_ = test_();
        const RaisedBy* by = raised_by_->get();
        std::vector<Suspect> found, unknown;
        for (const Suspect& s : all) {
            if (by && has(by->known[s.index] & by->flags[s.index])) found.push_back(s);
            if (by && !has(by->known[s.index])) unknown.push_back(s);
        }
        certain_ = !found.empty() || unknown.size() == 1;
        return !found.empty() ? found : !unknown.empty() ? unknown : all;
    }
    void report(std::span<const Suspect> suspects) {
        FpReport report{condition_, {}, ErrMode::Ignore, 0, 0};
        for (const Suspect& s : suspects) {
            if (ignored(s) || (reported_ && !reported_->first(s.recorded, condition_))) continue;
            if (report.candidates.empty()) {
                report.mode = s.origin->errstate.mode(condition_);
                report.site = s.origin->site;
                report.recorded = s.recorded;
            }
            // Casts of a ufunc are reported under its own name if its loop can raise.
            report.candidates.push_back(
                s.row ? FpReport::Candidate::asked_for(s.instruction->op, s.instruction->method,
                                                       s.origin->step_of, s.origin->of_numbers)
                      : FpReport::Candidate{Op::Copy, Method::Call});
        }
        if (!report.candidates.empty()) reports_.push_back(std::move(report));
    }
};

}  // namespace

void collect_reports(const RanBlock& block, std::vector<FpReport>& reports, ReportedOnce* reported,
                     const TestOfBlock& test) {
    Conditions conditions(block, reports, reported, test);
    for (int condition = 0; condition < 4; ++condition) {
        if (block.raised >> condition & 1) conditions.collect(condition);
    }
}

void put_in_order(std::vector<FpReport>& reports) {
    std::ranges::stable_sort(reports, {}, &FpReport::recorded);
}

std::uint64_t identity_of(const RanBlock& block) {
    std::uint64_t hash = WordHash::mix(0, block.raised);
    for (std::uint32_t index : block.instructions) {
        const Instruction& i = block.program.instructions[index];
        if (info(i.op).is_system()) continue;
        const Origin& origin = block.recorded.origins[block.recorded_as[index]];
        hash = WordHash::mix(hash, index);
        hash = WordHash::mix(hash, static_cast<std::uint64_t>(i.op) |
                                       static_cast<std::uint64_t>(i.method) << 16 |
                                       static_cast<std::uint64_t>(i.compute) << 24 |
                                       static_cast<std::uint64_t>(origin.site) << 32);
    }
    return hash;
}

}  // namespace hassium
