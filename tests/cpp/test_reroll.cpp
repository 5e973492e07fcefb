// Runs of the same maps become one run over views with one axis more.

#include "rewrite/rewrite.hpp"
#include "support/check.hpp"
#include "support/rewriting.hpp"

using namespace hassium;

namespace {

std::string made(const std::string& text, std::int64_t least = 1) {
    return rewriting::lines(text, [&](const Program& p) { return reroll(p, least); });
}

const std::string kBases =
    "base a float64 24 input\n"
    "base x float64 24 input\n";

void interleaved_grids_are_one_map() {
    const std::string grids =
        kBases + "negative a[0+(4:6,3:2)] x[0+(4:6,3:2)]\nnegative a[1+(4:6,3:2)] x[1+(4:6,3:2)]\n";
    CHECK_TEXT(made(grids), "negative b0[0+(2:1,4:6,3:2)] b1[0+(2:1,4:6,3:2)]\n");
    CHECK_TEXT(made(grids, 193), "same");
}

void constants_become_an_array() {
    CHECK_TEXT(made(kBases + "multiply a[0+(12:2)] x[0+(12:2)] 3.0\n"
                             "multiply a[1+(12:2)] x[1+(12:2)] 5.0\n"),
               "copy b3:float64@[0+(2:8)] b2:float64@[0+(2:16)]\n"
               "multiply b0[0+(2:1,12:2)] b1[0+(2:1,12:2)] b3:float64@[0+(2:8,12:0)]\n"
               "del b3\n");
}

void temporaries_of_runs_are_one_array() {
    CHECK_TEXT(made(kBases + "base t float64 12\n"
                             "base u float64 12\n"
                             "negative t[0+(12:1)] x[0+(12:2)]\n"
                             "exp a[0+(12:2)] t[0+(12:1)]\n"
                             "del t\n"
                             "negative u[0+(12:1)] x[1+(12:2)]\n"
                             "exp a[1+(12:2)] u[0+(12:1)]\n"
                             "del u\n"),
               "negative b4[0+(2:1,12:2)] b1[0+(2:1,12:2)]\n"
               "exp b0[0+(2:1,12:2)] b4[0+(2:1,12:2)]\n"
               "del b4\n");
}

// One behind the other: views of a temporary that split its elements must go on overlapping.
void temporaries_with_split_elements_follow_one_another() {
    CHECK_TEXT(made(kBases + "base t float64 3\n"
                             "base u float64 3\n"
                             "negative t[0+(3:1)] x[0+(3:2)]\n"
                             "exp a[0+(2:2)] t:float64@[4+(2:8)]\n"
                             "del t\n"
                             "negative u[0+(3:1)] x[1+(3:2)]\n"
                             "exp a[1+(2:2)] u:float64@[4+(2:8)]\n"
                             "del u\n"),
               "negative b4[0+(2:3,3:1)] b1[0+(2:1,3:2)]\n"
               "exp b0[0+(2:1,2:2)] b4:float64@[4+(2:24,2:8)]\n"
               "del b4\n");
}

void rows_stay() {
    CHECK_TEXT(made(kBases + "negative a[0+(6:1)] x[0+(6:1)]\nnegative a[6+(6:1)] x[6+(6:1)]\n"
                             "negative a[12+(6:1)] x[12+(6:1)]\n"),
               "same");
}

void runs_that_touch_one_another_stay() {
    // A run reads what the one before has written; writes what the one before reads; writes the
    // same elements.
    CHECK_TEXT(made(kBases + "negative a[6+(6:1)] a[0+(6:1)]\nnegative a[12+(6:1)] a[6+(6:1)]\n"),
               "same");
    CHECK_TEXT(made(kBases + "negative a[0+(6:1)] a[6+(6:1)]\nnegative a[6+(6:1)] a[12+(6:1)]\n"),
               "same");
    CHECK_TEXT(made(kBases + "negative a[0+(6:1)] x[0+(6:1)]\nnegative a[0+(6:1)] x[6+(6:1)]\n"),
               "same");
    // Of other steps, other dtypes, other shapes.
    CHECK_TEXT(made(kBases + "negative a[0+(6:4)] x[0+(6:1)]\nnegative a[1+(6:4)] x[6+(6:2)]\n"),
               "same");
    CHECK_TEXT(made(kBases + "negative a[0+(6:4)] x[0+(6:1)]\nnegative a[1+(5:4)] x[6+(5:1)]\n"),
               "same");
}

// Steps that are not equal end the runs: two pairs, each of which is one map, and then one.
void a_second_round_is_a_second_pass() {
    CHECK_TEXT(made(kBases + "negative a[0+(2:12,3:2)] x[0+(2:12,3:2)]\n"
                             "negative a[1+(2:12,3:2)] x[1+(2:12,3:2)]\n"
                             "negative a[6+(2:12,3:2)] x[6+(2:12,3:2)]\n"
                             "negative a[7+(2:12,3:2)] x[7+(2:12,3:2)]\n"),
               "negative b0[0+(2:1,2:12,3:2)] b1[0+(2:1,2:12,3:2)]\n"
               "negative b0[6+(2:1,2:12,3:2)] b1[6+(2:1,2:12,3:2)]\n");
}

void reports_belong_to_the_runs() {
    const std::string text = kBases +
                             "negative a[0+(12:1)] x[0+(12:1)]\n"
                             "log a[0+(12:2)] x[0+(12:2)]\n"
                             "log a[1+(12:2)] x[1+(12:2)]\n";
    const Program p = rewriting::recorded(text);
    const std::optional<RewrittenProgram> rewritten = reroll(p, 1);
    CHECK(rewritten && rewritten->from == std::vector<std::uint32_t>({0, 1}));
    CHECK(rewritten->rerolled.size() == 1 && rewritten->rerolled[0].instruction == 1);
    CHECK(rewritten->rerolled[0].period == 1 && rewritten->rerolled[0].count == 2);
}

}  // namespace

int main() {
    interleaved_grids_are_one_map();
    constants_become_an_array();
    temporaries_of_runs_are_one_array();
    temporaries_with_split_elements_follow_one_another();
    rows_stay();
    runs_that_touch_one_another_stay();
    a_second_round_is_a_second_pass();
    reports_belong_to_the_runs();
}
