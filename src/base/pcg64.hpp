// NumPy's PCG64: a 128-bit linear congruential generator that outputs its states, folded and
// rotated (O'Neill, PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for
// Random Number Generation, 2014; XSL-RR). The word at a position takes some log(position)
// products, so that tiles and threads can begin anywhere.
//
// Kernels include this header: everything is inlined and local to its unit.
#pragma once

#include <cstdint>

namespace hassium {

__extension__ typedef unsigned __int128 Word128;

constexpr Word128 kPcgMultiplier =
    (static_cast<Word128>(0x2360ed051fc65da4) << 64) | 0x4385df649fccf645;

// A number of steps at once: a state s becomes times * s + plus * increment.
struct PcgSteps {
    Word128 times, plus;
};

// The steps of every power of two.
struct PcgJumps {
    PcgSteps by[64];

    constexpr PcgJumps() : by() {
        PcgSteps s = {kPcgMultiplier, 1};
        for (PcgSteps& steps : by) {
            steps = s;
            s = {s.times * s.times, (s.times + 1) * s.plus};
        }
    }
};
constexpr PcgJumps kPcgJumps;

[[gnu::always_inline]] inline Word128 pcg_jump(Word128 state, Word128 increment,
                                               std::uint64_t count) {
    for (; count; count &= count - 1) {
        const PcgSteps& steps = kPcgJumps.by[__builtin_ctzll(count)];
        state = state * steps.times + increment * steps.plus;
    }
    return state;
}

[[gnu::always_inline]] inline PcgSteps pcg_doubled(PcgSteps s) {
    return {s.times * s.times, (s.times + 1) * s.plus};
}

// Returns `count` steps of a generator with this increment: a state s becomes times * s + plus.
[[gnu::always_inline]] inline PcgSteps pcg_steps(Word128 increment, std::uint64_t count) {
    PcgSteps all = {1, 0};
    for (; count; count &= count - 1) {
        const PcgSteps& steps = kPcgJumps.by[__builtin_ctzll(count)];
        all = {all.times * steps.times, all.plus * steps.times + increment * steps.plus};
    }
    return all;
}

// Returns the output word of a state.
[[gnu::always_inline]] inline std::uint64_t pcg_word(Word128 state) {
    const auto low = static_cast<std::uint64_t>(state);
    const auto high = static_cast<std::uint64_t>(state >> 64);
    const std::uint64_t folded = low ^ high;
    return (folded >> (high >> 58)) | (folded << (-(high >> 58) & 63));
}

}  // namespace hassium
