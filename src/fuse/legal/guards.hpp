// What a partition rests on besides the structure of its program.
//
// Everything in src/fuse that decides legality or order from raw numbers (offsets, strides,
// extents) asks through a Questions, which keeps question and answer. A program with the same
// symbolic structure (program/symbolic.hpp: equal extents stay equal) that gives the same answers
// may be cut the same way. Costs are weighed with raw numbers without asking: a partition made for
// other extents is legal, if perhaps not the cheapest.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.hpp"

namespace hassium {

enum class Question : std::uint8_t {
    SameView,        // operands a and b, of one base, show the same elements in the same order
    Overlap,         // operands a and b share a byte
    Contains,        // every byte of operand b is one of operand a; plain cases only
    OverlapsItself,  // operand a touches a byte twice
    RealPart,        // operand b is the view of the real parts of a's elements, which are complex
    ImagPart,        // and of the imaginary parts
    SameTree,        // the reductions a and b, instructions, combine in one order
    ShortRows,       // the reduction a, an instruction, is over runs of its loop that fit a cache
    CommonAxes,      // the loops of instructions a and b have common axes
    Coarser,         // the loop of instruction a needs no boundary between axes that b's does not
    Repeats,         // operand b is operand a, repeated along the axes where b stands still
};

struct Guard {
    Question question;
    bool answer;
    std::uint32_t a, b;
};

bool answer_to(const Program& program, Question question, std::uint32_t a, std::uint32_t b);
// Whether the program gives the same answers.
bool guards_hold(const Program& program, const std::vector<Guard>& guards);

// Guards of a program with its dels, as guards of the program without: those that ask about
// instructions name them by other numbers.
void without_deaths(std::vector<Guard>& guards, const Program& finished);

// Whether more was asked than could be kept. Then the guards never hold.
bool were_lost(const std::vector<Guard>& guards);

class Questions {
  public:
    Questions() = default;
    // Keeps so many; with more the guards are of no use, see guards().
    explicit Questions(std::size_t most) : most_(most) {}

    bool ask(const Program& program, Question question, std::uint32_t a, std::uint32_t b) {
        bool answer = answer_to(program, question, a, b);
        note(question, answer, a, b);
        return answer;
    }
    // An answer that was found in another way.
    void note(Question question, bool answer, std::uint32_t a, std::uint32_t b) {
        if (kept()) {
            guards_.push_back({question, answer, a, b});
        } else {
            lost_ = true;
        }
    }
    // Whether the next question is kept.
    bool kept() const { return guards_.size() < most_; }
    // Who does not need to ask because no answer would be kept, says so.
    void lose() { lost_ = true; }
    // When questions were lost the list ends with one whose answer never holds.
    std::vector<Guard> guards() &&;

  private:
    std::size_t most_ = 0;
    bool lost_ = false;
    std::vector<Guard> guards_;
};

}  // namespace hassium
