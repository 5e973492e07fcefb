// Memory that draws go through, and how they leave it. Internal to exec.
#pragma once

#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "exec/random/sampling.hpp"

namespace hassium {

// The values of one chunk for each thread.
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

// Values to their place `at`.
template <class Value>
void store_drawn(const Drawn& drawn, const Value* values, std::int64_t at, std::int64_t count) {
    Value* const out = reinterpret_cast<Value*>(drawn.out) + at;
    if constexpr (std::is_same_v<Value, double>) {
        const double times = drawn.times, plus = drawn.plus;
        if (drawn.is_scaled && drawn.is_moved) {
            for (std::int64_t k = 0; k < count; ++k) out[k] = values[k] * times + plus;
            return;
        }
        if (drawn.is_scaled) {
            for (std::int64_t k = 0; k < count; ++k) out[k] = values[k] * times;
            return;
        }
    }
    std::memcpy(out, values, static_cast<std::size_t>(count) * sizeof(Value));
}

}  // namespace hassium
