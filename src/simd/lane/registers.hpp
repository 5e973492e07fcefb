// Loads and stores registers of each dtype, whole or in part.
//
// A partial load fills the missing lanes with its first element: the same vector code then serves
// every element, and the padding raises nothing that the first element does not.
#pragma once

#if HS_SIMD_LEVEL >= 2
#include <immintrin.h>
#endif

#include <type_traits>

#include "simd/lane/lane_types.hpp"

namespace hassium::HS_SIMD_NS {

HS_INLINE void copy_bytes(void* to, const void* from, unsigned long n) {
    __builtin_memcpy(to, from, n);
}

// Copies n bytes. memcpy moves a few thousand bytes by a single instruction, which takes ten times
// as long where the destination begins a little behind the source modulo a page.
HS_INLINE void copy_line(char* to, const char* from, std::int64_t n) {
    constexpr std::int64_t kLeast = 2048, kSize = Vec<uint8_t>::size;
    std::int64_t i = 0;
    if (n >= kLeast) {
        for (; i + 4 * kSize <= n; i += 4 * kSize) {
            Vec<uint8_t> x[4];
            for (int k = 0; k < 4; ++k) {
                x[k] = Vec<uint8_t>::load_unaligned(
                    reinterpret_cast<const uint8_t*>(from + i + k * kSize));
            }
            for (int k = 0; k < 4; ++k) {
                x[k].store_unaligned(reinterpret_cast<uint8_t*>(to + i + k * kSize));
            }
        }
    }
    copy_bytes(to + i, from + i, static_cast<unsigned long>(n - i));
}

template <class T>
HS_INLINE T load_as(const char* p) {
    T x;
    copy_bytes(&x, p, sizeof(T));
    return x;
}
template <class T>
HS_INLINE void store_as(char* p, T x) {
    copy_bytes(p, &x, sizeof(T));
}

// A register stored past the caches, where the level has an instruction for that. `p` is aligned.
HS_INLINE void stream_register(char* p, Vec<uint8_t> x) {
#if HS_SIMD_LEVEL == 4
    _mm512_stream_si512(reinterpret_cast<__m512i*>(p), x.data);
#elif HS_SIMD_LEVEL == 3
    _mm256_stream_si256(reinterpret_cast<__m256i*>(p), x.data);
#elif HS_SIMD_LEVEL == 2
    _mm_stream_si128(reinterpret_cast<__m128i*>(p), x.data);
#else
    x.store_aligned(reinterpret_cast<uint8_t*>(p));
#endif
}

#if HS_SIMD_LEVEL >= 2
// Loads two elements of 8 bytes.
HS_INLINE __m128i load_two(const char* p, const char* q) {
    const __m128d low = _mm_set_sd(load_as<double>(p));
    return _mm_castpd_si128(_mm_loadh_pd(low, reinterpret_cast<const double*>(q)));
}
#endif

// ---- lanes of float16 ----

HS_INLINE Vec<float> load_halves(const char* p) {
#if HS_SIMD_LEVEL == 4
    return Vec<float>(_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))));
#elif HS_SIMD_LEVEL == 3
    return Vec<float>(_mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))));
#else
    alignas(64) float x[Vec<float>::size];
    for (unsigned i = 0; i < Vec<float>::size; ++i) x[i] = half_to_float(load_as<Half>(p + 2 * i));
    return Vec<float>::load_aligned(x);
#endif
}

HS_INLINE void store_halves(char* p, Vec<float> v) {
#if HS_SIMD_LEVEL == 4
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm512_cvtps_ph(v.data, 0));
#elif HS_SIMD_LEVEL == 3
    _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm256_cvtps_ph(v.data, 0));
#else
    alignas(64) float x[Vec<float>::size];
    v.store_aligned(x);
    for (unsigned i = 0; i < Vec<float>::size; ++i) store_as(p + 2 * i, float_to_half(x[i]));
#endif
}

HS_INLINE void widen_halves(char* out, const char* in, std::int64_t n) {
    constexpr std::int64_t kStep = Vec<float>::size;
    std::int64_t i = 0;
    for (; i + kStep <= n; i += kStep) {
        load_halves(in + 2 * i).store_unaligned(reinterpret_cast<float*>(out + 4 * i));
    }
    out += 4 * i;
    in += 2 * i;
    for (std::int64_t k = 0; k < n - i; ++k)
        store_as(out + 4 * k, half_to_float(load_as<Half>(in + 2 * k)));
}

HS_INLINE void narrow_halves(char* out, const char* in, std::int64_t n) {
    constexpr std::int64_t kStep = Vec<float>::size;
    std::int64_t i = 0;
    for (; i + kStep <= n; i += kStep) {
        store_halves(out + 2 * i,
                     Vec<float>::load_unaligned(reinterpret_cast<const float*>(in + 4 * i)));
    }
    out += 2 * i;
    in += 4 * i;
    for (std::int64_t k = 0; k < n - i; ++k)
        store_as(out + 2 * k, float_to_half(load_as<float>(in + 4 * k)));
}

// ---- masks as bytes 0 and 1 ----

template <class T>
HS_INLINE void store_mask(char* p, Mask<T> m) {
    constexpr unsigned kSize = Vec<T>::size;
#if HS_SIMD_LEVEL == 4
    if constexpr (kSize == 8) {
        _mm_storel_epi64(reinterpret_cast<__m128i*>(p), _mm_maskz_set1_epi8(m.data, 1));
    } else if constexpr (kSize == 16) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm_maskz_set1_epi8(m.data, 1));
    } else if constexpr (kSize == 32) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_maskz_set1_epi8(m.data, 1));
    } else {
        _mm512_storeu_si512(p, _mm512_maskz_set1_epi8(m.data, 1));
    }
#else
    if constexpr (sizeof(T) == 1) {
        const auto bytes = xsimd::select(xsimd::batch_bool_cast<uint8_t>(m),
                                         Vec<uint8_t>(uint8_t(1)), Vec<uint8_t>(uint8_t(0)));
        bytes.store_unaligned(reinterpret_cast<uint8_t*>(p));
    } else if constexpr (kSize <= 4) {
        // Moves bit k of the mask to byte k: the partial products do not overlap.
        const uint32_t bytes = (static_cast<uint32_t>(m.mask()) * 0x00204081u) & 0x01010101u;
        copy_bytes(p, &bytes, kSize);
    } else {
        for (unsigned i = 0; i < kSize; i += 4) {
            const uint32_t four = static_cast<uint32_t>(m.mask() >> i) & 15u;
            store_as<uint32_t>(p + i, (four * 0x00204081u) & 0x01010101u);
        }
    }
#endif
}

template <class T>
using IntOfSize =
    std::conditional_t<sizeof(T) == 1, int8_t,
                       std::conditional_t<sizeof(T) == 2, int16_t,
                                          std::conditional_t<sizeof(T) == 4, int32_t, int64_t>>>;

template <class T>
HS_INLINE Mask<T> load_mask(const char* p) {
    constexpr unsigned kSize = Vec<T>::size;
#if HS_SIMD_LEVEL == 4
    if constexpr (kSize == 8) {
        const __m128i x = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(p));
        return Mask<T>(static_cast<__mmask8>(_mm_test_epi8_mask(x, x)));
    } else if constexpr (kSize == 16) {
        const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
        return Mask<T>(_mm_test_epi8_mask(x, x));
    } else if constexpr (kSize == 32) {
        const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
        return Mask<T>(_mm256_test_epi8_mask(x, x));
    } else {
        const __m512i x = _mm512_loadu_si512(p);
        return Mask<T>(_mm512_test_epi8_mask(x, x));
    }
#else
    using I = IntOfSize<T>;
    if constexpr (sizeof(T) == 1) {
        return xsimd::batch_bool_cast<T>(
            Vec<uint8_t>::load_unaligned(reinterpret_cast<const uint8_t*>(p)) !=
            Vec<uint8_t>(uint8_t(0)));
    } else {
        alignas(64) I wide[kSize];
        for (unsigned i = 0; i < kSize; ++i) {
            wide[i] = static_cast<I>(static_cast<unsigned char>(p[i]));
        }
        return xsimd::batch_bool_cast<T>(Vec<I>::load_aligned(wide) != Vec<I>(I(0)));
    }
#endif
}

// ---- interleaved complex numbers ----

template <class T, unsigned N>
struct Interleave;
#define HS_EVEN_ODD(type, n, even, odd, low, high)      \
    template <>                                         \
    struct Interleave<type, n> {                        \
        template <class R>                              \
        HS_INLINE static R evens(R a, R b) {            \
            return __builtin_shufflevector(a, b, even); \
        }                                               \
        template <class R>                              \
        HS_INLINE static R odds(R a, R b) {             \
            return __builtin_shufflevector(a, b, odd);  \
        }                                               \
        template <class R>                              \
        HS_INLINE static R lows(R a, R b) {             \
            return __builtin_shufflevector(a, b, low);  \
        }                                               \
        template <class R>                              \
        HS_INLINE static R highs(R a, R b) {            \
            return __builtin_shufflevector(a, b, high); \
        }                                               \
    };
#define HS_LIST(...) __VA_ARGS__
HS_EVEN_ODD(double, 2, HS_LIST(0, 2), HS_LIST(1, 3), HS_LIST(0, 2), HS_LIST(1, 3))
HS_EVEN_ODD(double, 4, HS_LIST(0, 2, 4, 6), HS_LIST(1, 3, 5, 7), HS_LIST(0, 4, 1, 5),
            HS_LIST(2, 6, 3, 7))
HS_EVEN_ODD(double, 8, HS_LIST(0, 2, 4, 6, 8, 10, 12, 14), HS_LIST(1, 3, 5, 7, 9, 11, 13, 15),
            HS_LIST(0, 8, 1, 9, 2, 10, 3, 11), HS_LIST(4, 12, 5, 13, 6, 14, 7, 15))
HS_EVEN_ODD(float, 4, HS_LIST(0, 2, 4, 6), HS_LIST(1, 3, 5, 7), HS_LIST(0, 4, 1, 5),
            HS_LIST(2, 6, 3, 7))
HS_EVEN_ODD(float, 8, HS_LIST(0, 2, 4, 6, 8, 10, 12, 14), HS_LIST(1, 3, 5, 7, 9, 11, 13, 15),
            HS_LIST(0, 8, 1, 9, 2, 10, 3, 11), HS_LIST(4, 12, 5, 13, 6, 14, 7, 15))
HS_EVEN_ODD(float, 16, HS_LIST(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
            HS_LIST(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31),
            HS_LIST(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23),
            HS_LIST(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31))
#undef HS_LIST
#undef HS_EVEN_ODD

template <class T>
HS_INLINE Cx<T> load_complex(const char* p) {
    using Lanes = Interleave<T, Vec<T>::size>;
    const T* t = reinterpret_cast<const T*>(p);
    const auto low = Vec<T>::load_unaligned(t).data;
    const auto high = Vec<T>::load_unaligned(t + Vec<T>::size).data;
    return {Vec<T>(Lanes::evens(low, high)), Vec<T>(Lanes::odds(low, high))};
}
template <class T>
HS_INLINE void store_complex(char* p, Cx<T> z) {
    using Lanes = Interleave<T, Vec<T>::size>;
    T* t = reinterpret_cast<T*>(p);
    Vec<T>(Lanes::lows(z.re.data, z.im.data)).store_unaligned(t);
    Vec<T>(Lanes::highs(z.re.data, z.im.data)).store_unaligned(t + Vec<T>::size);
}

// ---- one interface for all dtypes ----

template <DType D>
struct Lanes;  // Part: the element type of a register; Register: what expressions see

#define HS_LANES(id, part)          \
    template <>                     \
    struct Lanes<DType::id> {       \
        using Part = part;          \
        using Register = Vec<part>; \
    };
HS_LANES(I8, int8_t)
HS_LANES(I16, int16_t)
HS_LANES(I32, int32_t)
HS_LANES(I64, int64_t)
HS_LANES(U8, uint8_t)
HS_LANES(U16, uint16_t)
HS_LANES(U32, uint32_t)
HS_LANES(U64, uint64_t)
HS_LANES(F16, float)
HS_LANES(F32, float)
HS_LANES(F64, double)
#undef HS_LANES
template <>
struct Lanes<DType::Bool> {
    using Part = uint8_t;
    using Register = Bools;
};
template <>
struct Lanes<DType::C64> {
    using Part = float;
    using Register = Cx<float>;
};
template <>
struct Lanes<DType::C128> {
    using Part = double;
    using Register = Cx<double>;
};

template <DType D>
using Part = typename Lanes<D>::Part;
template <DType D>
using Register = typename Lanes<D>::Register;
// Elements per register.
template <DType D>
inline constexpr int kWidth = static_cast<int>(Vec<Part<D>>::size);
template <DType D>
inline constexpr int kBytes = static_cast<int>(sizeof(Stored<D>));

template <DType D>
HS_INLINE Register<D> load_register(const char* p) {
    if constexpr (D == DType::Bool) {
        const auto v = Vec<uint8_t>::load_unaligned(reinterpret_cast<const uint8_t*>(p));
        return {xsimd::min(v, Vec<uint8_t>(uint8_t(1)))};
    } else if constexpr (D == DType::F16) {
        return load_halves(p);
    } else if constexpr (kind(D) == DTypeKind::Complex) {
        return load_complex<Part<D>>(p);
    } else {
        return Register<D>::load_unaligned(reinterpret_cast<const Part<D>*>(p));
    }
}

template <DType D>
HS_INLINE void store_register(char* p, Register<D> x) {
    if constexpr (D == DType::Bool) {
        x.v.store_unaligned(reinterpret_cast<uint8_t*>(p));
    } else if constexpr (D == DType::F16) {
        store_halves(p, x);
    } else if constexpr (kind(D) == DTypeKind::Complex) {
        store_complex<Part<D>>(p, x);
    } else {
        x.store_unaligned(reinterpret_cast<Part<D>*>(p));
    }
}

// Loads an input of dtype D for a loop that computes in C; bools among other dtypes become masks.
template <DType D, DType C>
HS_INLINE auto load_operand(const char* p) {
    if constexpr (D == DType::Bool && C != DType::Bool) {
        return load_mask<Part<C>>(p);
    } else {
        static_assert(D == C, "a mixed row must be kScalarLoop");
        return load_register<D>(p);
    }
}

// Stores a result to an output of dtype D.
template <DType D, DType C, class R>
HS_INLINE void store_result(char* p, R x) {
    if constexpr (D == DType::Bool && C != DType::Bool) {
        store_mask<Part<C>>(p, x);
    } else {
        store_register<D>(p, x);
    }
}

}  // namespace hassium::HS_SIMD_NS
