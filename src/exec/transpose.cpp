// A tile of the nest is a row of the result, and a row of the result is a column of the source:
// each element would come from a cache line of its own, which has to be fetched again for the next
// row. So the nest is not walked by tiles here but by squares of one cache line's length: a square
// reads whole lines, is turned in registers, and writes whole lines.
#include "exec/transpose.hpp"

#include <algorithm>
#include <cstring>

#include "exec/moves_common.hpp"

namespace hassium {
namespace {

constexpr std::int64_t kPanel = 64;  // rows of the result that one job writes
constexpr std::int64_t kLeast = 8;
constexpr std::int64_t kAhead = 2;  // squares

struct Bytes16 {
    std::uint64_t low, high;
};

template <class T, std::int64_t kSquare>
void turn_square(const Panel& p, std::int64_t row, std::int64_t column) {
    constexpr std::int64_t kSize = sizeof(T);
    T square[kSquare][kSquare];
    for (std::int64_t c = 0; c < kSquare; ++c) {
        const char* line = p.in + (column + c) * p.in_column + row * kSize;
        // No processor guesses that the next lines are a row of the source away.
        __builtin_prefetch(line + kAhead * kSquare * p.in_column);
        std::memcpy(square[c], line, kSquare * kSize);
    }
    for (std::int64_t r = 0; r < kSquare; ++r) {
        T line[kSquare];
        for (std::int64_t c = 0; c < kSquare; ++c) line[c] = square[c][r];
        std::memcpy(p.out + (row + r) * p.out_row + column * kSize, line, kSquare * kSize);
    }
}

template <class T>
void turn_rest(const Panel& p, std::int64_t first_row, std::int64_t first_column) {
    constexpr std::int64_t kSize = sizeof(T);
    for (std::int64_t r = 0; r < p.rows; ++r) {
        std::int64_t begin = r < first_row ? first_column : 0;
        for (std::int64_t c = begin; c < p.columns; ++c) {
            std::memcpy(p.out + r * p.out_row + c * kSize, p.in + c * p.in_column + r * kSize,
                        kSize);
        }
    }
}

template <class T>
void turn(const Panel& p) {
    constexpr std::int64_t kSquare = sizeof(T) == 16 ? 4 : sizeof(T) >= 4 ? 8 : 16;
    const std::int64_t rows = p.rows / kSquare * kSquare;
    const std::int64_t columns = p.columns / kSquare * kSquare;
    for (std::int64_t c = 0; c < columns; c += kSquare) {
        for (std::int64_t r = 0; r < rows; r += kSquare) turn_square<T, kSquare>(p, r, c);
    }
    turn_rest<T>(p, rows, columns);
}

// The axis along which the source is contiguous; the last one, if there is none.
std::size_t source_axis(const LoopPlan& plan, const PlanOperand& in) {
    std::size_t last = plan.extents.size() - 1;
    for (std::size_t k = 0; k < last; ++k) {
        if (in.strides[k] == itemsize(in.dtype) && plan.extents[k] >= kLeast) return k;
    }
    return last;
}

}  // namespace

void turn(std::int64_t bytes, const Panel& p) {
    switch (bytes) {
        case 1:
            return turn<std::uint8_t>(p);
        case 2:
            return turn<std::uint16_t>(p);
        case 4:
            return turn<std::uint32_t>(p);
        case 8:
            return turn<std::uint64_t>(p);
        default:
            return turn<Bytes16>(p);
    }
}

bool is_transposition(const LoopPlan& plan) {
    if (plan.statements.size() != 1 || plan.extents.size() < 2) return false;
    const Statement& s = plan.statements[0];
    if (s.op != Op::Copy || s.masked || s.reduction >= 0) return false;
    const PlanOperand &out = plan.operands[s.operands[0]], &in = plan.operands[s.operands[1]];
    if (out.home != Home::Base || in.home != Home::Base || out.index == in.index) return false;
    const std::int64_t size = itemsize(out.dtype), last = plan.extents.back();
    return out.dtype == in.dtype && s.compute == out.dtype && last >= kLeast &&
           out.strides.back() == size && in.strides.back() != size && in.strides.back() != 0 &&
           element_count(plan.extents) > 0 && source_axis(plan, in) + 1 < plan.extents.size();
}

void run_transposition(const LoopPlan& plan, std::span<const Binding> bases, RunState& state) {
    const Statement& s = plan.statements[0];
    const PlanOperand &out = plan.operands[s.operands[0]], &in = plan.operands[s.operands[1]];
    const std::size_t rows_axis = source_axis(plan, in), last = plan.extents.size() - 1;
    const std::int64_t size = itemsize(out.dtype);
    Odometer others;  // out, in
    for (std::size_t k = 0; k < last; ++k) {
        if (k != rows_axis) others.axis(plan.extents[k], out.strides[k], in.strides[k]);
    }
    char* target = bases[out.index].data + out.offset;
    const char* source = bases[in.index].data + in.offset;
    const std::int64_t rows = plan.extents[rows_axis];
    const std::int64_t panels = (rows + kPanel - 1) / kPanel;
    auto work = [&](std::int64_t first, std::int64_t end) {
        Odometer walk = others;
        for (std::int64_t job = first; job < end; ++job) {
            walk.seek(job / panels);
            const std::int64_t row = job % panels * kPanel;
            turn(size, {target + walk.at(0) + row * out.strides[rows_axis],
                        source + walk.at(1) + row * size, out.strides[rows_axis], in.strides[last],
                        std::min(kPanel, rows - row), plan.extents[last]});
        }
    };
    spread(others.count() * panels, element_count(plan.extents), state, work);
}

}  // namespace hassium
