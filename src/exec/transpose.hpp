// Copies whose two sides are contiguous along different axes. Internal to exec.
#pragma once

#include <cstdint>
#include <span>

#include "exec/executor.hpp"

namespace hassium {

// Rows of the result lie `out_row` bytes apart, elements that follow each other in them come from
// places `in_column` bytes apart, and rows come from places an element apart.
struct Panel {
    char* out;
    const char* in;
    std::int64_t out_row, in_column, rows, columns;
};
// `bytes`: of an element.
void turn(std::int64_t bytes, const Panel& panel);

// Is the nest one such copy, without a cast?
bool is_transposition(const LoopPlan& plan);

// Runs it, on the pool's threads when it is large.
void run_transposition(const LoopPlan& plan, std::span<const Binding> bases, RunState& state);

}  // namespace hassium
