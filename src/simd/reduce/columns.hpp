// Accumulates few columns down many rows, each in order: the running values stay in registers,
// where a call for each row would cost more than its work.
//
// The last register of a row overlaps the one before; the overlap is computed twice, to the same
// bits. A row shorter than a register is read with a mask where the level has masks. Elsewhere each
// of its columns has a register: loads of rows assembled in memory would wait for their stores.
#pragma once

#include "simd/reduce/fold_loop.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium::HS_SIMD_NS {

template <class R, DType D>
inline constexpr bool kHasScanColumns = has<R>(kAssociative) && !has<R>(kMath) && !kScalarRow<R, D>;
// Complex numbers have only sums, which map and accumulate by the same operation; float16 has none,
// as its reductions do not round at every step.
template <class R, DType D>
inline constexpr bool kHasColumns = kHasScanColumns<R, D> && D != DType::F16 &&
                                    (kind(D) != DTypeKind::Complex || R::kOp == Op::Add);

// Rounds to float16, as stored.
template <DType D>
HS_INLINE Register<D> rounded(Register<D> x) {
    if constexpr (D == DType::F16) {
        alignas(64) char halves[kRegisterBytes];
        store_halves(halves, x);
        return load_halves(halves);
    } else {
        return x;
    }
}

// Sinks of the running values of a row: they are ignored, ..
template <class R, DType D>
struct KeepState {
    HS_INLINE void put(std::int64_t, std::int64_t, Register<D>) const {}
    HS_INLINE void put_some(std::int64_t, Register<D>, int) const {}
    HS_INLINE void put_one(std::int64_t, std::int64_t, One<R, D>) const {}
};
// .. or stored, combined after `before` if that is not null.
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
    HS_INLINE void put_one(std::int64_t row, std::int64_t at, One<R, D> x) const {
        if (before) x = One<R, D>::load(before + at).with(x);
        x.store(out + row * pitch + at);
    }
};

// A row is read before any of it is stored: the results may overwrite it. `in` is a copy, as any
// store might alias the original.
template <class R, DType D, int G, class Sink>
void down_registers(char* state, ColumnRows in, std::int64_t from, std::int64_t last, Sink sink) {
    constexpr std::int64_t kRegister = kWidth<D> * kBytes<D>;
    auto at = [&](int j) { return j + 1 < G ? from + j * kRegister : last; };
    Register<D> running[G], x[G];
    for (int j = 0; j < G; ++j) running[j] = load_register<D>(state + at(j));
    for (std::int64_t row = 0; row < in.rows; ++row) {
        for (int j = 0; j < G; ++j) x[j] = load_register<D>(in.first + row * in.pitch + at(j));
        for (int j = 0; j < G; ++j) {
            running[j] = rounded<D>(combine<R, D>(running[j], x[j]));
            sink.put(row, at(j), running[j]);
        }
    }
    for (int j = 0; j < G; ++j) store_register<D>(state + at(j), running[j]);
}

#if HS_SIMD_LEVEL == 4
template <class R, DType D, class Sink>
void down_some(char* state, ColumnRows in, Sink sink) {
    const auto count = static_cast<int>(in.columns);
    Register<D> running = load_some<D>(state, count);
    for (std::int64_t row = 0; row < in.rows; ++row) {
        running = combine<R, D>(running, load_some<D>(in.first + row * in.pitch, count));
        sink.put_some(row, running, count);
    }
    store_some<D>(state, running, count);
}
#endif

// Accumulates at most G columns; missing ones repeat the last.
template <class R, DType D, int G, class Sink>
void down_ones(char* state, ColumnRows in, std::int64_t from, Sink sink) {
    using Element = One<R, D>;
    const std::int64_t last = (in.columns - 1) * kBytes<D>;
    std::int64_t at[G];
    Element running[G], x[G];
    for (int j = 0; j < G; ++j) {
        at[j] = from + j * kBytes<D> < last ? from + j * kBytes<D> : last;
        running[j] = Element::load(state + at[j]);
    }
    for (std::int64_t row = 0; row < in.rows; ++row) {
        for (int j = 0; j < G; ++j) x[j] = Element::load(in.first + row * in.pitch + at[j]);
        for (int j = 0; j < G; ++j) {
            running[j] = running[j].with(x[j]);
            sink.put_one(row, at[j], running[j]);
        }
    }
    for (int j = 0; j < G; ++j) running[j].store(state + at[j]);
}

template <class R, DType D, class Sink>
HS_INLINE void down_narrow(char* state, const ColumnRows& in, const Sink& sink) {
#if HS_SIMD_LEVEL == 4
    if constexpr (kMasked<D>) return down_some<R, D>(state, in, sink);
#endif
    std::int64_t done = 0;
    if constexpr (kWidth<D> > 4) {
        for (; in.columns - done > 3; done += 4) {
            down_ones<R, D, 4>(state, in, done * kBytes<D>, sink);
        }
    }
    if (done < in.columns) down_ones<R, D, 3>(state, in, done * kBytes<D>, sink);
}

template <class R, DType D, class Sink>
HS_INLINE void down_columns(char* state, const ColumnRows& in, const Sink& sink) {
    constexpr std::int64_t kRegister = kWidth<D> * kBytes<D>;
    const std::int64_t bytes = in.columns * kBytes<D>, last = bytes - kRegister;
    if (last < 0) return down_narrow<R, D>(state, in, sink);
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
    constexpr int kRow = static_cast<int>(R::kOp), kColumn = static_cast<int>(D);
    if constexpr (kHasColumns<R, D>) table.columns[kRow][kColumn] = &columns_kernel<R, D>;
    if constexpr (kHasScanColumns<R, D>) {
        table.scan_columns[kRow][kColumn] = &scan_columns_kernel<R, D>;
    }
}

}  // namespace hassium::HS_SIMD_NS
