// What is cheap is made again where it is wanted later.

#include "rewrite/rewrite.hpp"
#include "support/check.hpp"
#include "support/rewriting.hpp"

using namespace hassium;

namespace {

std::string made(const std::string& text, std::int64_t least = 1) {
    return rewriting::lines(text, [&](const Program& p) { return rematerialize(p, least); });
}

// All distances, squared, without the diagonal, times the distances.
const char* const kPairs =
    "base x float64 64 input\n"
    "base d float64 4096\n"
    "base q float64 4096\n"
    "base y float64 4096\n"
    "subtract d[0+(64:64,64:1)] x[0+(64:1,64:0)] x[0+(64:0,64:1)]\n"
    "square q d\n"
    "copy q[0+(64:65)] 1.0\n"
    "multiply y q d\n"
    "del q\n"
    "del d\n";

void distances_are_rematerialized() {
    CHECK_TEXT(made(kPairs),
               "subtract b1[0+(64:64,64:1)] b0[0+(64:1,64:0)] b0[0+(64:0,64:1)]\n"
               "square b2 b1\n"
               "del b1\n"
               "copy b2[0+(64:65)] 1.0\n"
               "subtract b4[0+(64:64,64:1)] b0[0+(64:1,64:0)] b0[0+(64:0,64:1)]\n"
               "multiply b3 b2 b4\n"
               "del b4\n"
               "del b2\n");
    CHECK_TEXT(made(kPairs, 32769), "same");
}

void replaced(const char* what, const char* with) {
    std::string text = kPairs;
    const std::size_t at = text.find(what);
    CHECK(at != std::string::npos);
    text.replace(at, std::string(what).size(), with);
    CHECK_TEXT(made(text), "same");
}

void what_is_kept() {
    // Nothing comes between; it outlives the program; it is not cheap, or not made of little; what
    // it is made of changes.
    replaced("copy q[0+(64:65)] 1.0\n", "");
    replaced("del d\n", "");
    replaced("subtract d", "arctan2 d");
    replaced("x[0+(64:1,64:0)] x[0+(64:0,64:1)]", "x[0+(64:1,64:0)] q[0+(64:64,64:1)]");
    replaced("copy q[0+(64:65)] 1.0\n", "copy q[0+(64:65)] 1.0\ncopy x 2.0\n");
}

}  // namespace

int main() {
    distances_are_rematerialized();
    what_is_kept();
}
