#include "plan/repeats.hpp"

#include <algorithm>
#include <utility>

namespace hassium {
namespace {

bool has(const std::vector<std::uint32_t>& list, std::uint32_t value) {
    return std::find(list.begin(), list.end(), value) != list.end();
}

bool writes(const Program& p, const Instruction& i, std::uint32_t base) {
    auto views = p.outputs(i);
    return std::any_of(views.begin(), views.end(),
                       [&](const Operand& o) { return o.base == base; });
}

class Repeats : public RepeatedWork {
  public:
    Repeats(const Draft& draft, const PhaseList& once)
        : RepeatedWork{once, {}}, draft_(draft), p_(draft.program) {
        for (std::uint32_t base : draft.plan.contracted) {
            const std::vector<std::size_t> users = users_of(base);
            if (users.size() < 2 || has(kept_, base)) continue;
            const std::uint32_t maker = only_writer(base);
            if (maker == kNone || !cheap(maker) || !same_space(maker, users)) continue;
            if (!keeps_inputs(maker)) continue;
            bases.push_back(base);
            for (const Operand& o : p_.inputs(instruction(maker))) {
                if (!o.is_constant()) kept_.push_back(o.base);
            }
            for (std::size_t k = 1; k < users.size(); ++k) {
                auto& work = phases[users[k]];
                work.insert(work.begin(), maker);
            }
        }
    }

  private:
    static constexpr std::uint32_t kNone = 0xffffffff;
    static constexpr float kCheap = 1;  // cycles an element

    const Draft& draft_;
    const Program& p_;
    std::vector<std::uint32_t> kept_;  // bases that repeated instructions read

    const Instruction& instruction(std::uint32_t i) const { return draft_.instruction(i); }
    std::int64_t elements(std::uint32_t i) const {
        return element_count(p_.iteration_shape(instruction(i)));
    }
    std::vector<std::size_t> users_of(std::uint32_t base) const {
        std::vector<std::size_t> users;
        for (std::size_t k = 0; k < phases.size(); ++k) {
            bool any = std::any_of(phases[k].begin(), phases[k].end(),
                                   [&](auto i) { return uses_base(p_, instruction(i), base); });
            if (any) users.push_back(k);
        }
        return users;
    }
    std::uint32_t only_writer(std::uint32_t base) const {
        std::uint32_t writer = kNone;
        for (std::uint32_t i : draft_.work) {
            if (!writes(p_, instruction(i), base)) continue;
            if (writer != kNone) return kNone;
            writer = i;
        }
        return writer;
    }
    bool cheap(std::uint32_t index) const {
        const Instruction& i = instruction(index);
        const OpInfo& row = info(i.op);
        return i.method == Method::Call && row.cls == OpClass::Map && i.nout == 1 && !i.masked &&
               row.cycles <= kCheap && kind(i.compute) != DTypeKind::Complex;
    }
    bool same_space(std::uint32_t maker, const std::vector<std::size_t>& users) const {
        return std::all_of(users.begin(), users.end(), [&](std::size_t k) {
            const std::uint32_t first = phases[k].front();
            return elements(first) == elements(maker) && !is_scan(instruction(first));
        });
    }
    // Is all that the instruction reads in memory, and the same until the block is done?
    bool keeps_inputs(std::uint32_t index) const {
        auto views = p_.inputs(instruction(index));
        return std::all_of(views.begin(), views.end(), [&](const Operand& o) {
            if (o.is_constant()) return true;
            const bool stored = !has(draft_.plan.contracted, o.base) ||
                                (users_of(o.base).size() > 1 && !has(bases, o.base));
            auto later = std::find(draft_.work.begin(), draft_.work.end(), index);
            return stored && std::none_of(later, draft_.work.end(), [&](std::uint32_t i) {
                       return writes(p_, instruction(i), o.base);
                   });
        });
    }
};

}  // namespace

bool uses_base(const Program& p, const Instruction& i, std::uint32_t base) {
    auto views = p.operands_of(i);
    return std::any_of(views.begin(), views.end(),
                       [&](const Operand& o) { return !o.is_constant() && o.base == base; });
}

RepeatedWork repeat_cheap_work(const Draft& draft, const PhaseList& once) {
    Repeats repeats(draft, once);
    return {std::move(repeats.phases), std::move(repeats.bases)};
}

}  // namespace hassium
