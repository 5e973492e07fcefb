// Integer powers of integers: products of whole registers by the bits of one exponent, or of each
// lane's own, which wrap around as scalar products do.
#pragma once

#include "simd/reduce/fold_lanes.hpp"

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

template <DType D>
HS_INLINE Register<D> whole_powers(Register<D> x, Register<D> exponents) {
    using U = std::make_unsigned_t<Part<D>>;
    auto times = [](Register<D> a, Register<D> b) { return combine<row::Multiply, D>(a, b); };
    auto n = math::recast<U>(exponents);
    Register<D> power(Part<D>{1});
    for (;;) {
        const auto bit = (n & Vec<U>(U{1})) != Vec<U>(U{0});
        power = xsimd::select(xsimd::batch_bool_cast<Part<D>>(bit), times(power, x), power);
        n = n >> 1;
        if (xsimd::none(n != Vec<U>(U{0}))) return power;
        x = times(x, x);
    }
}

// Negative exponents are rejected before an instruction is recorded, except those that a mask
// excludes.
template <class R, DType D>
void map_whole_powers(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    using T = Part<D>;
    const bool one = scalars == 2;
    const auto exponent = one ? static_cast<std::uint64_t>(load_as<T>(ptr[2])) : 0;
    auto at = [&](int k, std::int64_t i) {
        return ptr[k] + (k > 0 && (scalars >> (k - 1) & 1) != 0 ? 0 : i * kBytes<D>);
    };
    auto load = [&](int k, std::int64_t i) {
        return at(k, 1) == ptr[k] ? broadcast<D>(ptr[k]) : load_register<D>(at(k, i));
    };
    std::int64_t done = 0;
    for (; done + kWidth<D> <= n; done += kWidth<D>) {
        const Register<D> x = load(1, done);
        store_register<D>(at(0, done), exponent != 0 ? whole_power<D>(x, exponent)
                                                     : whole_powers<D>(x, load(2, done)));
    }
    char* const rest[3] = {at(0, done), at(1, done), at(2, done)};
    if (done < n) map_kernel<R, D>(rest, scalars, n - done);
}

}  // namespace hassium::HS_SIMD_NS
