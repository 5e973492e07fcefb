#include "plan/lower/repeats.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "plan/lower/phase_users.hpp"

namespace hassium {
namespace {

bool has(const std::vector<std::uint32_t>& list, std::uint32_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

class Repeats : public RepeatedWork {
  public:
    Repeats(const LoweringContext& context, const PhaseList& once)
        : RepeatedWork{once, {}}, context_(context), p_(context.program), users_(context, once) {
        for (std::size_t at = 0; at < context.work.size(); ++at) {
            for (const Operand& o : p_.outputs(instruction(context.work[at]))) {
                note_writer(o.base, at);
            }
        }
        for (std::uint32_t base : context.plan.contracted) {
            const auto found = users_.of(base);
            if (found.size() < 2 || has(kept_, base)) continue;
            const std::vector<std::size_t> users(found.begin(), found.end());
            const auto writers = writers_.find(base);
            if (writers == writers_.end() || writers->second.several) continue;
            const std::uint32_t maker = context.work[writers->second.last];
            if (!cheap(maker) || !same_space(maker, users)) continue;
            if (!keeps_inputs(writers->second.last)) continue;
            bases.push_back(base);
            for (const Operand& o : p_.inputs(instruction(maker))) {
                if (!o.is_constant()) kept_.push_back(o.base);
            }
            for (std::size_t k = 1; k < users.size(); ++k) {
                auto& work = phases[users[k]];
                work.insert(work.begin(), maker);
                users_.add(users[k], instruction(maker));
            }
        }
    }

  private:
    static constexpr float kCheap = 1;  // cycles per element

    const LoweringContext& context_;
    const Program& p_;
    PhaseUsers users_;
    struct Writers {
        std::size_t last;  // index in the order of work
        bool several = false;
    };
    std::unordered_map<std::uint32_t, Writers> writers_;
    std::vector<std::uint32_t> kept_;  // bases that repeated instructions read

    const Instruction& instruction(std::uint32_t i) const { return context_.instruction(i); }
    std::int64_t elements(std::uint32_t i) const {
        return element_count(p_.iteration_shape(instruction(i)));
    }
    // One instruction may write a base twice.
    void note_writer(std::uint32_t base, std::size_t at) {
        Writers& writers = writers_.try_emplace(base, Writers{at}).first->second;
        writers.several |= writers.last != at;
        writers.last = at;
    }
    bool cheap(std::uint32_t index) const {
        const Instruction& i = instruction(index);
        const OpInfo& row = info(i.op);
        return i.method == Method::Call && row.is_elementwise() && i.nout == 1 && !i.masked &&
               row.cycles <= kCheap && kind(i.compute) != DTypeKind::Complex;
    }
    bool same_space(std::uint32_t maker, const std::vector<std::size_t>& users) const {
        return std::all_of(users.begin(), users.end(), [&](std::size_t k) {
            const std::uint32_t first = phases[k].front();
            return elements(first) == elements(maker) && !is_ordered(instruction(first));
        });
    }
    // Returns whether all operands of the instruction are in memory and unchanged until the block
    // ends.
    bool keeps_inputs(std::size_t at) const {
        auto views = p_.inputs(instruction(context_.work[at]));
        return std::all_of(views.begin(), views.end(), [&](const Operand& o) {
            if (o.is_constant()) return true;
            const bool stored = !has(context_.plan.contracted, o.base) ||
                                (users_.of(o.base).size() > 1 && !has(bases, o.base));
            const auto writers = writers_.find(o.base);
            return stored && (writers == writers_.end() || writers->second.last < at);
        });
    }
};

}  // namespace

RepeatedWork repeat_cheap_work(const LoweringContext& context, const PhaseList& once) {
    Repeats repeats(context, once);
    return {std::move(repeats.phases), std::move(repeats.bases)};
}

}  // namespace hassium
