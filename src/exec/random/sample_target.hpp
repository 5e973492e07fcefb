// Memory for samples, and the conversion and store of their values. Internal to exec.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "exec/random/sampling.hpp"

namespace hassium {

// The values of one chunk of each thread.
template <class Value>
class DrawnValues {
  public:
    void allot(int threads, std::int64_t each) {
        for (int k = 0; k < threads; ++k) {
            of_.push_back(std::make_unique_for_overwrite<Value[]>(static_cast<std::size_t>(each)));
        }
    }
    Value* of(int thread) const { return of_[static_cast<std::size_t>(thread)].get(); }

  private:
    std::vector<std::unique_ptr<Value[]>> of_;
};

// Stores values at index `at` of the output, scaled and shifted.
template <class Value>
void store_drawn(const Drawn& drawn, const Value* values, std::int64_t at, std::int64_t count) {
    Value* const out = reinterpret_cast<Value*>(drawn.out) + at;
    if constexpr (std::is_same_v<Value, double>) {
        const auto [is_scaled, is_moved, times, plus] = drawn.map;
        if (is_scaled && is_moved) {
            for (std::int64_t k = 0; k < count; ++k) out[k] = values[k] * times + plus;
            return;
        }
        if (is_scaled) {
            for (std::int64_t k = 0; k < count; ++k) out[k] = values[k] * times;
            return;
        }
    }
    std::memcpy(out, values, static_cast<std::size_t>(count) * sizeof(Value));
}

// Draws integers of a dtype: calls draw(Value{}) with the unsigned type of their size, or fills if
// the range has one value.
template <class Draw>
void draw_in_range(DType dtype, IntegerRange range, const Drawn& drawn, Draw draw) {
    auto of_type = [&]<class Value>(Value) {
        if (range.span > 0) return draw(Value{});
        std::fill_n(reinterpret_cast<Value*>(drawn.out), drawn.n, static_cast<Value>(range.least));
    };
    switch (itemsize(dtype)) {
        case 1:
            return of_type(std::uint8_t{});
        case 2:
            return of_type(std::uint16_t{});
        case 4:
            return of_type(std::uint32_t{});
        default:
            return of_type(std::uint64_t{});
    }
}

}  // namespace hassium
