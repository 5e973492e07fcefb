// Chains of register tiles put together by hand.
#pragma once

#include "simd/tiles.hpp"
#include "support/kernel_calls.hpp"

namespace tile_tests {

using namespace kernel_tests;

inline constexpr int kTiles = 2;

inline const TileTable& tiles() { return tiles_of(kernels()); }

// Steps over arrays of some tiles, and the memory of single elements.
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
        return read_fp_flags();
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

}  // namespace tile_tests
