// Lane operations of a fold: broadcasts, partial registers, and combinations of halves.
#pragma once

#include "simd/map/map_loop.hpp"

namespace hassium::HS_SIMD_NS {

template <class R, DType D>
HS_INLINE Register<D> combine_inline(Register<D> a, Register<D> b) {
    return R::apply(a, b, lane::None{});
}
template <class R, DType D>
[[gnu::noinline]] Register<D> combine_called(Register<D> a, Register<D> b) {
    return combine_inline<R, D>(a, b);
}
template <class R, DType D>
HS_INLINE Register<D> combine(Register<D> a, Register<D> b) {
    if constexpr (has<R>(kMath)) {
        return combine_called<R, D>(a, b);
    } else {
        return combine_inline<R, D>(a, b);
    }
}

// ---- one element in every lane ----

template <DType D>
HS_INLINE Register<D> broadcast(const char* p) {
    if constexpr (D == DType::Bool) {
        return {xsimd::min(Vec<uint8_t>(load_as<uint8_t>(p)), one_bytes())};
    } else if constexpr (D == DType::F16) {
        return Vec<float>(half_to_float(load_as<Half>(p)));
    } else if constexpr (kind(D) == DTypeKind::Complex) {
        return {Vec<Part<D>>(load_as<Part<D>>(p)),
                Vec<Part<D>>(load_as<Part<D>>(p + sizeof(Part<D>)))};
    } else {
        return Vec<Part<D>>(load_as<Part<D>>(p));
    }
}

template <DType D>
HS_INLINE void store_first(char* p, Register<D> x) {
    if constexpr (D == DType::Bool) {
        store_as<uint8_t>(p, x.v.get(0));
    } else if constexpr (D == DType::F16) {
        store_as(p, float_to_half(x.get(0)));
    } else if constexpr (kind(D) == DTypeKind::Complex) {
        store_as(p, x.re.get(0));
        store_as(p + sizeof(Part<D>), x.im.get(0));
    } else {
        store_as(p, x.get(0));
    }
}

// ---- a register with `count` valid lanes ----

#if HS_SIMD_LEVEL == 4
template <DType D>
inline constexpr bool kMasked = kind(D) != DTypeKind::Complex && D != DType::F16;

// Returns the bytes of a register, except of complex numbers.
template <DType D>
HS_INLINE __m512i bytes_of(Register<D> x) {
    if constexpr (D == DType::Bool) {
        return (__m512i)x.v.data;
    } else {
        return (__m512i)x.data;
    }
}

// Loads fewer lanes than a register has.
template <DType D>
HS_INLINE Register<D> load_masked(const char* p, int count) {
    const std::uint64_t mask = (std::uint64_t{1} << count) - 1;
    if constexpr (kBytes<D> == 1) {
        const __m512i first = _mm512_set1_epi8(*p);
        const Vec<Part<D>> lanes(_mm512_mask_loadu_epi8(first, mask, p));
        if constexpr (D == DType::Bool)
            return {xsimd::min(lanes, Vec<Part<D>>(1))};
        else
            return lanes;
    } else if constexpr (kBytes<D> == 2) {
        const __m512i first = _mm512_set1_epi16(load_as<std::int16_t>(p));
        return Register<D>(_mm512_mask_loadu_epi16(first, static_cast<__mmask32>(mask), p));
    } else if constexpr (kBytes<D> == 4) {
        const __m512i first = _mm512_set1_epi32(load_as<std::int32_t>(p));
        using Data = decltype(Register<D>::data);
        return Register<D>((Data)_mm512_mask_loadu_epi32(first, static_cast<__mmask16>(mask), p));
    } else {
        const __m512i first = _mm512_set1_epi64(load_as<std::int64_t>(p));
        using Data = decltype(Register<D>::data);
        return Register<D>((Data)_mm512_mask_loadu_epi64(first, static_cast<__mmask8>(mask), p));
    }
}

// Stores the elements whose bits are set in `lanes`, the lowest bit first.
template <int Log2>
HS_INLINE void store_lanes(char* to, std::uint64_t lanes, __m512i v) {
    if constexpr (Log2 == 0) {
        _mm512_mask_storeu_epi8(to, lanes, v);
    } else if constexpr (Log2 == 1) {
        _mm512_mask_storeu_epi16(to, static_cast<__mmask32>(lanes), v);
    } else if constexpr (Log2 == 2) {
        _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(lanes), v);
    } else if constexpr (Log2 == 3) {
        _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(lanes), v);
    } else {
        const unsigned halves = _pdep_u32(static_cast<unsigned>(lanes), 0x55) * 3;
        _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(halves), v);
    }
}

template <DType D>
HS_INLINE void store_masked(char* p, Register<D> x, int count) {
    constexpr int kLog2 = __builtin_ctz(kBytes<D>);
    store_lanes<kLog2>(p, (std::uint64_t{1} << count) - 1, bytes_of<D>(x));
}
#elif HS_SIMD_LEVEL == 3
template <DType D>
inline constexpr bool kMaskedLoad =
    (kBytes<D> == 4 || kBytes<D> == 8) && kind(D) != DTypeKind::Complex;

// Loads fewer lanes than a register has, without a copy in memory, whose load would wait for its
// stores.
template <DType D>
HS_INLINE Register<D> load_masked(const char* p, int count) {
    if constexpr (kBytes<D> == 4) {
        const __m256i mask =
            _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
        const __m256i some = _mm256_maskload_epi32(reinterpret_cast<const int*>(p), mask);
        const __m256i first = _mm256_set1_epi32(load_as<std::int32_t>(p));
        return Register<D>((decltype(Register<D>::data))_mm256_blendv_epi8(first, some, mask));
    } else {
        const __m256i mask =
            _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3));
        const __m256i some = _mm256_maskload_epi64(reinterpret_cast<const long long*>(p), mask);
        const __m256i first = _mm256_set1_epi64x(load_as<std::int64_t>(p));
        return Register<D>((decltype(Register<D>::data))_mm256_blendv_epi8(first, some, mask));
    }
}
#endif

// Loads `count` lanes; the others repeat the first and raise nothing that it does not.
template <DType D>
HS_INLINE Register<D> load_some(const char* p, int count) {
#if HS_SIMD_LEVEL == 4
    if constexpr (kMasked<D>) return load_masked<D>(p, count);
#elif HS_SIMD_LEVEL == 3
    if constexpr (kMaskedLoad<D>) return load_masked<D>(p, count);
#endif
    alignas(64) char all[kRegisterBytes];
    gather_partial<kBytes<D>>(all, p, count, kWidth<D>);
    return load_register<D>(all);
}

template <DType D>
HS_INLINE void store_some(char* p, Register<D> x, int count) {
#if HS_SIMD_LEVEL == 4
    if constexpr (kMasked<D>) return store_masked<D>(p, x, count);
#endif
    alignas(64) char all[kRegisterBytes];
    store_register<D>(all, x);
    copy_bytes(p, all, static_cast<unsigned long>(count) * kBytes<D>);
}

// ---- lanes in memory: `count` of them combine with their partners ----

template <class R, DType D>
HS_INLINE void fold_lanes(char* lanes, const char* partners, int count) {
    constexpr int kBlock = kWidth<D> * kBytes<D>;
    for (; count >= kWidth<D>; count -= kWidth<D>) {
        store_register<D>(lanes,
                          combine<R, D>(load_register<D>(lanes), load_register<D>(partners)));
        lanes += kBlock;
        partners += kBlock;
    }
    if (count == 0) return;
    const Register<D> both =
        combine<R, D>(load_some<D>(lanes, count), load_some<D>(partners, count));
    store_some<D>(lanes, both, count);
}

// ---- lanes in one register ----

template <class T, int H>
HS_INLINE Vec<T> pick(Vec<T> x, int offset) {
    using I = IntOfSize<T>;
    typedef T Values __attribute__((vector_size(sizeof(x.data))));
    typedef I Indices __attribute__((vector_size(sizeof(x.data))));
    Indices index{};
    for (int i = 0; i < static_cast<int>(Vec<T>::size); ++i) {
        index[i] = static_cast<I>(i % H + offset);
    }
    return Vec<T>((decltype(x.data))__builtin_shuffle((Values)x.data, index));
}

template <DType D, int H>
HS_INLINE Register<D> lookup_lanes(Register<D> x, int offset) {
    using T = Part<D>;
    if constexpr (D == DType::Bool) {
        return {pick<T, H>(x.v, offset)};
    } else if constexpr (kind(D) == DTypeKind::Complex) {
        return {pick<T, H>(x.re, offset), pick<T, H>(x.im, offset)};
    } else {
        return pick<T, H>(x, offset);
    }
}

// Integers and bools raise nothing, and combine to the same bits in any order.
template <class R, DType D>
inline constexpr bool kAnyOrder =
    has<R>(kAssociative) && !kScalarRow<R, D> && (is_integer(D) || D == DType::Bool);

// Moves lane l + H to lane l; lanes from H on are unspecified. A byte shuffle across a whole
// register takes many instructions; shuffles of words and inside words take one.
template <class T, int H, class Word = std::uint64_t>
HS_INLINE Vec<T> lanes_down(Vec<T> x) {
    typedef Word Words __attribute__((vector_size(sizeof(x.data))));
    constexpr int kDistance = H * static_cast<int>(sizeof(T)), kWord = 8;
    const Words words = (Words)x.data;
    if constexpr (kDistance < kWord) {
        return Vec<T>((decltype(x.data))(words >> (8 * kDistance)));
    } else {
        constexpr int kWords = static_cast<int>(sizeof(x.data)) / kWord;
        Words from{};
        for (int i = 0; i < kWords; ++i) {
            from[i] = static_cast<Word>((i + kDistance / kWord) % kWords);
        }
        return Vec<T>((decltype(x.data))__builtin_shuffle(words, from));
    }
}

// Folds all lanes into lane 0; for floats, into every lane.
template <class R, DType D, int H>
HS_INLINE Register<D> fold_register(Register<D> x) {
    if constexpr (H == 0) {
        return x;
    } else if constexpr (kAnyOrder<R, D>) {
        Register<D> down;
        if constexpr (D == DType::Bool) {
            down.v = lanes_down<std::uint8_t, H>(x.v);
        } else {
            down = lanes_down<Part<D>, H>(x);
        }
        return fold_register<R, D, H / 2>(combine<R, D>(x, down));
    } else {
        return fold_register<R, D, H / 2>(
            combine<R, D>(lookup_lanes<D, H>(x, 0), lookup_lanes<D, H>(x, H)));
    }
}

}  // namespace hassium::HS_SIMD_NS
