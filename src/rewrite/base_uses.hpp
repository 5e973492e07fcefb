// What a program does with each of its bases, and which it only puts together (forward_copies.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.hpp"
#include "rewrite/boxes.hpp"

namespace hassium {

// More pieces of an array, or cells of an instruction, are not worth their launches.
inline constexpr std::size_t kMostCells = 64;

// Its elements have nothing to do with each other: what it reads is what it writes, or lies apart
// (Program::verify).
inline bool is_map(const Instruction& i) {
    return info(i.op).is_elementwise() && i.method == Method::Call;
}

// Whether two operands are one view of one base.
bool same_operand(const Program& program, const Operand& a, const Operand& b);
// A copy of the bytes.
bool is_move(const Program& program, const Instruction& i);

struct BaseUse {
    using Places = SmallVec<std::uint32_t, 4>;
    Places operands;          // of the program, in order
    Places writers, readers;  // instructions, in order
    bool left_out = false;
    std::int64_t until = -1;  // the last instruction that reads it or what was moved out of it
    std::optional<BaseAxes> axes;
};

class ProgramUses {
  public:
    // Arrays of fewer bytes than `least` stay. The program outlives this.
    ProgramUses(const Program& program, std::int64_t least);

    BaseUse& operator[](BaseId base) { return uses_[base]; }
    const BaseUse& operator[](BaseId base) const { return uses_[base]; }
    std::size_t size() const { return uses_.size(); }
    bool any_left_out() const { return any_; }
    // Per instruction: does something else than maps want its result in the end, through others
    // that die?
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
