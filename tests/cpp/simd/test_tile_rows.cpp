// Rows of a joined step and a store: each does what the loops over memory of its two operations do,
// bits and conditions, at every length and over each of its inputs.
#include "support/tile_steps.hpp"

using namespace kernel_tests;
using namespace tile_tests;

namespace {

struct Turns {
    DType dtype;
    ArithmeticOp first;
    bool scalar_first;
    ArithmeticOp second;
    bool scalar_second;

    TileFn step() const {
        const ArithmeticForm form =
            scalar_first ? ArithmeticForm::MemScalar : ArithmeticForm::MemMem;
        const ArithmeticEnd end = scalar_second ? ArithmeticEnd::Scalar : ArithmeticEnd::Mem;
        return tiles().joined[static_cast<int>(dtype)][static_cast<int>(first)][static_cast<int>(
            form)][static_cast<int>(second)][static_cast<int>(end)];
    }
    std::string name() const {
        return std::string(info(dtype).name) + " turns " + std::to_string(static_cast<int>(first)) +
               (scalar_first ? " scalar " : " ") + std::to_string(static_cast<int>(second)) +
               (scalar_second ? " scalar" : "");
    }
};

// `over`: the operand that the row is written over; none below 0.
void check_row(TileRowFn run, const Turns& turns, std::int64_t n, int over) {
    const DType dtype = turns.dtype;
    Buffer in[3] = {random_buffer(dtype, n), random_buffer(dtype, turns.scalar_second ? 1 : n),
                    random_buffer(dtype, turns.scalar_first ? 1 : n)};
    Call start = transpose_block(turns.first, dtype, in[0], in[2], n);
    Call wanted = transpose_block(turns.second, dtype, start.outs[0], in[1], n);
    wanted.raised |= start.raised;
    Buffer apart(dtype, n);
    Buffer& out = over < 0 ? apart : in[over];
    if (out.n != n) return;
    TileStep steps[2] = {};
    for (int k = 0; k < 3; ++k) steps[0].p[k] = in[k].data();
    steps[1].p[0] = out.data();
    clear_fp_flags();
    run(steps, n * itemsize(dtype));
    compare(out, read_fp_flags(), wanted,
            turns.name() + " length " + std::to_string(n) + " over " + std::to_string(over));
}

bool check_rows(const Turns& turns) {
    const TileFn step = turns.step();
    const std::int64_t lanes = tiles().tile_bytes / kTileLines / itemsize(turns.dtype);
    for (const TileRow& row : tiles().rows) {
        if (!step || row.joined != step) continue;
        for (std::int64_t n = 1; n < 6 * lanes; ++n) {
            for (int over = -1; over < 3; ++over) check_row(row.run, turns, n, over);
        }
        return true;
    }
    return false;
}

void check_level() {
    int found = 0;
    for (DType dtype : {DType::F32, DType::F64}) {
        for (int k = 0; k < kArithmeticOps * kArithmeticOps * 4; ++k) {
            found +=
                check_rows({dtype, static_cast<ArithmeticOp>(k / 4 % kArithmeticOps), (k & 1) != 0,
                            static_cast<ArithmeticOp>(k / 4 / kArithmeticOps), (k & 2) != 0});
        }
    }
    CHECK_AT(found == 112, "rows of two turns of arrays and elements");
}

}  // namespace

int main() { return check_levels(check_level); }
