// The programs shown in docs/bytecode.md parse, verify and survive a round trip.
#include <fstream>
#include <sstream>
#include <string>

#include "program/program.hpp"
#include "support/check.hpp"

using namespace hassium;

int main() {
    std::ifstream page("docs/bytecode.md");
    std::stringstream all;
    all << page.rdbuf();
    const std::string text = all.str();
    const std::string open = "\n```text\n", close = "\n```\n";
    int programs = 0;
    for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
        at += open.size();
        std::string shown = text.substr(at, text.find(close, at) + 1 - at);
        Program p = Program::parse(shown);
        p.verify();
        CHECK(!p.instructions.empty());
        CHECK(Program::parse(p.dump()).same_structure(p));
        ++programs;
    }
    CHECK(programs >= 5);
    return 0;
}
