// Few columns accumulated down many rows, each in order: the running values stay in registers,
// where a call for each row would cost more than its work.
//
// The last register of a row reaches back into the one before: what both hold is computed twice, to
// the same bits. A row shorter than a register repeats its first column.
#pragma once

#include "simd/fold_loop.hpp"
#include "simd/kernels.hpp"

namespace hassium::HS_SIMD_NS {

// Of complex numbers only sums are the same operation in a map and in an accumulation.
template <class R, DType D>
inline constexpr bool kHasColumns =
    has<R>(kAssociative) && !has<R>(kMath) && !kScalarRow<R, D> && D != DType::F16 &&
    (kind(D) != DTypeKind::Complex || R::kOp == Op::Add);

// What is done with the running values of a row: nothing, ..
template <class R, DType D>
struct KeepState {
    HS_INLINE void put(std::int64_t, std::int64_t, Register<D>) const {}
    HS_INLINE void put_some(std::int64_t, Register<D>, int) const {}
};
// .. or they are stored, after `before` if that is not null.
template <class R, DType D>
struct StoreRows {
    char* out;
    std::int64_t pitch;
    const char* before;
    HS_INLINE void put(std::int64_t row, std::int64_t at, Register<D> x) const {
        if (before) x = combine<R, D>(load_register<D>(before + at), x);
        store_register<D>(out + row * pitch + at, x);
    }
    HS_INLINE void put_some(std::int64_t row, Register<D> x, int count) const {
        if (before) x = combine<R, D>(load_some<D>(before, count), x);
        store_some<D>(out + row * pitch, x, count);
    }
};

// A row is read before any of it is stored: the results may take its place.
template <class R, DType D, int G, class Sink>
void down_registers(char* state, const ColumnRows& in, std::int64_t from, std::int64_t last,
                    const Sink& sink) {
    constexpr std::int64_t kRegister = kWidth<D> * kBytes<D>;
    auto at = [&](int j) { return j + 1 < G ? from + j * kRegister : last; };
    Register<D> running[G], x[G];
    for (int j = 0; j < G; ++j) running[j] = load_register<D>(state + at(j));
    for (std::int64_t row = 0; row < in.rows; ++row) {
        for (int j = 0; j < G; ++j) x[j] = load_register<D>(in.first + row * in.pitch + at(j));
        for (int j = 0; j < G; ++j) {
            running[j] = combine<R, D>(running[j], x[j]);
            sink.put(row, at(j), running[j]);
        }
    }
    for (int j = 0; j < G; ++j) store_register<D>(state + at(j), running[j]);
}

template <class R, DType D, class Sink>
void down_some(char* state, const ColumnRows& in, const Sink& sink) {
    const auto count = static_cast<int>(in.columns);
    Register<D> running = load_some<D>(state, count);
    for (std::int64_t row = 0; row < in.rows; ++row) {
        running = combine<R, D>(running, load_some<D>(in.first + row * in.pitch, count));
        sink.put_some(row, running, count);
    }
    store_some<D>(state, running, count);
}

template <class R, DType D, class Sink>
HS_INLINE void down_columns(char* state, const ColumnRows& in, const Sink& sink) {
    constexpr std::int64_t kRegister = kWidth<D> * kBytes<D>;
    const std::int64_t bytes = in.columns * kBytes<D>, last = bytes - kRegister;
    if (last < 0) return down_some<R, D>(state, in, sink);
    std::int64_t from = 0;
    for (; bytes - from >= 3 * kRegister; from += 2 * kRegister) {
        down_registers<R, D, 2>(state, in, from, from + kRegister, sink);
    }
    if (bytes - from > 2 * kRegister) return down_registers<R, D, 3>(state, in, from, last, sink);
    if (bytes - from > kRegister) return down_registers<R, D, 2>(state, in, from, last, sink);
    down_registers<R, D, 1>(state, in, from, last, sink);
}

template <class R, DType D>
void columns_kernel(char* state, const ColumnRows& in) {
    down_columns<R, D>(state, in, KeepState<R, D>{});
}

template <class R, DType D>
void scan_columns_kernel(char* out, std::int64_t pitch, char* state, const char* before,
                         const ColumnRows& in) {
    down_columns<R, D>(state, in, StoreRows<R, D>{out, pitch, before});
}

template <class R, DType D>
HS_INLINE void fill_columns(KernelTable& table) {
    if constexpr (kHasColumns<R, D>) {
        constexpr int kRow = static_cast<int>(R::kOp), kColumn = static_cast<int>(D);
        table.columns[kRow][kColumn] = &columns_kernel<R, D>;
        table.scan_columns[kRow][kColumn] = &scan_columns_kernel<R, D>;
    }
}

}  // namespace hassium::HS_SIMD_NS
