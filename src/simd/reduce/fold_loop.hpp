// Reductions: chunk and tree kernels of one row (reduction_tree.hpp).
//
// A chunk has 64 lanes on every instruction set: as many registers as that takes, in groups that
// fit the register file. The lanes are then folded in halves, first between registers, then inside
// one by shuffles that fill every lane with a pair that the tree does combine, so that no lane
// raises an exception of its own. float16 keeps float32 lanes within a chunk, as NumPy's sums do.
#pragma once

#include "simd/reduce/fold_lanes.hpp"
#include "simd/reduce/plain_extremes.hpp"
#include "simd/reduce/scan_loop.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium::HS_SIMD_NS {

inline constexpr int kFoldLanes = 64;
// Fewer elements than this are combined in order (ReductionTree::in_order).
template <DType D>
inline constexpr int kInOrder = kind(D) == DTypeKind::Complex ? 4 : 8;

// The dtype in which a chunk keeps its lanes.
template <DType D>
inline constexpr DType kWide = D == DType::F16 ? DType::F32 : D;

// The slack is for g++ 12, which does not see that a fold of all lanes leaves no remainder.
template <DType D>
inline constexpr int kLaneBytes = kFoldLanes * kBytes<D> + kRegisterBytes;

// ---- chunks ----

// A chunk's elements in memory: `get` loads a register from element k on, `some` is load_some from
// there, `one` broadcasts element k.
template <DType D>
struct InMemory {
    const char* p;
    HS_INLINE InMemory from(std::int64_t k) const { return {p + k * kBytes<D>}; }
    HS_INLINE Register<D> get(int k) const { return load_register<D>(p + k * kBytes<D>); }
    HS_INLINE Register<D> some(int k, int count) const {
        return load_some<D>(p + k * kBytes<D>, count);
    }
    HS_INLINE Register<D> one(int k) const { return broadcast<D>(p + k * kBytes<D>); }
};

// Folds maxima or minima of `rows` full rows; returns false if an element is NaN.
template <class R, DType D, class Elements>
HS_INLINE bool fold_numbers(char* lanes, Elements in, std::int64_t rows) {
    constexpr int kRegisters = kFoldLanes / kWidth<D>, kGroup = 8;
    const auto status = save_status();
    for (int g = 0; g < kRegisters; g += kGroup) {
        Elements row = in.from(g * kWidth<D>);
        Register<D> acc[kGroup];
#pragma GCC unroll 8
        for (int j = 0; j < kGroup; ++j) acc[j] = row.get(j * kWidth<D>);
        auto nan = unordered(acc[0], acc[1]);
#pragma GCC unroll 8
        for (int j = 2; j < kGroup; j += 2) nan = nan | unordered(acc[j], acc[j + 1]);
        for (std::int64_t r = 1; r < rows; ++r) {
            row = row.from(kFoldLanes);
#pragma GCC unroll 8
            for (int j = 0; j < kGroup; j += 2) {
                Register<D> a = row.get(j * kWidth<D>), b = row.get((j + 1) * kWidth<D>);
                read_once(a), read_once(b);
                nan = nan | unordered(a, b);
                acc[j] = plain_extreme<R>(acc[j], a);
                acc[j + 1] = plain_extreme<R>(acc[j + 1], b);
            }
        }
        if (xsimd::any(nan)) [[unlikely]] {
            restore_status(status);
            return false;
        }
#pragma GCC unroll 8
        for (int j = 0; j < kGroup; ++j) {
            store_register<D>(lanes + (g + j) * kWidth<D> * kBytes<D>, acc[j]);
        }
    }
    return true;
}

// Writes the lane results of `rows` full rows of 64 elements to memory, in the wide dtype.
template <class R, DType D, class Elements>
HS_INLINE void fold_rows(char* lanes, Elements in, std::int64_t rows) {
    constexpr DType W = kWide<D>;
    constexpr int kRegisters = kFoldLanes / kWidth<D>;
    constexpr int kGroup = has<R>(kMath)                   ? 1
                           : kRegisters < 8                ? kRegisters
                           : kind(D) == DTypeKind::Complex ? 4
                                                           : 8;
    if constexpr (kPlainExtreme<R, D>) {
        if (fold_numbers<R, D>(lanes, in, rows)) return;
    }
    for (int g = 0; g < kRegisters; g += kGroup) {
        Elements row = in.from(g * kWidth<D>);
        Register<W> acc[kGroup];
        for (int j = 0; j < kGroup; ++j) acc[j] = row.get(j * kWidth<D>);
        for (std::int64_t r = 1; r < rows; ++r) {
            row = row.from(kFoldLanes);
            for (int j = 0; j < kGroup; ++j) {
                acc[j] = combine<R, W>(acc[j], row.get(j * kWidth<D>));
            }
        }
        for (int j = 0; j < kGroup; ++j) {
            store_register<W>(lanes + (g + j) * kWidth<W> * kBytes<W>, acc[j]);
        }
    }
}

template <DType D>
HS_INLINE void widen_lanes(char* lanes, const char* in, int count) {
    if constexpr (D == DType::F16) {
        for (int i = 0; i < count; ++i) {
            store_as(lanes + 4 * i, half_to_float(load_as<Half>(in + 2 * i)));
        }
    } else {
        copy_bytes(lanes, in, static_cast<unsigned long>(count) * kBytes<D>);
    }
}

template <DType D>
HS_INLINE void store_narrow(char* out, const char* wide) {
    if constexpr (D == DType::F16) {
        store_as(out, float_to_half(load_as<float>(wide)));
    } else if constexpr (D == DType::Bool) {
        *out = *wide != 0;
    } else {
        copy_bytes(out, wide, kBytes<D>);
    }
}

// Adds 0 first in sums, as NumPy does: this turns a sum of -0 into 0 and leaves all others.
template <class R, DType W>
HS_INLINE Register<W> from_zero(Register<W> x) {
    if constexpr (std::is_same_v<R, row::Add> && !kAnyOrder<R, W>) {
        alignas(16) static constexpr char kZero[16] = {};
        return combine<R, W>(broadcast<W>(kZero), x);
    } else {
        return x;
    }
}

// Folds `count` lanes to one, in halves, the first of `half` lanes. From single registers on no
// memory is needed.
template <class R, DType W>
HS_INLINE void fold_halves(char* lanes, int half, int count, char* first) {
    int h = half;
    for (; h >= kWidth<W>; h /= 2) {
        const int partners = count - h < h ? count - h : h;
        if (partners > 0) fold_lanes<R, W>(lanes, lanes + h * kBytes<W>, partners);
    }
    if (count >= kWidth<W>) {
        const Register<W> all = fold_register<R, W, kWidth<W> / 2>(load_register<W>(lanes));
        store_first<W>(first, from_zero<R, W>(all));
        return;
    }
    for (; h > 0; h /= 2) {
        const int partners = count - h < h ? count - h : h;
        if (partners > 0) fold_lanes<R, W>(lanes, lanes + h * kBytes<W>, partners);
    }
    store_first<W>(first, from_zero<R, W>(broadcast<W>(lanes)));
}

// ---- one element after the other ----

// Broadcasts each element to all lanes, which raise what it raises.
template <class R, DType D, class Elements>
HS_INLINE void chunk_in_order(char* out, Elements in, int n) {
    constexpr DType W = kWide<D>;
    Register<W> all = in.one(0);
    for (int k = 1; k < n; ++k) all = combine<R, W>(all, in.one(k));
    alignas(64) char first[kBytes<W>];
    store_first<W>(first, from_zero<R, W>(all));
    store_narrow<D>(out, first);
}

// ---- fewer elements than lanes, all in registers ----

// In memory each fold would wait for the stores of the one before.
template <class R, DType D>
inline constexpr bool kFoldsInRegisters =
    (kBytes<D> == 4 || kBytes<D> == 8) && kind(D) != DTypeKind::Complex &&
    kFoldLanes / kWidth<D> <= 16 && !has<R>(kMath);

// Combines the first `count` lanes of `a` with those of `b`, whose other lanes repeat its first.
template <class R, DType D>
HS_INLINE Register<D> combine_some(Register<D> a, Register<D> b, int count) {
    using I = IntOfSize<Part<D>>;
    typedef I Indices __attribute__((vector_size(sizeof(a.data))));
    Indices lane{};
    for (int i = 0; i < kWidth<D>; ++i) lane[i] = static_cast<I>(i);
    auto choose = [&](Register<D> yes, Register<D> no) {
        typedef Part<D> Values __attribute__((vector_size(sizeof(a.data))));
        return Register<D>(
            (decltype(a.data))(lane < static_cast<I>(count) ? (Values)yes.data : (Values)no.data));
    };
    return choose(combine<R, D>(choose(a, lookup_lanes<D, 1>(a, 0)), b), a);
}

template <class R, DType D, int H>
HS_INLINE void fold_short(Register<D>* lanes, int n) {
    constexpr int kLanes = kWidth<D>;
    if constexpr (H > 0) {
        for (int j = 0; j < H; ++j) {
            const int partners = n - (H + j) * kLanes;
            if (partners >= kLanes) {
                lanes[j] = combine<R, D>(lanes[j], lanes[j + H]);
            } else if (partners > 0) {
                lanes[j] = combine_some<R, D>(lanes[j], lanes[j + H], partners);
            }
        }
        fold_short<R, D, H / 2>(lanes, n);
    }
}

// Requires at least a register of elements.
template <class R, DType D, class Elements>
HS_INLINE void chunk_short(char* out, Elements in, int n) {
    constexpr int kLanes = kWidth<D>, kRegisters = kFoldLanes / kLanes;
    Register<D> lanes[kRegisters];
    for (int j = 0; j < kRegisters; ++j) {
        const int left = n - j * kLanes;
        if (left >= kLanes) {
            lanes[j] = in.get(j * kLanes);
        } else if (left > 0) {
            lanes[j] = in.some(j * kLanes, left);
        }
    }
    fold_short<R, D, kRegisters / 2>(lanes, n);
    store_first<D>(out, from_zero<R, D>(fold_register<R, D, kLanes / 2>(lanes[0])));
}

// Folds all lanes of a chunk, the first `rest` of which first combine with an element of `tail`.
template <class R, DType D, class Elements>
HS_INLINE void fold_all(char* out, const char* lanes, Elements tail, int rest) {
    constexpr int kLanes = kWidth<D>, kRegisters = kFoldLanes / kLanes, kHalf = kRegisters / 2;
    auto lane = [&](int j) {
        const int left = rest - j * kLanes;
        const Register<D> x = load_register<D>(lanes + j * kLanes * kBytes<D>);
        if (left >= kLanes) return combine<R, D>(x, tail.get(j * kLanes));
        if (left <= 0) return x;
        return combine_some<R, D>(x, tail.some(j * kLanes, left), left);
    };
    Register<D> half[kHalf];
    for (int j = 0; j < kHalf; ++j) half[j] = combine<R, D>(lane(j), lane(j + kHalf));
    fold_short<R, D, kHalf / 2>(half, kFoldLanes);
    store_first<D>(out, from_zero<R, D>(fold_register<R, D, kLanes / 2>(half[0])));
}

template <class R, DType D>
void chunk_registers(char* out, const char* in, std::int64_t n) {
    constexpr DType W = kWide<D>;
    alignas(64) char lanes[kLaneBytes<W>];
    alignas(64) char first[kBytes<W>];
    if constexpr (!kAnyOrder<R, D>) {
        if (n < kInOrder<D>) {
            return chunk_in_order<R, D>(out, InMemory<D>{in}, static_cast<int>(n));
        }
    }
    if (n < kFoldLanes) {
        const int count = static_cast<int>(n);
        if constexpr (kFoldsInRegisters<R, D>) {
            if (count >= kWidth<D>) return chunk_short<R, D>(out, InMemory<D>{in}, count);
        }
        widen_lanes<D>(lanes, in, count);
        fold_halves<R, W>(lanes, kFoldLanes / 2, count, first);
        store_narrow<D>(out, first);
        return;
    }
    const std::int64_t rows = n / kFoldLanes;
    fold_rows<R, D>(lanes, InMemory<D>{in}, rows);
    const int rest = static_cast<int>(n - rows * kFoldLanes);
    const char* const tail = in + rows * kFoldLanes * kBytes<D>;
    if constexpr (kFoldsInRegisters<R, D>) {
        return fold_all<R, D>(out, lanes, InMemory<D>{tail}, rest);
    }
    if (rest > 0) {
        if constexpr (W == D) {
            fold_lanes<R, W>(lanes, tail, rest);
        } else {
            alignas(64) char wide[kLaneBytes<W>];
            widen_lanes<D>(wide, tail, rest);
            fold_lanes<R, W>(lanes, wide, rest);
        }
    }
    fold_halves<R, W>(lanes, kFoldLanes / 2, kFoldLanes, first);
    store_narrow<D>(out, first);
}

// ---- scalars ----

template <class R, DType D>
void chunk_scalars(char* out, const char* in, std::int64_t n) {
    alignas(64) char lanes[kFoldLanes * kBytes<D>];
    const int count = n < kFoldLanes ? static_cast<int>(n) : kFoldLanes;
    copy_bytes(lanes, in, static_cast<unsigned long>(count) * kBytes<D>);
    auto take = [&](int l, const char* p) {
        char* at = lanes + l * kBytes<D>;
        store_lane<D>(at, R::apply(load_lane<D>(at), load_lane<D>(p), lane::None{}));
    };
    for (std::int64_t i = kFoldLanes; i < n; ++i) {
        take(static_cast<int>(i % kFoldLanes), in + i * kBytes<D>);
    }
    for (int l = 1; l < count && count < kInOrder<D>; ++l) take(0, lanes + l * kBytes<D>);
    for (int h = kFoldLanes / 2; h > 0 && count >= kInOrder<D>; h /= 2) {
        for (int l = 0; l < h && l + h < count; ++l) take(l, lanes + (l + h) * kBytes<D>);
    }
    copy_bytes(out, lanes, kBytes<D>);
}

// ---- folds by the scan kernel ----

// Rows that are not hot use the scan kernel: one body for all instead of one for each.
[[gnu::noinline]] inline void fold_by_scan(ScanFn scan, int size, char* out, const char* in,
                                           std::int64_t n) {
    constexpr std::int64_t kBlock = 64;
    alignas(64) char prefixes[kBlock * 16];
    copy_bytes(out, in, static_cast<unsigned long>(size));
    for (std::int64_t i = 1; i < n; i += kBlock) {
        scan(prefixes, in + i * size, out, n - i < kBlock ? n - i : kBlock);
    }
}

[[gnu::noinline]] inline void tree_by_scan(ScanFn scan, int size, char* partials, std::int64_t n) {
    alignas(16) char pair[16];
    const auto bytes = static_cast<unsigned long>(size);
    for (; n > 1; n = n / 2 + n % 2) {
        for (std::int64_t k = 0; k < n / 2; ++k) {
            copy_bytes(pair, partials + 2 * k * size, bytes);
            scan(partials + k * size, partials + (2 * k + 1) * size, pair, 1);
        }
        if (n % 2 != 0) copy_bytes(partials + n / 2 * size, partials + (n - 1) * size, bytes);
    }
}

template <class R, DType D>
void tree_kernel(char* partials, std::int64_t n) {
    if constexpr (kAnyOrder<R, D>) {
        chunk_registers<R, D>(partials, partials, n);
    } else {
        tree_by_scan(&scan_kernel<R, D>, kBytes<D>, partials, n);
    }
}

template <class R, DType D>
void chunk_kernel(char* out, const char* in, std::int64_t n) {
    if constexpr (!has<R>(kAssociative)) {
        fold_by_scan(&scan_kernel<R, D>, kBytes<D>, out, in, n);
    } else if constexpr (!combines_parts(R::kOp, D)) {
        chunk_in_order<R, D>(out, InMemory<D>{in}, static_cast<int>(n));
    } else if constexpr (kScalarRow<R, D>) {
        chunk_scalars<R, D>(out, in, n);
    } else {
        chunk_registers<R, D>(out, in, n);
    }
}

template <class R, DType D>
HS_INLINE void fill_folds(KernelTable& table) {
    constexpr int kRow = static_cast<int>(R::kOp), kColumn = static_cast<int>(D);
    if constexpr (kHasFold<R, D>) {
        table.chunk[kRow][kColumn] = &chunk_kernel<R, D>;
        table.tree[kRow][kColumn] = &tree_kernel<R, D>;
        table.scan[kRow][kColumn] = &scan_kernel<R, D>;
        if constexpr (has<R>(kAssociative)) table.scans[kRow][kColumn] = &scans_kernel<R, D>;
    }
}

}  // namespace hassium::HS_SIMD_NS
