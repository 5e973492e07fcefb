// The least a C++ test needs: a check that prints what failed and ends the test.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace check {

inline void fail(const char* file, int line, const std::string& what) {
    std::fprintf(stderr, "%s:%d: %s\n", file, line, what.c_str());
    std::exit(1);
}

// A small fixed generator: the same tests on every platform.
struct Random {
    unsigned long long state;
    unsigned long long next() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        return state;
    }
    long long below(long long n) { return static_cast<long long>(next() >> 11) % n; }
    long long between(long long least, long long most) { return least + below(most - least + 1); }
};

}  // namespace check

#define CHECK(condition)                                                 \
    do {                                                                 \
        if (!(condition)) ::check::fail(__FILE__, __LINE__, #condition); \
    } while (false)

#define CHECK_TEXT(actual, expected)                                             \
    do {                                                                         \
        std::string hs_actual = (actual), hs_expected = (expected);              \
        if (hs_actual != hs_expected) {                                          \
            ::check::fail(__FILE__, __LINE__,                                    \
                          "got:\n" + hs_actual + "\nexpected:\n" + hs_expected); \
        }                                                                        \
    } while (false)
