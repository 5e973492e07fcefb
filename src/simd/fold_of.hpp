// Sums of products and squares, a chunk at a time: what is summed is computed in registers and
// never stored (kernels.hpp). Each operation rounds by itself, as in the rows that it stands for.
#pragma once

#include "simd/fold_loop.hpp"

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
    if (count >= kWidth<D>) return chunk_short<R, D>(out, in, count);
    store_register<D>(lanes, in.some(0, count));
    fold_halves<R, D>(lanes, kFoldLanes / 2, count, out);
}

template <DType D>
void fill_sums(KernelTable& table) {
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
