// Sums of products, squares and bools, a chunk at a time: the summands are computed in registers
// and never stored (kernels.hpp). Each operation rounds separately, as in the rows it replaces.
#pragma once

#include <algorithm>
#include <bit>

#include "simd/reduce/fold_loop.hpp"

namespace hassium::HS_SIMD_NS {

template <DType D, FoldOf F>
struct Computed {
    const char *p, *q;

    HS_INLINE Computed from(std::int64_t k) const {
        const std::int64_t bytes = k * kBytes<D>;
        return {p + bytes, kArray ? q + bytes : q};
    }
    HS_INLINE Register<D> get(int k) const {
        const Register<D> a = load_register<D>(p + k * kBytes<D>);
        if constexpr (kArray) return of(a, load_register<D>(q + k * kBytes<D>));
        return of(a, kElement ? broadcast<D>(q) : a);
    }
    HS_INLINE Register<D> some(int k, int count) const {
        const Register<D> a = load_some<D>(p + k * kBytes<D>, count);
        if constexpr (kArray) return of(a, load_some<D>(q + k * kBytes<D>, count));
        return of(a, kElement ? broadcast<D>(q) : a);
    }
    HS_INLINE Register<D> one(int k) const {
        const Register<D> a = broadcast<D>(p + k * kBytes<D>);
        if constexpr (kArray) return of(a, broadcast<D>(q + k * kBytes<D>));
        return of(a, kElement ? broadcast<D>(q) : a);
    }

  private:
    static constexpr bool kArray = F == FoldOf::Product || F == FoldOf::SquaredDifference;
    static constexpr bool kElement = F == FoldOf::SquaredDeviation;

    HS_INLINE static Register<D> of(Register<D> a, Register<D> b) {
        constexpr lane::None kNone{};
        if constexpr (F == FoldOf::Product || F == FoldOf::Square) {
            return row::Multiply::apply(a, b, kNone);
        } else {
            const Register<D> d = row::Subtract::apply(a, b, kNone);
            return row::Multiply::apply(d, d, kNone);
        }
    }
};

template <DType D, FoldOf F>
void sum_kernel(char* out, const char* p, const char* q, std::int64_t n) {
    using R = row::Add;
    const Computed<D, F> in{p, q};
    alignas(64) char lanes[kLaneBytes<D>];
    if (n >= kFoldLanes) {
        const std::int64_t rows = n / kFoldLanes;
        fold_rows<R, D>(lanes, in, rows);
        const int rest = static_cast<int>(n - rows * kFoldLanes);
        return fold_all<R, D>(out, lanes, in.from(rows * kFoldLanes), rest);
    }
    const int count = static_cast<int>(n);
    if (count < kInOrder<D>) return chunk_in_order<R, D>(out, in, count);
    if (count >= kWidth<D>) return chunk_short<R, D>(out, in, count);
    store_register<D>(lanes, in.some(0, count));
    fold_halves<R, D>(lanes, kFoldLanes / 2, count, out);
}

// Returns how many bytes of a word are not zero.
HS_INLINE int true_bytes(std::uint64_t word) {
    constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
    return std::popcount((((word & kLow) + kLow) | word) & ~kLow);
}
HS_INLINE std::int64_t sum_of_bytes(Vec<std::uint8_t> x) {
    constexpr std::uint64_t kEven = 0x00ff00ff00ff00ff;
    std::uint64_t words[sizeof x / 8], pairs = 0;
    x.store_unaligned(reinterpret_cast<std::uint8_t*>(words));
    for (std::uint64_t word : words) pairs += (word & kEven) + ((word >> 8) & kEven);
    return static_cast<std::int64_t>((pairs * 0x0001000100010001) >> 48);
}

// Counts the true bools among n: integers, so their order does not matter.
template <DType D>
void count_kernel(char* out, const char* p, const char*, std::int64_t n) {
    using Bytes = Vec<std::uint8_t>;
    constexpr std::int64_t kWidth = Bytes::size;
    const Bytes one(1);
    std::int64_t count = 0;
    while (n >= kWidth) {
        // Few enough not to overflow a lane.
        const std::int64_t some = std::min<std::int64_t>(n / kWidth, 255) * kWidth;
        Bytes lanes(0);
        for (std::int64_t k = 0; k < some; k += kWidth) {
            const auto* bytes = reinterpret_cast<const std::uint8_t*>(p + k);
            lanes += xsimd::min(Bytes::load_unaligned(bytes), one);
        }
        count += sum_of_bytes(lanes);
        p += some;
        n -= some;
    }
    for (; n > 0; p += 8, n -= 8) {
        std::uint64_t word = 0;
        copy_bytes(reinterpret_cast<char*>(&word), p,
                   static_cast<unsigned long>(std::min<std::int64_t>(n, 8)));
        count += true_bytes(word);
    }
    const auto result = static_cast<Part<D>>(count);
    copy_bytes(out, reinterpret_cast<const char*>(&result), sizeof result);
}

template <DType D>
void fill_sums(KernelTable& table) {
    if constexpr (D == DType::I64 || D == DType::F64) {
        table.sum_of[static_cast<int>(FoldOf::Truth)][static_cast<int>(D)] = &count_kernel<D>;
    }
    if constexpr (kFoldsInRegisters<row::Add, D> && kind(D) == DTypeKind::Float) {
        constexpr int kColumn = static_cast<int>(D);
        table.sum_of[static_cast<int>(FoldOf::Product)][kColumn] = &sum_kernel<D, FoldOf::Product>;
        table.sum_of[static_cast<int>(FoldOf::Square)][kColumn] = &sum_kernel<D, FoldOf::Square>;
        table.sum_of[static_cast<int>(FoldOf::SquaredDifference)][kColumn] =
            &sum_kernel<D, FoldOf::SquaredDifference>;
        table.sum_of[static_cast<int>(FoldOf::SquaredDeviation)][kColumn] =
            &sum_kernel<D, FoldOf::SquaredDeviation>;
    }
}

}  // namespace hassium::HS_SIMD_NS
