// Steps of register tiles for the whole of a complex square, at every level this machine runs: they
// do what the steps for its parts, for the mask and for the choice do, bits and conditions.
#include "support/tile_steps.hpp"

using namespace kernel_tests;
using namespace tile_tests;

namespace {

// A part of the square of z plus a number, by the step for one part and that for a select.
Call part_of_square(int which, int width, Buffer (&z)[2], Buffer& plus, Buffer* mask) {
    const auto type = static_cast<int>(plus.dtype);
    Steps steps(width);
    TileStep& square = steps.add(tiles().squares[type][width][which]);
    Steps::place(square, 0, z[0]);
    Steps::place(square, 1, z[1]);
    Steps::place(square, 2, plus);
    if (mask) {
        const TileFn* forms = tiles().map[static_cast<int>(Op::Where)][type][width];
        TileStep& choice = steps.add(forms[static_cast<int>(TileForm::AccMem)]);
        Steps::place(choice, 0, z[which]);
        Steps::place(choice, 2, *mask);
    }
    Call made;
    made.outs.emplace_back(plus.dtype, steps.elements());
    made.raised = steps.run(made.outs[0]);
    return made;
}

// The mask by which a square near zero is chosen, by the steps for the sum and the comparison.
Call near_zero(Op op, int width, Buffer (&z)[2], Buffer& bound) {
    const auto type = static_cast<int>(bound.dtype);
    Steps steps(width);
    TileStep& sum = steps.add(tiles().squares[type][width][2]);
    Steps::place(sum, 0, z[0]);
    Steps::place(sum, 1, z[1]);
    const TileFn* forms = tiles().map[static_cast<int>(op)][type][width];
    Steps::place(steps.add(forms[static_cast<int>(TileForm::AccScalar)]), 0, bound, true);
    Call made;
    made.outs.emplace_back(DType::Bool, steps.elements());
    made.raised = steps.run(made.outs[0]);
    return made;
}

enum class Choice { None, Mask, Near };

void check_square(DType dtype, int width, TileFn fn, Choice choice, Op op = Op::Less) {
    Steps steps(width);
    const std::int64_t n = steps.elements();
    Buffer z[2] = {random_buffer(dtype, n), random_buffer(dtype, n)};
    Buffer plus[2] = {random_buffer(dtype, n), random_buffer(dtype, n)};
    Buffer mask = random_buffer(DType::Bool, n), bound = random_buffer(dtype, 1), out(dtype, n);
    Call near, wanted[2];
    if (choice == Choice::Near) near = near_zero(op, width, z, bound);
    Buffer* const chosen = choice == Choice::Near ? &near.outs[0] : &mask;
    std::uint8_t raised = near.raised;
    for (int part = 0; part < 2; ++part) {
        wanted[part] =
            part_of_square(part, width, z, plus[part], choice == Choice::None ? nullptr : chosen);
        raised |= wanted[part].raised;
    }
    near.raised = wanted[0].raised = wanted[1].raised = raised;
    TileStep& step = steps.add(fn);
    Steps::place(step, 0, z[0]);
    Steps::place(step, 1, z[1]);
    Steps::place(step, 2, plus[0]);
    TileStep& second = steps.add(tiles().end);
    Steps::place(second, 0, plus[1]);
    Steps::place(second, 1, mask);
    Steps::place(second, 2, z[0]);  // in the place of an operand
    TileStep& third = steps.add(tiles().end);
    Steps::place(third, 0, z[1]);
    Steps::place(third, 1, bound, true);
    const std::uint8_t found = steps.run(out);
    const std::string what =
        std::string(kernels().level) + " " + std::string(info(dtype).name) + " whole square ";
    compare(z[0], found, wanted[0], what + "real");
    compare(z[1], found, wanted[1], what + "imaginary");
    compare(out, found, wanted[1], what + "imaginary, held");
    if (choice == Choice::Near) compare(mask, found, near, what + "mask");
}

int check_squares(DType dtype, int width) {
    int found = 0;
    const auto type = static_cast<int>(dtype);
    for (Choice choice : {Choice::None, Choice::Mask}) {
        TileFn fn = tiles().whole_square[type][width][choice == Choice::Mask];
        if (!fn) continue;
        check_square(dtype, width, fn, choice);
        ++found;
    }
    for (int op = 0; op < kOpCount; ++op) {
        TileFn fn = tiles().near_square[op][type][width];
        if (!fn) continue;
        check_square(dtype, width, fn, Choice::Near, static_cast<Op>(op));
        ++found;
    }
    return found;
}

void check_level() {
    int found = 0;
    for (int dtype = 0; dtype < kDTypeCount; ++dtype) {
        for (int width = 0; width < kTileWidths; ++width) {
            found += check_squares(static_cast<DType>(dtype), width);
        }
    }
    CHECK_AT(found >= 6, std::string(kernels().level) + " steps for whole squares");
}

}  // namespace

int main() { return check_levels(check_level); }
