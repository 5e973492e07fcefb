// Chains of one joined step of arrays and elements, and a store, as a single loop along a row: two
// operations per register do not pay for the dispatch between steps.
#pragma once

#include "simd/tile/tile_joined.hpp"

namespace hassium::HS_SIMD_NS {

// Kernels find the stack aligned for registers: functions called from other units align it, once
// for all (docs/decisions/0016-kernels-find-the-stack-aligned.md).
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define HS_FROM_OUTSIDE [[gnu::force_align_arg_pointer]]
#else
#define HS_FROM_OUTSIDE
#endif

template <DType D, bool Scalar>
struct RowOperand {
    const char* p;
    HS_INLINE explicit RowOperand(const char* at) : p(at) {}
    HS_INLINE Register<D> get(std::int64_t at) const { return load_register<D>(p + at); }
};
template <DType D>
struct RowOperand<D, true> {
    Register<D> x;
    HS_INLINE explicit RowOperand(const char* at) : x(broadcast<D>(at)) {}
    HS_INLINE Register<D> get(std::int64_t) const { return x; }
};

// For less than a register: runs on copies, whose surplus lanes repeat the first element and raise
// nothing that it does not. Bit k of `arrays`: p[k] is an array.
template <DType D>
[[gnu::noinline]] void short_row(TileRowFn run, const TileStep* steps, std::int64_t bytes,
                                 unsigned arrays) {
    alignas(64) char copies[4][kRawBytes];
    TileStep staged[2] = {steps[0], steps[1]};
    for (int k = 0; k < 3; ++k) {
        if (!(arrays >> k & 1)) continue;
        gather_partial<kBytes<D>>(copies[k], steps->p[k], static_cast<int>(bytes / kBytes<D>),
                                  kWidth<D>);
        staged[0].p[k] = copies[k];
    }
    staged[1].p[0] = copies[3];
    run(staged, kRawBytes);
    copy_bytes(steps[1].p[0], copies[3], static_cast<unsigned long>(bytes));
}

// The last register overlaps the one before. It is computed first, before any of its inputs are
// overwritten: the row may be written over its inputs.
template <DType D, ArithmeticOp First, bool ScalarFirst, ArithmeticOp Second, bool ScalarSecond>
HS_FROM_OUTSIDE void joined_row(const TileStep* steps, std::int64_t bytes) {
    if (bytes < kRawBytes) {
        constexpr unsigned kArrays = 1u | (ScalarSecond ? 0u : 2u) | (ScalarFirst ? 0u : 4u);
        return short_row<D>(&joined_row<D, First, ScalarFirst, Second, ScalarSecond>, steps, bytes,
                            kArrays);
    }
    const RowOperand<D, false> p(steps->p[0]);
    const RowOperand<D, ScalarFirst> q(steps->p[2]);
    const RowOperand<D, ScalarSecond> last(steps->p[1]);
    char* const out = steps[1].p[0];
    auto value = [&](std::int64_t at) {
        return transpose_block<D, Second>(transpose_block<D, First>(p.get(at), q.get(at)),
                                          last.get(at));
    };
    const std::int64_t left = bytes % kRawBytes, whole = bytes - left, end = bytes - kRawBytes;
    const Register<D> at_end = value(end);
#pragma GCC unroll 4
    for (std::int64_t at = 0; at < whole; at += kRawBytes) store_register<D>(out + at, value(at));
    if (left != 0) store_register<D>(out + end, at_end);
}

template <DType D, ArithmeticOp First, bool ScalarFirst, ArithmeticOp Second>
void add_joined_rows(TileTable& table) {
    constexpr ArithmeticForm kForm =
        ScalarFirst ? ArithmeticForm::MemScalar : ArithmeticForm::MemMem;
    const TileFn* steps = table.joined[static_cast<int>(D)][static_cast<int>(First)]
                                      [static_cast<int>(kForm)][static_cast<int>(Second)];
    table.rows.push_back({steps[static_cast<int>(ArithmeticEnd::Mem)],
                          &joined_row<D, First, ScalarFirst, Second, false>});
    table.rows.push_back({steps[static_cast<int>(ArithmeticEnd::Scalar)],
                          &joined_row<D, First, ScalarFirst, Second, true>});
}

template <DType D, ArithmeticOp First, bool ScalarFirst>
void add_first_rows(TileTable& table) {
    each_arithmetic(
        [&]<ArithmeticOp Second>() { add_joined_rows<D, First, ScalarFirst, Second>(table); });
}

// Fills the kernels of the joined steps that the table has.
template <DType D>
void fill_rows(TileTable& table) {
    if constexpr (D == DType::F32 || D == DType::F64) {
        each_arithmetic([&]<ArithmeticOp First>() {
            if constexpr (First != ArithmeticOp::From) add_first_rows<D, First, false>(table);
            add_first_rows<D, First, true>(table);
        });
    }
}

}  // namespace hassium::HS_SIMD_NS
