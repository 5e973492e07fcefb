// Counts the true results among n of a row of bools, one register's mask at a time, without storing
// them (kernels.hpp).
#pragma once

#include <bit>

#include "simd/reduce/fold_lanes.hpp"

namespace hassium::HS_SIMD_NS {

template <class R, DType D>
inline constexpr bool kHasCount =
    kHasMap<R, D> && has<R>(kBoolResult) && !kScalarRow<R, D> && D != DType::Bool &&
    D != DType::F16 && kind(D) != DTypeKind::Complex && R::kInputs <= 2 && R::kOutputs == 1 &&
    kIn<R, D, 0> == D && kIn<R, D, 1> == D && kOut<R, D, 0> == DType::Bool;

template <class R, DType D, bool kElement>
HS_INLINE std::int64_t count_true(const char* p, const char* q, std::int64_t n) {
    constexpr std::int64_t kStep = kWidth<D>, kSize = kBytes<D>;
    constexpr bool kOne = kElement && R::kInputs == 2;
    Register<D> element{};
    if constexpr (kOne) element = broadcast<D>(q);
    auto bits = [](Register<D> a, Register<D> b) -> std::uint64_t {
        if constexpr (R::kInputs == 1) return R::apply(a, lane::None{}, lane::None{}).mask();
        if constexpr (R::kInputs == 2) return R::apply(a, b, lane::None{}).mask();
    };
    auto second = [&](std::int64_t i) {
        return kElement ? element : load_register<D>(q + i * kSize);
    };
    // Independent partial sums.
    constexpr int kSums = 4;
    std::int64_t sums[kSums] = {}, i = 0;
    for (; i + kSums * kStep <= n; i += kSums * kStep) {
#pragma GCC unroll 4
        for (int k = 0; k < kSums; ++k) {
            const std::int64_t at = i + k * kStep;
            sums[k] += std::popcount(bits(load_register<D>(p + at * kSize), second(at)));
        }
    }
    std::int64_t count = sums[0] + sums[1] + sums[2] + sums[3];
    for (; i + kStep <= n; i += kStep) {
        count += std::popcount(bits(load_register<D>(p + i * kSize), second(i)));
    }
    if (const int some = static_cast<int>(n - i); some > 0) {
        const Register<D> a = load_some<D>(p + i * kSize, some);
        const Register<D> b = kElement ? element : load_some<D>(q + i * kSize, some);
        count += std::popcount(bits(a, b) & ((std::uint64_t{1} << some) - 1));
    }
    return count;
}

template <class R, DType D>
std::int64_t count_kernel(const char* p, const char* q, bool element, std::int64_t n) {
    const auto status = kRestoresFlags<R, D> ? save_status() : 0;
    const std::int64_t count = element || R::kInputs == 1 ? count_true<R, D, true>(p, q, n)
                                                          : count_true<R, D, false>(p, q, n);
    if constexpr (kRestoresFlags<R, D>) restore_status(status);
    return count;
}

}  // namespace hassium::HS_SIMD_NS
