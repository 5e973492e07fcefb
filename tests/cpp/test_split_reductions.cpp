// Reductions over few lines of few elements become maps over whole lines.

#include "rewrite/rewrite.hpp"
#include "support/check.hpp"
#include "support/rewriting.hpp"

using namespace hassium;

namespace {

std::string made(const std::string& text, std::int64_t least = 1) {
    return rewriting::lines(text, [&](const Program& p) { return split_reductions(p, least); });
}

// Along the second axis of (100, 3, 2).
const char* const kReduction =
    "base x float64 600 input\n"
    "base y float64 200 input\n"
    "maximum.reduce axis=1 y[0+(100:2,2:1)] x[0+(100:6,3:2,2:1)]\n";

std::string with(const std::string& what, const std::string& other) {
    std::string text = kReduction;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
        text.replace(at, what.size(), other);
        at += other.size();
    }
    return text;
}

void a_maximum_begins_with_the_first_lines() {
    CHECK_TEXT(made(kReduction),
               "maximum b2[0+(100:2,2:1)] b0[0+(100:6,2:1)] b0[2+(100:6,2:1)]\n"
               "maximum b1[0+(100:2,2:1)] b2[0+(100:2,2:1)] b0[4+(100:6,2:1)]\n"
               "del b2\n");
    CHECK_TEXT(made(kReduction, 4801), "same");
}

void a_sum_begins_with_zero() {
    CHECK_TEXT(made(with("maximum", "add")),
               "add b2[0+(100:2,2:1)] 0.0 b0[0+(100:6,2:1)]\n"
               "add b3[0+(100:2,2:1)] b2[0+(100:2,2:1)] b0[2+(100:6,2:1)]\n"
               "del b2\n"
               "add b1[0+(100:2,2:1)] b3[0+(100:2,2:1)] b0[4+(100:6,2:1)]\n"
               "del b3\n");
}

void rows_are_reduced_and_their_results_combined() {
    // Along the second and fourth axes of (4, 3, 40, 2): the tree combines lines 0 and 1, then 2.
    CHECK_TEXT(made("base x float64 960 input\n"
                    "base y float64 160 input\n"
                    "add.reduce axis=1,3 y[0+(4:40,40:1)] x[0+(4:240,3:80,40:2,2:1)]\n"),
               "add.reduce axis=3 b2[0+(4:120,3:40,40:1)] b0[0+(4:240,3:80,40:2,2:1)]\n"
               "add b3[0+(4:40,40:1)] b2[0+(4:120,40:1)] b2[40+(4:120,40:1)]\n"
               "add b1[0+(4:40,40:1)] b3[0+(4:40,40:1)] b2[80+(4:120,40:1)]\n"
               "del b3\n"
               "del b2\n");
}

void lines_of_two_axes_combine_in_order() {
    // Along the second and fourth axes of (10, 2, 5, 2, 3), as of blocks of pixels.
    CHECK_TEXT(made("base x float64 600 input\n"
                    "base y float64 150 input\n"
                    "maximum.reduce axis=1,3 y[0+(10:15,5:3,3:1)] x[0+(10:60,2:30,5:6,2:3,3:1)]\n"),
               "maximum b2[0+(10:15,5:3,3:1)] b0[0+(10:60,5:6,3:1)] b0[3+(10:60,5:6,3:1)]\n"
               "maximum b3[0+(10:15,5:3,3:1)] b2[0+(10:15,5:3,3:1)] b0[30+(10:60,5:6,3:1)]\n"
               "del b2\n"
               "maximum b1[0+(10:15,5:3,3:1)] b3[0+(10:15,5:3,3:1)] b0[33+(10:60,5:6,3:1)]\n"
               "del b3\n");
}

void what_is_kept() {
    // Along rows; of half floats, which are accumulated in others; over several axes.
    CHECK_TEXT(made("base x float64 600 input\n"
                    "base y float64 200 input\n"
                    "add.reduce axis=1 y[0+(200:1)] x[0+(200:3,3:1)]\n"),
               "same");
    CHECK_TEXT(made(with("float64", "float16")), "same");
    CHECK_TEXT(made("base x float64 600 input\n"
                    "base y float64 2 input\n"
                    "maximum.reduce axis=0,1 y[0+(2:1)] x[0+(100:6,3:2,2:1)]\n"),
               "same");
}

}  // namespace

int main() {
    a_maximum_begins_with_the_first_lines();
    a_sum_begins_with_zero();
    lines_of_two_axes_combine_in_order();
    rows_are_reduced_and_their_results_combined();
    what_is_kept();
}
