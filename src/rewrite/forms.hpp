// The forms of maps, which a loop repeats (peel_loops.cpp, reroll.cpp).
#pragma once

#include <cstdint>

#include "program/program.hpp"

namespace hassium {

// Whether two maps have one form: they do the same to operands of equal dtypes, shapes and strides.
// Or almost: along `axis` the first has one element more, and the strides may differ.
struct SameForm {
    static constexpr std::size_t kNoAxis = kMaxDims;
    bool same = false;
    std::size_t axis = kNoAxis;

    bool exactly() const { return same && axis == kNoAxis; }
    bool but_for_an_element() const { return same && axis != kNoAxis; }
};
SameForm compare_forms(const Program& program, const Instruction& a, const Instruction& b);

// Returns whether two maps write elements of one array that are neighbours in memory: elements of
// each are as far apart as the two are, or farther.
bool write_neighbours(const Program& program, const Instruction& a, const Instruction& b);

}  // namespace hassium
