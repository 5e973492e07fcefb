#include "plan/generators/piecewise_writes.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "program/overlap.hpp"

namespace hassium {
namespace {

Extent extent_of(const Program& p, const Operand& view) {
    return {view.offset, itemsize(view.dtype), p.shape(view), p.strides(view)};
}

bool meet(const Program& p, const Operand& a, const Operand& b) {
    return !a.is_constant() && a.base == b.base && may_overlap(extent_of(p, a), extent_of(p, b));
}

// Returns whether `writer` writes anything that `other` reads or writes.
bool writes_for(const Program& p, const Instruction& writer, const Instruction& other) {
    for (const Operand& out : p.outputs(writer)) {
        for (const Operand& o : p.operands_of(other)) {
            if (meet(p, o, out)) return true;
        }
    }
    return false;
}

// Returns whether `reader` reads anything that `writer` writes.
bool reads_from(const Program& p, const Instruction& reader, const Instruction& writer) {
    for (const Operand& in : p.operands_of(reader).subspan(reader.nout)) {
        for (const Operand& out : p.outputs(writer)) {
            if (meet(p, in, out)) return true;
        }
    }
    return false;
}

bool is_piece(const Instruction& i) {
    return i.method == Method::Call && info(i.op).is_elementwise() && i.nout == 1 && !i.masked;
}

// The open groups of writes during a scan of the program.
class Groups {
  public:
    explicit Groups(const Program& program) : p_(program) {}

    std::vector<PiecewiseWrites> run() {
        for (std::uint32_t k = 0; k < p_.instructions.size(); ++k) take(k);
        while (!open_.empty()) close(open_.begin()->first);
        std::ranges::sort(found_, {},
                          [](const PiecewiseWrites& w) { return w.instructions.back(); });
        return std::move(found_);
    }

  private:
    void take(std::uint32_t index) {
        const Instruction& i = p_.instructions[index];
        if (p_.is_del(i)) return close(p_.operands[i.operands].base);
        if (p_.is_sync(i)) return;  // read only after the program
        const BaseId own = is_piece(i) ? p_.outputs(i)[0].base : kConstant;
        std::vector<BaseId> done;
        for (const auto& [base, group] : open_) {
            if (base == own ? !may_join(group, i) : !may_pass(group, i)) done.push_back(base);
        }
        for (BaseId base : done) close(base);
        if (own != kConstant) join(own, index);
    }

    void join(BaseId base, std::uint32_t index) {
        std::vector<std::uint32_t> operands = operands_of(open_[base]);
        operands.push_back(p_.instructions[index].operands);
        if (operands.size() > kMostPieces || !generators_of(p_, operands)) close(base);
        open_[base].push_back(index);
    }

    // Returns whether the members may run after the instruction.
    bool may_pass(const std::vector<std::uint32_t>& group, const Instruction& i) const {
        return std::ranges::none_of(group, [&](std::uint32_t index) {
            const Instruction& member = p_.instructions[index];
            return writes_for(p_, member, i) || writes_for(p_, i, member);
        });
    }

    // Returns whether the instruction and the members read nothing of one another.
    bool may_join(const std::vector<std::uint32_t>& group, const Instruction& i) const {
        return std::ranges::none_of(group, [&](std::uint32_t index) {
            const Instruction& member = p_.instructions[index];
            return reads_from(p_, i, member) || reads_from(p_, member, i);
        });
    }

    std::vector<std::uint32_t> operands_of(const std::vector<std::uint32_t>& group) const {
        std::vector<std::uint32_t> operands;
        for (std::uint32_t index : group) operands.push_back(p_.instructions[index].operands);
        return operands;
    }

    void close(BaseId base) {
        std::vector<std::uint32_t> group = std::move(open_[base]);
        open_.erase(base);
        if (group.size() < 2) return;
        auto writes = generators_of(p_, operands_of(group));
        for (std::uint32_t index : group) writes->set.ops.push_back("i" + std::to_string(index));
        found_.push_back(
            {base, std::move(group), std::move(writes->strides), std::move(writes->set)});
    }

    const Program& p_;
    std::map<BaseId, std::vector<std::uint32_t>> open_;  // none is empty
    std::vector<PiecewiseWrites> found_;
};

}  // namespace

std::vector<PiecewiseWrites> find_piecewise_writes(const Program& program) {
    return Groups(program).run();
}

}  // namespace hassium
