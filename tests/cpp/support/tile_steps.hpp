// Chains of register tiles put together by hand.
#pragma once

#include <algorithm>

#include "simd/tables/tiles.hpp"
#include "support/kernel_calls.hpp"

namespace tile_tests {

using namespace kernel_tests;

inline constexpr int kTiles = 2;

inline const TileTable& tiles() { return tiles_of(kernels()); }

// Null: none.
inline TileFn twin_of(TileFn fn) {
    const auto& twins = tiles().twins;
    auto found = std::find_if(twins.begin(), twins.end(),
                              [fn](const TileTwin& twin) { return twin.along == fn; });
    return found == twins.end() ? nullptr : found->across;
}

// Runs that were made once more with tiles across lines.
inline int runs_outer_loop = 0;

// The same steps on the same arrays, which are as many lines of kTiles registers; a tile is one
// register of each. Bytes are put as close as they lie in the memory of tiles, single
// elements stand once for each line.
class StepsAcross {
  public:
    StepsAcross(const std::vector<TileStep>& steps, Buffer& out)
        : given_(steps), steps_(steps), out_(out), found_(out.dtype, out.n) {
        for (TileStep& step : steps_) step.fn = twin_of(step.fn);
    }
    // Steps for elements of other sizes than the chain's own may share kernels with those for
    // bools.
    bool exists(int width) const {
        auto fits = [width](std::int32_t s) { return s <= 1 || s == 1 << width; };
        return width >= 2 && std::all_of(steps_.begin(), steps_.end(), [&](const TileStep& step) {
                   return step.fn && std::all_of(step.s, std::end(step.s), fits);
               });
    }
    void check(std::uint8_t raised) {
        clear_fp_flags();
        for (std::int64_t column = 0; column < kTiles; ++column) run(column);
        const std::uint8_t found = read_fp_flags();
        bool same = true;
        for (std::int64_t k = 0; k < out_.n; ++k) same = same && same_number(found_, k, out_, k);
        CHECK_AT(same, "a tile across lines has the bits of one along a row");
        CHECK_AT(found == raised, "a tile across lines raises what one along a row does");
        CHECK_AT(found_.intact(), "a tile across lines writes its elements alone");
        ++runs_outer_loop;
    }

  private:
    const std::vector<TileStep>& given_;
    std::vector<TileStep> steps_;
    Buffer &out_, found_;
    std::vector<std::vector<char>> copies_;

    std::int64_t lanes() const { return out_.n / kTiles / kTileLines; }
    void run(std::int64_t column) {
        const std::int64_t bytes = tiles().tile_bytes / kTileLines, at = column * bytes;
        copies_.clear();
        for (std::size_t k = 0; k < steps_.size(); ++k) {
            for (int operand = 0; operand < 3; ++operand) place(k, operand, bytes, at, column);
        }
        tiles().run(steps_.data(), at, at + 1, bytes);
        if (itemsize(out_.dtype) == 1) move_bytes(copies_.back(), found_.data(), column, false);
    }
    void place(std::size_t k, int operand, std::int64_t bytes, std::int64_t at,
               std::int64_t column) {
        const TileStep& given = given_[k];
        TileStep& step = steps_[k];
        // A small number is no address, but bits for the kernel.
        if (reinterpret_cast<std::uintptr_t>(given.p[operand]) < 4096) return;
        char* const array = given.p[operand] == out_.data() ? found_.data() : given.p[operand];
        if (given.s[operand] == 0) {
            step.p[operand] = copy_of(std::vector<char>(kTileLines * 16));
            for (int line = 0; line < kTileLines; ++line) {
                std::memcpy(step.p[operand] + line * 8, array, 8);
            }
            step.s[operand] = 8;
        } else if (given.s[operand] == 1) {
            std::vector<char> close(static_cast<std::size_t>(kTileLines * lanes()));
            move_bytes(close, array, column, true);
            step.p[operand] = copy_of(std::move(close)) - at;
            step.s[operand] = static_cast<std::int32_t>(bytes);
        } else {
            step.p[operand] = array;
            step.s[operand] = static_cast<std::int32_t>(kTiles * bytes);
        }
    }
    char* copy_of(std::vector<char> bytes) {
        copies_.push_back(std::move(bytes));
        return copies_.back().data();
    }
    void move_bytes(std::vector<char>& close, char* array, std::int64_t column, bool from) const {
        for (std::int64_t k = 0; k < kTileLines * lanes(); ++k) {
            const std::int64_t line = k / lanes(), lane = k % lanes();
            char& there = array[(line * kTiles + column) * lanes() + lane];
            char& here = close[static_cast<std::size_t>(k)];
            (from ? here : there) = from ? there : here;
        }
    }
};

// Steps over arrays of some tiles, and the memory of single elements. What they do across lines is
// checked on the way, where all of them can.
class Steps {
  public:
    explicit Steps(int width) : width_(width), elements_(tiles().tile_bytes >> width) {}

    std::int64_t elements() const { return kTiles * elements_; }
    TileStep& add(TileFn fn) {
        steps_.push_back({fn, {nullptr, nullptr, nullptr}, {0, 0, 0}});
        return steps_.back();
    }
    static void place(TileStep& step, int operand, Buffer& b, bool single = false) {
        step.p[operand] = b.data();
        step.s[operand] = single ? 0 : static_cast<std::int32_t>(itemsize(b.dtype));
    }
    void load(Buffer& b) { place(add(tiles().load[static_cast<int>(b.dtype)][width_]), 0, b); }
    std::uint8_t run(Buffer& out) {
        place(add(tiles().store[static_cast<int>(out.dtype)][width_]), 0, out);
        add(tiles().end);
        clear_fp_flags();
        tiles().run(steps_.data(), 0, elements(), elements_);
        const std::uint8_t raised = read_fp_flags();
        StepsAcross across(steps_, out);
        if (across.exists(width_)) across.check(raised);
        return raised;
    }

  private:
    int width_;
    std::int64_t elements_;
    std::vector<TileStep> steps_;
};

inline void compare(Buffer& found, std::uint8_t raised, Call& wanted, const std::string& what) {
    bool same = true;
    for (std::int64_t k = 0; k < found.n; ++k) {
        same = same && same_number(found, k, wanted.outs[0], k);
    }
    CHECK_AT(same, what + " bits");
    CHECK_AT(raised == wanted.raised, what + " conditions");
    CHECK_AT(found.intact(), what + " guard");
}

inline Buffer random_buffer(DType dtype, std::int64_t n) {
    Buffer b(dtype, n);
    randomise(b);
    return b;
}

inline Op op_of(ArithmeticOp turn) {
    return turn == ArithmeticOp::Add        ? Op::Add
           : turn == ArithmeticOp::Multiply ? Op::Multiply
                                            : Op::Subtract;
}

// The row that a turn stands for, on a value and an operand, of which either may be one element.
inline Call transpose_block(ArithmeticOp turn, DType dtype, const Buffer& value,
                            const Buffer& operand, std::int64_t n) {
    const bool from = turn == ArithmeticOp::From;
    std::vector<Buffer> ins = {from ? operand : value, from ? value : operand};
    std::uint32_t scalars = (ins[0].n == 1 ? 1u : 0u) | (ins[1].n == 1 ? 2u : 0u);
    return run_map(op_of(turn), dtype, ins, scalars, n);
}

}  // namespace tile_tests
