// The numeric conditions that a partition depends on, besides the structure of its program.
//
// Everything in src/fuse that decides legality or order from raw numbers (offsets, strides,
// extents) asks through a Questions object, which records question and answer. A program with the
// same symbolic structure (program/symbolic.hpp: equal extents stay equal) and the same answers may
// be cut the same way. Costs use raw numbers without questions: a partition made for other extents
// is legal, but perhaps not the cheapest.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.hpp"

namespace hassium {

enum class Question : std::uint8_t {
    SameView,        // operands a and b, of one base, show the same elements in the same order
    Overlap,         // operands a and b share a byte
    Contains,        // every byte of operand b is provably one of operand a
    OverlapsItself,  // operand a contains a byte twice
    RealPart,        // operand b shows the real parts of the elements of a, which are complex
    ImagPart,        // the same for the imaginary parts
    SameTree,        // instructions a and b, reductions, combine in one order
    ShortRows,       // rows of instruction a, a reduction, are runs of its loop that fit a cache
    CommonAxes,      // the loops of instructions a and b have common axes
    Coarser,  // the loop of instruction a needs no boundary between axes that b's does not need
    Repeats,  // operand b is operand a, broadcast along the axes where b has stride 0
};

struct Guard {
    Question question;
    bool answer;
    std::uint32_t a, b;
};

bool answer_to(const Program& program, Question question, std::uint32_t a, std::uint32_t b);
// Returns whether the program gives the same answers.
bool guards_hold(const Program& program, const std::vector<Guard>& guards);

// Renumbers guards of a program with dels for the program without: some name instructions.
void without_deaths(std::vector<Guard>& guards, const Program& finished);

// Returns whether more was asked than could be kept. Such guards never hold.
bool were_lost(const std::vector<Guard>& guards);

class Questions {
  public:
    Questions() = default;
    // Keeps at most `most` questions; with more the guards never hold, see guards().
    explicit Questions(std::size_t most) : most_(most) {}

    bool ask(const Program& program, Question question, std::uint32_t a, std::uint32_t b) {
        bool answer = answer_to(program, question, a, b);
        note(question, answer, a, b);
        return answer;
    }
    // Records an answer that was found in another way.
    void note(Question question, bool answer, std::uint32_t a, std::uint32_t b) {
        if (kept()) {
            guards_.push_back({question, answer, a, b});
        } else {
            lost_ = true;
        }
    }
    // Returns whether the next question is kept.
    bool kept() const { return guards_.size() < most_; }
    // Notes a decision that was made without asking because the question would not be kept.
    void lose() { lost_ = true; }
    // Returns the recorded guards; if questions were lost the last one never holds.
    std::vector<Guard> guards() &&;

  private:
    std::size_t most_ = 0;
    bool lost_ = false;
    std::vector<Guard> guards_;
};

}  // namespace hassium
