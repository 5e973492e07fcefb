// Random bits that are the same in every run (xorshift64*).
#pragma once

#include <stdint.h>

namespace {

uint64_t next_random() {
    static uint64_t state = 0x9e3779b97f4a7c15;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x2545f4914f6cdd1d;
}

}  // namespace
