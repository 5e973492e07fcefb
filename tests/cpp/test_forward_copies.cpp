// Arrays put together from pieces are read as pieces: which are left out, and what is made of
// those that read them.

#include "rewrite/rewrite.hpp"
#include "support/check.hpp"
#include "support/rewriting.hpp"

using namespace hassium;

namespace {

std::string cut(const std::string& text, std::int64_t least = 1) {
    return rewriting::lines(text, [&](const Program& p) { return forward_copies(p, least); });
}

// A vector rolled by one and added to itself.
const char* const kRolled =
    "base x float64 8 input\n"
    "base t float64 8\n"
    "base y float64 8\n"
    "copy t[1+(7:1)] x[0+(7:1)]\n"
    "copy t[0+(1:1)] x[7+(1:1)]\n"
    "add y x t\n"
    "del t\n";

void a_rolled_vector_is_not_made() {
    CHECK_TEXT(cut(kRolled),
               "add b2[0+(1:1)] b0[0+(1:1)] b0[7+(1:0)]\n"
               "add b2[1+(7:1)] b0[1+(7:1)] b0[0+(7:1)]\n");
    CHECK_TEXT(cut(kRolled, 65), "same");
}

void what_lives_between_cells_has_bases_of_its_own() {
    CHECK_TEXT(cut("base x float64 8 input\n"
                   "base t float64 8\n"
                   "base d float64 8\n"
                   "base y float64 8\n"
                   "copy t[1+(7:1)] x[0+(7:1)]\n"
                   "copy t[0+(1:1)] x[7+(1:1)]\n"
                   "subtract d x t\n"
                   "del t\n"
                   "multiply y d 2.0\n"
                   "del d\n"),
               "subtract b4 b0[0+(1:1)] b0[7+(1:0)]\n"
               "subtract b5 b0[1+(7:1)] b0[0+(7:1)]\n"
               "multiply b3[0+(1:1)] b4 2.0\n"
               "del b4\n"
               "multiply b3[1+(7:1)] b5 2.0\n"
               "del b5\n");
}

void pieces_come_from_pieces() {
    // Rolled along one axis, then along the other: four cells, none of them copied.
    const std::string found =
        cut("base x float64 12 input\n"
            "base t float64 12\n"
            "base u float64 12\n"
            "base y float64 12\n"
            "copy t[4+(2:4,4:1)] x[0+(2:4,4:1)]\n"
            "copy t[0+(1:4,4:1)] x[8+(1:4,4:1)]\n"
            "copy u[1+(3:4,3:1)] t[0+(3:4,3:1)]\n"
            "copy u[0+(3:4,1:1)] t[3+(3:4,1:1)]\n"
            "del t\n"
            "negative y[0+(3:4,4:1)] u[0+(3:4,4:1)]\n"
            "del u\n");
    CHECK_TEXT(found,
               "negative b3[0+(1:4,1:1)] b0[11+(1:0,1:0)]\n"
               "negative b3[1+(1:4,3:1)] b0[8+(1:0,3:1)]\n"
               "negative b3[4+(2:4,1:1)] b0[3+(2:4,1:0)]\n"
               "negative b3[5+(2:4,3:1)] b0[0+(2:4,3:1)]\n");
}

// The result of a step is the inside of the next step's frame.
void what_is_read_shifted_has_one_base() {
    CHECK_TEXT(cut("base x float64 4 input\n"
                   "base t float64 6\n"
                   "base g float64 4\n"
                   "base u float64 6\n"
                   "base y float64 4\n"
                   "copy t 0.0\n"
                   "copy t[1+(4:1)] x\n"
                   "add g t[0+(4:1)] 1.0\n"
                   "del t\n"
                   "copy u 0.0\n"
                   "copy u[1+(4:1)] g\n"
                   "del g\n"
                   "add y u[0+(4:1)] u[1+(4:1)]\n"
                   "del u\n"),
               "add b2[0+(1:1)] 0.0 1.0\n"
               "add b2[1+(3:1)] b0[0+(3:1)] 1.0\n"
               "add b4[0+(1:1)] 0.0 b2[0+(1:1)]\n"
               "add b4[1+(3:1)] b2[0+(3:1)] b2[1+(3:1)]\n"
               "del b2\n");
}

// Linear interpolation to 2 n + 1 points: the last one is computed apart.
void grids_of_an_odd_number_of_elements_are_pieces() {
    CHECK_TEXT(cut("base c float64 3 input\n"
                   "base u float64 5 input\n"
                   "base m float64 2\n"
                   "base f float64 5\n"
                   "base y float64 5\n"
                   "add m c[0+(2:1)] c[1+(2:1)]\n"
                   "copy f[0+(3:2)] c\n"
                   "copy f[1+(2:2)] m\n"
                   "del m\n"
                   "subtract y u f\n"
                   "del f\n"),
               "add b2 b0[0+(2:1)] b0[1+(2:1)]\n"
               "subtract b4[0+(2:2,1:1)] b1[0+(2:2,1:1)] b0[0+(2:1,1:0)]\n"
               "subtract b4[1+(2:2,1:1)] b1[1+(2:2,1:1)] b2[0+(2:1,1:0)]\n"
               "del b2\n"
               "subtract b4[4+(1:1)] b1[4+(1:1)] b0[2+(1:0)]\n");
}

void a_frame_of_constants_is_overwritten_inside() {
    CHECK_TEXT(cut("base x float64 2 input\n"
                   "base t float64 4\n"
                   "base y float64 3\n"
                   "copy t 0.0\n"
                   "copy t[1+(2:1)] x\n"
                   "add y t[0+(3:1)] t[1+(3:1)]\n"
                   "del t\n"),
               "add b2[0+(1:1)] 0.0 b0[0+(1:1)]\n"
               "add b2[1+(1:1)] b0[0+(1:1)] b0[1+(1:1)]\n"
               "add b2[2+(1:1)] b0[1+(1:1)] 0.0\n");
}

void replaced(const char* what, const char* with, const char* expected) {
    std::string text = kRolled;
    const std::size_t at = text.find(what);
    CHECK(at != std::string::npos);
    text.replace(at, std::string(what).size(), with);
    CHECK_TEXT(cut(text), expected);
}

void what_has_to_stay() {
    // It outlives the program; it existed before; a reduction reads it; not all of it is written.
    replaced("del t\n", "", "same");
    replaced("base t float64 8\n", "base t float64 8 input\n", "same");
    replaced("del t\n", "add.reduce axis=0 y[0+()] t\ndel t\n", "same");
    replaced("copy t[0+(1:1)] x[7+(1:1)]\n", "", "same");
    // What it was copied from is written before it is read, or by who reads it.
    replaced("add y x t\n", "copy x 0.0\nadd y x t\n", "same");
    replaced("add y x t\n", "add x x t\n", "same");
    // A cast.
    replaced("base x float64 8 input\n", "base x float32 8 input\n", "same");
    // Backwards it is no box.
    replaced("add y x t\n", "add y x t[7+(8:-1)]\n", "same");
}

void what_a_reduction_wants_is_not_cut() {
    // The difference has to be cut; its square is made in the block of the sum, as before.
    const std::string found =
        cut("base x float64 8 input\n"
            "base t float64 8\n"
            "base d float64 8\n"
            "base q float64 8\n"
            "base s float64 1\n"
            "copy t[1+(7:1)] x[0+(7:1)]\n"
            "copy t[0+(1:1)] x[7+(1:1)]\n"
            "subtract d x t\n"
            "del t\n"
            "square q d\n"
            "del d\n"
            "add.reduce axis=0 s[0+()] q\n"
            "del q\n");
    CHECK_TEXT(found,
               "subtract b2[0+(1:1)] b0[0+(1:1)] b0[7+(1:0)]\n"
               "subtract b2[1+(7:1)] b0[1+(7:1)] b0[0+(7:1)]\n"
               "square b3 b2\n"
               "del b2\n"
               "add.reduce axis=0 b4[0+()] b3\n"
               "del b3\n");
}

}  // namespace

int main() {
    a_rolled_vector_is_not_made();
    what_lives_between_cells_has_bases_of_its_own();
    pieces_come_from_pieces();
    what_is_read_shifted_has_one_base();
    grids_of_an_odd_number_of_elements_are_pieces();
    a_frame_of_constants_is_overwritten_inside();
    what_has_to_stay();
    what_a_reduction_wants_is_not_cut();
}
