// Integers to the power of one exponent: products of whole registers by the exponent's bits, which
// wrap around as the products of single elements do.
#pragma once

#include "simd/fold_lanes.hpp"

namespace hassium::HS_SIMD_NS {

template <class R, DType D>
inline constexpr bool kHasWholePowers =
    R::kOp == Op::Power && is_integer(D) && kHasMap<R, D> && kHasMap<row::Multiply, D>;

template <DType D>
HS_INLINE Register<D> whole_power(Register<D> x, std::uint64_t exponent) {
    auto times = [](Register<D> a, Register<D> b) { return combine<row::Multiply, D>(a, b); };
    while (exponent % 2 == 0) {
        x = times(x, x);
        exponent /= 2;
    }
    Register<D> power = x;
    while ((exponent /= 2) != 0) {
        x = times(x, x);
        if (exponent % 2 != 0) power = times(power, x);
    }
    return power;
}

// Negative exponents are refused before an instruction is recorded.
template <class R, DType D>
void map_whole_powers(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    using T = Part<D>;
    const bool one = scalars == 2;
    const auto exponent = one ? static_cast<std::uint64_t>(load_as<T>(ptr[2])) : 0;
    if (exponent == 0) return map_kernel<R, D>(ptr, scalars, n);
    std::int64_t done = 0;
    for (; done + kWidth<D> <= n; done += kWidth<D>) {
        const std::int64_t at = done * kBytes<D>;
        store_register<D>(ptr[0] + at, whole_power<D>(load_register<D>(ptr[1] + at), exponent));
    }
    char* const rest[3] = {ptr[0] + done * kBytes<D>, ptr[1] + done * kBytes<D>, ptr[2]};
    if (done < n) map_kernel<R, D>(rest, scalars, n - done);
}

}  // namespace hassium::HS_SIMD_NS
