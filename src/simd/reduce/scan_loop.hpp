// Accumulations: scan kernels of one row.
//
// Elements are combined one after the other, as NumPy does, each alone in a register, so that every
// operation waits for the one before. Where any order gives the same bits (integers and bools), a
// register is first scanned within itself, in steps of 1, 2, 4 .. lanes, and only one operation per
// register waits for the one before.
#pragma once

#include "simd/reduce/fold_lanes.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium::HS_SIMD_NS {

// ---- one element ----

// True if the row returns one of its inputs.
template <class R>
inline constexpr bool kChooses =
    R::kOp == Op::Maximum || R::kOp == Op::Minimum || R::kOp == Op::Fmax || R::kOp == Op::Fmin;
// The commonest rows of integers have scalar instructions.
template <class R, DType D>
inline constexpr bool kScalarOne =
    is_integer(D) && (kChooses<R> || R::kOp == Op::Add || R::kOp == Op::Multiply);

// A running value, or an element to combine with one, in every lane of a register.
template <class R, DType D>
struct One {
    Register<D> x;

    HS_INLINE static One load(const char* p) { return {broadcast<D>(p)}; }
    HS_INLINE void store(char* p) const { store_first<D>(p, x); }
    HS_INLINE One with(One next) const {
        const Register<D> both = combine<R, D>(x, next.x);
        // float16 rounds at every step here, as NumPy's accumulate does.
        if constexpr (D == DType::F16 && !kChooses<R>) {
            return {Vec<float>(half_to_float(float_to_half(both.get(0))))};
        } else {
            return {both};
        }
    }
};
template <class R, DType D>
    requires kScalarRow<R, D>
struct One<R, D> {
    char x[kBytes<D>];

    HS_INLINE static One load(const char* p) {
        One one;
        copy_bytes(one.x, p, kBytes<D>);
        return one;
    }
    HS_INLINE void store(char* p) const { copy_bytes(p, x, kBytes<D>); }
    HS_INLINE One with(One next) const {
        One both;
        store_lane<D>(both.x, R::apply(load_lane<D>(x), load_lane<D>(next.x), lane::None{}));
        return both;
    }
};
template <class R, DType D>
    requires kScalarOne<R, D>
struct One<R, D> {
    using T = Stored<D>;
    T x;

    HS_INLINE static One load(const char* p) { return {load_as<T>(p)}; }
    HS_INLINE void store(char* p) const { store_as(p, x); }
    HS_INLINE One with(One next) const {
        if constexpr (R::kOp == Op::Add) {
            return {static_cast<T>(x + next.x)};
        } else if constexpr (R::kOp == Op::Multiply) {
            return {lane::wrapping_multiply(x, next.x)};
        } else if constexpr (R::kOp == Op::Maximum || R::kOp == Op::Fmax) {
            return {x < next.x ? next.x : x};
        } else {
            return {next.x < x ? next.x : x};
        }
    }
};

// Comparing complex numbers takes many vector instructions, but few predictable branches.
template <class R, DType D>
    requires(kChooses<R> && kind(D) == DTypeKind::Complex)
struct One<R, D> {
    using T = Part<D>;
    T re, im;

    HS_INLINE static One load(const char* p) { return {load_as<T>(p), load_as<T>(p + sizeof(T))}; }
    HS_INLINE void store(char* p) const {
        store_as(p, re);
        store_as(p + sizeof(T), im);
    }
    HS_INLINE bool has_nan() const { return re != re || im != im; }
    // As `<=` in lane_complex.hpp.
    HS_INLINE bool no_more_than(One b) const {
        if (re == b.re) return __builtin_islessequal(im, b.im);
        return __builtin_isless(re, b.re) && im == im && b.im == b.im;
    }
    HS_INLINE One with(One next) const {
        constexpr bool kLargest = R::kOp == Op::Maximum || R::kOp == Op::Fmax;
        constexpr bool kNanWins = R::kOp == Op::Maximum || R::kOp == Op::Minimum;
        const bool keeps = kLargest ? next.no_more_than(*this) : no_more_than(next);
        return keeps || (kNanWins ? *this : next).has_nan() ? *this : next;
    }
};

// ---- a register of elements ----

// A product of 8-byte integers is one scalar instruction, but many vector instructions.
template <class R, DType D>
inline constexpr bool kScalarProduct = R::kOp == Op::Multiply && is_integer(D) && kBytes<D> == 8;
template <class R, DType D>
inline constexpr bool kScansRegisters = has<R>(kAssociative) && !has<R>(kMath) && !is_inexact(D) &&
                                        !kScalarRow<R, D> && !kScalarProduct<R, D>;

// Combines each lane from H on with the lane H before it.
template <class R, DType D, int H>
HS_INLINE Register<D> scan_step(Register<D> x) {
    using T = Part<D>;
    using I = IntOfSize<T>;
    typedef T Values __attribute__((vector_size(sizeof(Vec<T>))));
    typedef I Indices __attribute__((vector_size(sizeof(Vec<T>))));
    Indices before{}, chosen{};
    for (int i = 0; i < kWidth<D>; ++i) {
        before[i] = static_cast<I>(i < H ? i : i - H);
        chosen[i] = static_cast<I>(i < H ? i : i + kWidth<D>);
    }
    auto values = [](Register<D> r) {
        if constexpr (D == DType::Bool) {
            return (Values)r.v.data;
        } else {
            return (Values)r.data;
        }
    };
    auto lanes = [](Values v) { return Register<D>{Vec<T>((decltype(Vec<T>::data))v)}; };
    const Values own = values(x);
    const Register<D> both = combine<R, D>(lanes(__builtin_shuffle(own, before)), x);
    return lanes(__builtin_shuffle(own, values(both), chosen));
}

template <class R, DType D, int H = 1>
HS_INLINE Register<D> scan_register(Register<D> x) {
    if constexpr (H < kWidth<D>) {
        return scan_register<R, D, 2 * H>(scan_step<R, D, H>(x));
    } else {
        return x;
    }
}

// ---- lines ----

template <class R, DType D>
void scan_kernel(char* out, const char* in, char* state, std::int64_t n) {
    using Element = One<R, D>;
    constexpr int kSize = kBytes<D>;
    std::int64_t i = 0;
    if constexpr (kScansRegisters<R, D>) {
        Register<D> before = broadcast<D>(state);
        for (; i + kWidth<D> <= n; i += kWidth<D>) {
            const Register<D> x = scan_register<R, D>(load_register<D>(in + i * kSize));
            store_register<D>(out + i * kSize, combine<R, D>(before, x));
            before = combine<R, D>(before, lookup_lanes<D, 1>(x, kWidth<D> - 1));
        }
        store_first<D>(state, before);
    }
    Element running = Element::load(state);
    if constexpr (kScalarProduct<R, D>) {
        for (; i + 2 <= n; i += 2) {
            const Element x = Element::load(in + i * kSize);
            Element both = x.with(Element::load(in + (i + 1) * kSize));
            asm("" : "+r"(both.x));  // otherwise g++ multiplies `running` by one after the other
            running.with(x).store(out + i * kSize);
            running = running.with(both);
            running.store(out + (i + 1) * kSize);
        }
    }
    for (; i < n; ++i) {
        running = running.with(Element::load(in + i * kSize));
        running.store(out + i * kSize);
    }
    running.store(state);
}

// A single line waits for each operation to end; several lines overlap.
template <class R, DType D>
void scans_kernel(char* out, std::int64_t out_pitch, const char* in, std::int64_t in_pitch,
                  std::int64_t n) {
    using Element = One<R, D>;
    constexpr int kSize = kBytes<D>;
    // Long operations are instantiated once, and run one line after the other.
    constexpr bool kTogether = !kScalarRow<R, D> && !has<R>(kMath);
    if constexpr (kTogether) {
        Element running[kScanLines];
        for (int j = 0; j < kScanLines; ++j) {
            running[j] = Element::load(in + j * in_pitch);
            running[j].store(out + j * out_pitch);
        }
        for (std::int64_t i = 1; i < n; ++i) {
            for (int j = 0; j < kScanLines; ++j) {
                running[j] = running[j].with(Element::load(in + j * in_pitch + i * kSize));
                running[j].store(out + j * out_pitch + i * kSize);
            }
        }
    } else {
        for (int j = 0; j < kScanLines; ++j) {
            alignas(16) char running[16];
            copy_bytes(running, in + j * in_pitch, kSize);
            copy_bytes(out + j * out_pitch, running, kSize);
            scan_kernel<R, D>(out + j * out_pitch + kSize, in + j * in_pitch + kSize, running,
                              n - 1);
        }
    }
}

}  // namespace hassium::HS_SIMD_NS
