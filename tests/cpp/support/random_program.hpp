// Random programs in text form: a few bases, views that meet and views that do not, reductions, and
// broadcasts, deletions and syncs.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "program/program.hpp"
#include "support/check.hpp"

namespace hassium {

inline std::string random_program(check::Random& random, int lines) {
    const char* names[] = {"a", "b", "c", "d", "e"};
    const char* shapes[] = {"[0+(4:1)]",     "[1+(4:1)]",     "[4+(4:1)]",    "[0+(4:2)]",
                            "[1+(4:2)]",     "[7+(4:-1)]",    "[0+()]",       "",
                            "[0+(2:4,4:1)]", "[0+(4:2,2:1)]", "[0+(2:1,4:2)]"};
    std::string text;
    std::vector<bool> alive(5, true);
    for (int k = 0; k < 5; ++k) {
        text +=
            std::string("base ") + names[k] + " float64 8" + (random.below(2) ? " input\n" : "\n");
    }
    text += "base s float64 8\n";
    auto base = [&]() -> std::string {
        for (;;) {
            auto k = static_cast<std::size_t>(random.below(5));
            if (alive[k]) return names[k];
        }
    };
    for (int line = 0; line < lines;) {
        std::string shape = shapes[random.below(11)];
        std::string statement;
        switch (random.below(12)) {
            case 0: {
                auto k = static_cast<std::size_t>(random.below(5));
                if (std::count(alive.begin(), alive.end(), true) < 3 || !alive[k]) continue;
                alive[k] = false;
                statement = std::string("del ") + names[k];
                break;
            }
            case 1:
                statement = "sync " + base();
                break;
            case 2:
                statement = "add.reduce axis=0 s[0+()] " + base() + "[0+(4:1)]";
                break;
            case 3:
                statement = "add " + base() + shape + " 1 s[0+()]";
                break;
            default:
                statement = "add " + base() + shape + " " + base() + shape + " " + base() + shape;
        }
        try {
            Program::parse(text + statement + "\n");
        } catch (const UserError&) {
            continue;  // an in-place operation on shifted views: not a program
        }
        text += statement + "\n";
        ++line;
    }
    return text;
}

}  // namespace hassium
