// The uses of each base of a program, and which bases are only assembled by copies
// (forward_copies.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.hpp"
#include "rewrite/boxes.hpp"

namespace hassium {

// Arrays assembled from more parts, and instructions split into more cells, do not repay the
// launches.
inline constexpr std::size_t kMostCells = 64;

// Returns whether `i` is an element-wise map: each input is the view that it writes or disjoint
// from it (Program::verify).
inline bool is_map(const Instruction& i) {
    return info(i.op).is_elementwise() && i.method == Method::Call;
}

// Returns whether two operands are the same view of one base.
bool same_operand(const Program& program, const Operand& a, const Operand& b);
// Returns whether `i` copies bytes unchanged.
bool is_move(const Program& program, const Instruction& i);

struct BaseUse {
    using Places = SmallVec<std::uint32_t, 4>;
    Places operands;          // instructions' operands on the base, in program order
    Places writers, readers;  // indices of instructions, in program order
    bool left_out = false;
    std::int64_t until = -1;  // last instruction that reads it, or an omitted base it was copied to
    std::optional<BaseAxes> axes;
};

class ProgramUses {
  public:
    // Arrays of fewer than `least` bytes are never omitted. `program` must outlive this object.
    ProgramUses(const Program& program, std::int64_t least);

    BaseUse& operator[](BaseId base) { return uses_[base]; }
    const BaseUse& operator[](BaseId base) const { return uses_[base]; }
    std::size_t size() const { return uses_.size(); }
    bool any_left_out() const { return any_; }
    // Returns, per instruction, whether its result reaches an instruction that is no map, directly
    // or through other results that die.
    std::vector<bool> wanted_by_others() const;

  private:
    const Program& program_;
    std::vector<BaseUse> uses_;
    bool any_ = false;

    void find_left_out(std::int64_t least);
    bool may_be_left_out(BaseId base, std::int64_t least);
    bool is_covered(const BaseUse& use) const;
    void find_ends();
    bool sources_last(const BaseUse& use) const;
    bool only_moves_on(const BaseUse& use) const;
};

}  // namespace hassium
