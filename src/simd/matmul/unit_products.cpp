// Products of small matrices: a register holds elements of one row of the result, and each row of
// `b` is multiplied by one element of `a` after another. Sums run along the inner axis in order, of
// floats with one rounding a step, whatever the register width: the result is bit-identical on
// every level, and to BLAS where it does the same.
#include "simd/lane/registers.hpp"
#include "simd/tables/tables.hpp"

namespace hassium::HS_SIMD_NS {
namespace {

template <class T>
HS_INLINE T add_product(T a, T b, T sum) {
    if constexpr (kSame<T, double>) {
        return __builtin_fma(a, b, sum);
    } else if constexpr (kSame<T, float>) {
        return __builtin_fmaf(a, b, sum);
    } else if constexpr (requires { a.re; }) {
        sum.re = add_product(-a.im, b.im, add_product(a.re, b.re, sum.re));
        sum.im = add_product(a.im, b.re, add_product(a.re, b.im, sum.im));
        return sum;
    } else {
        using U = uint64_t;
        return static_cast<T>(static_cast<U>(a) * static_cast<U>(b) + static_cast<U>(sum));
    }
}

// Computes one element of the result.
template <class T>
HS_INLINE void multiply_one(const ProductShape& s, char* out, const char* a, const char* b) {
    T sum{};
    for (std::int64_t k = 0; k < s.inner; ++k) {
        sum = add_product(load_as<T>(a + k * s.a[1]), load_as<T>(b + k * s.b[0]), sum);
    }
    store_as(out, sum);
}

#if HS_FUSED
template <class T>
HS_INLINE Vec<T> add_products(Vec<T> a, Vec<T> b, Vec<T> sum) {
    if constexpr (kIsReal<T>) return xsimd::fma(a, b, sum);
    return a * b + sum;
}

// A part of a row with fewer elements than a register: lanes without an element repeat the first
// one and raise nothing that it does not.
template <class T>
struct Part {
    static constexpr std::int64_t kBytes = sizeof(T);
#if HS_SIMD_LEVEL == 4
    explicit Part(std::int64_t n) : mask(static_cast<std::uint16_t>((1u << n) - 1)) {}
    HS_INLINE Vec<T> load(const char* p) const {
        const Vec<T> first(load_as<T>(p));
        if constexpr (kBytes == 8) {
            return Vec<T>(_mm512_mask_loadu_pd(first.data, static_cast<__mmask8>(mask), p));
        } else {
            return Vec<T>(_mm512_mask_loadu_ps(first.data, mask, p));
        }
    }
    HS_INLINE void store(char* p, Vec<T> v) const {
        if constexpr (kBytes == 8) {
            _mm512_mask_storeu_pd(p, static_cast<__mmask8>(mask), v.data);
        } else {
            _mm512_mask_storeu_ps(p, mask, v.data);
        }
    }
    __mmask16 mask;
#elif HS_SIMD_LEVEL == 3
    explicit Part(std::int64_t n) {
        alignas(32) static constexpr int32_t kOnes[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
        const auto* from = kOnes + 8 - n * kBytes / 4;
        mask = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    }
    HS_INLINE Vec<T> load(const char* p) const {
        const Vec<T> first(load_as<T>(p));
        if constexpr (kBytes == 8) {
            const __m256d some = _mm256_maskload_pd(reinterpret_cast<const double*>(p), mask);
            return Vec<T>(_mm256_blendv_pd(first.data, some, _mm256_castsi256_pd(mask)));
        } else {
            const __m256 some = _mm256_maskload_ps(reinterpret_cast<const float*>(p), mask);
            return Vec<T>(_mm256_blendv_ps(first.data, some, _mm256_castsi256_ps(mask)));
        }
    }
    HS_INLINE void store(char* p, Vec<T> v) const {
        if constexpr (kBytes == 8) {
            _mm256_maskstore_pd(reinterpret_cast<double*>(p), mask, v.data);
        } else {
            _mm256_maskstore_ps(reinterpret_cast<float*>(p), mask, v.data);
        }
    }
    __m256i mask;
#else
    explicit Part(std::int64_t n) : count(n) {}
    HS_INLINE Vec<T> load(const char* p) const {
        alignas(64) T all[Vec<T>::size];
        for (int i = 0; i < static_cast<int>(Vec<T>::size); ++i) {
            all[i] = load_as<T>(p + (i < count ? i * kBytes : 0));
        }
        return Vec<T>::load_aligned(all);
    }
    HS_INLINE void store(char* p, Vec<T> v) const {
        alignas(64) T all[Vec<T>::size];
        v.store_aligned(all);
        copy_bytes(p, all, static_cast<unsigned long>(count * kBytes));
    }
    std::int64_t count;
#endif
};

template <class T>
struct Whole {
    HS_INLINE Vec<T> load(const char* p) const {
        return Vec<T>::load_unaligned(reinterpret_cast<const T*>(p));
    }
    HS_INLINE void store(char* p, Vec<T> v) const { v.store_unaligned(reinterpret_cast<T*>(p)); }
};

// Computes one register of each of kRows rows.
template <class T, int kRows, class Lanes>
HS_INLINE void multiply_rows(const ProductShape& s, Lanes lanes, char* out, const char* a,
                             const char* b) {
    Vec<T> sum[kRows];
    for (int r = 0; r < kRows; ++r) sum[r] = Vec<T>(T(0));
    for (std::int64_t k = 0; k < s.inner; ++k) {
        const Vec<T> row = lanes.load(b + k * s.b[0]);
        for (int r = 0; r < kRows; ++r) {
            const Vec<T> element(load_as<T>(a + r * s.a[0] + k * s.a[1]));
            sum[r] = add_products(element, row, sum[r]);
        }
    }
    for (int r = 0; r < kRows; ++r) lanes.store(out + r * s.out[0], sum[r]);
}

template <class T, class Lanes>
HS_INLINE void multiply_columns(const ProductShape& s, Lanes lanes, char* out, const char* a,
                                const char* b, std::int64_t rows) {
    constexpr int kTogether = 4;
    for (; rows >= kTogether; rows -= kTogether) {
        multiply_rows<T, kTogether>(s, lanes, out, a, b);
        out += kTogether * s.out[0];
        a += kTogether * s.a[0];
    }
    if (rows == 3) multiply_rows<T, 3>(s, lanes, out, a, b);
    if (rows == 2) multiply_rows<T, 2>(s, lanes, out, a, b);
    if (rows == 1) multiply_rows<T, 1>(s, lanes, out, a, b);
}
#endif

template <class T>
void multiply(const ProductShape& s, char* out, const char* a, const char* b, std::int64_t rows) {
    std::int64_t j = 0;
#if HS_FUSED
    if constexpr (std::is_arithmetic_v<T>) {
        constexpr std::int64_t kLanes = Vec<T>::size, kSize = sizeof(T);
        if (s.out[1] == kSize && s.b[1] == kSize) {
            for (; j + kLanes <= s.columns; j += kLanes) {
                multiply_columns<T>(s, Whole<T>{}, out + j * kSize, a, b + j * kSize, rows);
            }
            if constexpr (kIsReal<T>) {
                if (j == s.columns) return;
                const Part<T> part(s.columns - j);
                return multiply_columns<T>(s, part, out + j * kSize, a, b + j * kSize, rows);
            }
        }
    }
#endif
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t k = j; k < s.columns; ++k) {
            multiply_one<T>(s, out + i * s.out[0] + k * s.out[1], a + i * s.a[0], b + k * s.b[1]);
        }
    }
}

template <DType D>
HS_INLINE void fill_product(KernelTable& table) {
    if constexpr (D != DType::Bool && D != DType::F16) {
        table.multiply[static_cast<int>(D)] = &multiply<Stored<D>>;
    }
}

}  // namespace

void fill_products(KernelTable& table) {
#define HS_DTYPE(id, name, type, kind, code, bytes) fill_product<DType::id>(table);
#include "base/dtypes.def"
#undef HS_DTYPE
}

}  // namespace hassium::HS_SIMD_NS
