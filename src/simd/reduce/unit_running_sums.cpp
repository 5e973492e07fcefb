// Running sums in blocks of eight elements (program/scan_tree.hpp).
//
// A block is one register or several. In a register each half step is a shuffle and an addition;
// lanes that do not take part add -0.0, which changes no number. A single addition for each block
// waits for the block before.
#include "simd/tables/running_sums.hpp"

#include "simd/reduce/columns.hpp"

namespace hassium::HS_SIMD_NS {

// Returns the last position of the first half of the 2 * half ones among which k is.
HS_INLINE constexpr int last_of_first_half(int k, int half) { return (k & -2 * half) + half - 1; }

// ---- along a line ----

// Complex numbers are two lanes of real ones.
template <DType D>
struct SumBlock {
    using T = Part<D>;
    using V = Vec<T>;
    typedef T Values __attribute__((vector_size(sizeof(V))));
    typedef IntOfSize<T> Indices __attribute__((vector_size(sizeof(V))));
    static constexpr int kLanes = static_cast<int>(V::size);
    static constexpr int kParts = kBytes<D> / static_cast<int>(sizeof(T));
    static constexpr int kOfBlock = static_cast<int>(kSumBlock) * kParts;  // lanes
    static constexpr int kRegisters = kOfBlock > kLanes ? kOfBlock / kLanes : 1;
    static constexpr int kBlocks = kLanes > kOfBlock ? kLanes / kOfBlock : 1;  // of a register
    static constexpr std::int64_t kElements = kSumBlock * kBlocks;             // at a time

    V x[kRegisters];

    // Returns the lanes that `source` gives for each lane, and -0.0 where that is negative.
    template <class Source>
    HS_INLINE static V pick(V v, Source source) {
        Indices lanes{};
        for (int k = 0; k < kLanes; ++k) {
            lanes[k] = static_cast<IntOfSize<T>>(source(k) < 0 ? kLanes : source(k));
        }
        const V zero(T{-0.0});
        const Values picked = __builtin_shuffle((Values)v.data, (Values)zero.data, lanes);
        return V((decltype(v.data))picked);
    }
    // Returns the last element before lane `end`, in all lanes.
    HS_INLINE static V last_before(V v, int end) {
        return pick(v, [=](int k) { return end - kParts + k % kParts; });
    }

    template <int H>
    HS_INLINE void add_half() {
        if constexpr (2 * H * kParts <= kLanes) {
            for (V& v : x) {
                v += pick(v, [](int k) {
                    const int element = k / kParts;
                    if ((element & H) == 0) return -1;
                    return last_of_first_half(element, H) * kParts + k % kParts;
                });
            }
        } else {
            constexpr int kHalf = H * kParts / kLanes;  // registers
            for (int r = 0; r < kRegisters; ++r) {
                if ((r & kHalf) == 0) continue;
                x[r] += last_before(x[last_of_first_half(r, kHalf)], kLanes);
            }
        }
    }
    HS_INLINE void add_halves() { add_half<1>(), add_half<2>(), add_half<4>(); }

    // Adds the sum of the blocks before, in all lanes, and returns that of the blocks so far.
    HS_INLINE V add_before(V before) {
        static_assert(kBlocks <= 2);
        if constexpr (kBlocks == 1) {
            const V last = last_before(x[kRegisters - 1], kLanes);
            for (V& v : x) v = before + v;
            return before + last;
        } else {
            const V middle = before + last_before(x[0], kOfBlock);
            const V last = last_before(x[0], kLanes);
            Indices halves{};
            for (int k = 0; k < kLanes; ++k) {
                halves[k] = static_cast<IntOfSize<T>>(k < kOfBlock ? k : kLanes + k);
            }
            const Values both = __builtin_shuffle((Values)before.data, (Values)middle.data, halves);
            x[0] = V((decltype(before.data))both) + x[0];
            return middle + last;
        }
    }
};

template <DType D>
void running_sum(char* out, const char* in, const char* before, std::int64_t n) {
    using Block = SumBlock<D>;
    using T = typename Block::T;
    using V = typename Block::V;
    constexpr int kStep = static_cast<int>(Block::kElements) * kBytes<D>;
    V earlier(T{-0.0}), running(T{-0.0});
    if (before) {
        alignas(64) char copies[sizeof(V)];
        for (std::size_t k = 0; k < sizeof(V); k += kBytes<D>) {
            copy_bytes(copies + k, before, kBytes<D>);
        }
        earlier = V::load_unaligned(reinterpret_cast<const T*>(copies));
    }
    auto add = [&](char* to, const char* from) {
        Block block;
        for (int r = 0; r < Block::kRegisters; ++r) {
            block.x[r] = V::load_unaligned(reinterpret_cast<const T*>(from) + r * Block::kLanes);
        }
        block.add_halves();
        running = block.add_before(running);
        for (int r = 0; r < Block::kRegisters; ++r) {
            const V result = earlier + block.x[r];
            result.store_unaligned(reinterpret_cast<T*>(to) + r * Block::kLanes);
        }
    };
    std::int64_t i = 0;
    for (; i + Block::kElements <= n; i += Block::kElements) {
        add(out + i * kBytes<D>, in + i * kBytes<D>);
    }
    if (i == n) return;
    alignas(64) T some[kStep / sizeof(T)];
    for (T& x : some) x = T{-0.0};
    char* const bytes = reinterpret_cast<char*>(some);
    const auto size = static_cast<unsigned long>((n - i) * kBytes<D>);
    copy_bytes(bytes, in + i * kBytes<D>, size);
    add(bytes, bytes);
    copy_bytes(out + i * kBytes<D>, bytes, size);
}

// ---- down columns ----

// Scans rows of a column, or of several; load(row), put(row, x). Returns the last result.
template <class X, class Load, class Add, class Put>
HS_INLINE X down_blocks(X running, std::int64_t rows, Load load, Add add, Put put) {
    auto block = [&](std::int64_t row, auto count) {
        X x[kSumBlock];
        for (int k = 0; k < count; ++k) x[k] = load(row + k);
        for (int half = 1; half < count; half *= 2) {
            for (int k = 0; k < count; ++k) {
                if (k & half) x[k] = add(x[last_of_first_half(k, half)], x[k]);
            }
        }
        for (int k = 0; k < count; ++k) {
            x[k] = add(running, x[k]);
            put(row + k, x[k]);
        }
        running = x[count - 1];
    };
    std::int64_t row = 0;
    for (; row + kSumBlock <= rows; row += kSumBlock) {
        block(row, std::integral_constant<int, static_cast<int>(kSumBlock)>());
    }
    if (row < rows) block(row, static_cast<int>(rows - row));
    return running;
}

// `in` and `sink` are copies, as any store might alias the originals.
template <DType D>
void down_register(char* state, const ColumnRows in, std::int64_t at,
                   const StoreRows<row::Add, D> sink) {
    const Register<D> running = down_blocks(
        load_register<D>(state + at), in.rows,
        [&](std::int64_t row) { return load_register<D>(in.first + row * in.pitch + at); },
        [](Register<D> a, Register<D> b) { return combine<row::Add, D>(a, b); },
        [&](std::int64_t row, Register<D> x) { sink.put(row, at, x); });
    store_register<D>(state + at, running);
}

template <DType D>
void down_column(char* state, const ColumnRows in, std::int64_t at,
                 const StoreRows<row::Add, D> sink) {
    using Element = One<row::Add, D>;
    const Element running = down_blocks(
        Element::load(state + at), in.rows,
        [&](std::int64_t row) { return Element::load(in.first + row * in.pitch + at); },
        [](Element a, Element b) { return a.with(b); },
        [&](std::int64_t row, Element x) { sink.put_one(row, at, x); });
    running.store(state + at);
}

#if HS_SIMD_LEVEL == 4
template <DType D>
void down_some_columns(char* state, const ColumnRows in, std::int64_t at, const char* before,
                       const StoreRows<row::Add, D> sink) {
    const auto count = static_cast<int>(in.columns - at / kBytes<D>);
    const StoreRows<row::Add, D> some = {sink.out + at, sink.pitch, before ? before + at : nullptr};
    const Register<D> running = down_blocks(
        load_some<D>(state + at, count), in.rows,
        [&](std::int64_t row) { return load_some<D>(in.first + row * in.pitch + at, count); },
        [](Register<D> a, Register<D> b) { return combine<row::Add, D>(a, b); },
        [&](std::int64_t row, Register<D> x) { some.put_some(row, x, count); });
    store_some<D>(state + at, running, count);
}
#endif

template <DType D>
void running_sums(char* out, std::int64_t pitch, char* state, const char* before,
                  const ColumnRows& in) {
    constexpr std::int64_t kRegister = kWidth<D> * kBytes<D>;
    const std::int64_t bytes = in.columns * kBytes<D>;
    const StoreRows<row::Add, D> sink = {out, pitch, before};
    std::int64_t at = 0;
    for (; at + kRegister <= bytes; at += kRegister) down_register<D>(state, in, at, sink);
    if (at == bytes) return;
#if HS_SIMD_LEVEL == 4
    if constexpr (kMasked<D>) return down_some_columns<D>(state, in, at, before, sink);
#endif
    for (; at < bytes; at += kBytes<D>) down_column<D>(state, in, at, sink);
}

// The columns of real and of imaginary parts are columns as well.
template <DType D>
void running_complex_sums(char* out, std::int64_t pitch, char* state, const char* before,
                          const ColumnRows& in) {
    constexpr DType kReal = D == DType::C64 ? DType::F32 : DType::F64;
    running_sums<kReal>(out, pitch, state, before, {in.first, in.pitch, 2 * in.columns, in.rows});
}

template <DType D>
void fill_running_sum(RunningSumTable& table) {
    table.line[static_cast<int>(D)] = &running_sum<D>;
    if constexpr (kind(D) == DTypeKind::Complex) {
        table.columns[static_cast<int>(D)] = &running_complex_sums<D>;
    } else {
        table.columns[static_cast<int>(D)] = &running_sums<D>;
    }
}

void fill_running_sums(RunningSumTable& table) {
    fill_running_sum<DType::F32>(table);
    fill_running_sum<DType::F64>(table);
    fill_running_sum<DType::C64>(table);
    fill_running_sum<DType::C128>(table);
}

}  // namespace hassium::HS_SIMD_NS
