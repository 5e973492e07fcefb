// The position of the extreme element of a run (extremes.hpp).
//
// A block's extreme value is found first, in four registers at once; only the block that holds the
// run's extreme is searched for it. Keeping positions beside values in every lane would cost three
// instructions an element instead of two, and as long again to fold the lanes of a short run.
#include "simd/extremes.hpp"

#include "simd/fold_loop.hpp"

namespace hassium::HS_SIMD_NS {

template <DType D, bool Largest>
struct Extremes {
    using T = Part<D>;
    using V = Vec<T>;
    static constexpr int kWidth = static_cast<int>(V::size);
    static constexpr std::int64_t kBlock = 32 * kWidth;

    HS_INLINE static V load(const T* p) { return V::load_unaligned(p); }
    HS_INLINE static V further(V a, V b) { return Largest ? xsimd::max(a, b) : xsimd::min(a, b); }
    HS_INLINE static Mask<T> exceeds(V a, V b) {
        if constexpr (kIsReal<T>) {
            return Largest ? math::quiet_less(b, a) : math::quiet_less(a, b);
        } else {
            return Largest ? a > b : a < b;
        }
    }
    // The extreme of all lanes, in all lanes.
    HS_INLINE static V fold(V v) {
        if constexpr (Largest) {
            return fold_register<row::Maximum, D, kWidth / 2>(v);
        } else {
            return fold_register<row::Minimum, D, kWidth / 2>(v);
        }
    }

    // The first element from `i` on that is equal to x, or not equal to itself. There is one.
    HS_INLINE static std::int64_t search(const T* p, std::int64_t i, std::int64_t n, V x,
                                         bool nan) {
        for (;; i = i + 2 * kWidth <= n ? i + kWidth : n - kWidth) {
            const V v = load(p + i);
            const uint64_t found = (nan ? v != v : v == x).mask();
            if (found) return i + __builtin_ctzll(found);
        }
    }

    // The instructions for maximum and minimum signal for a nan. By asm, which loads do not pass:
    // the compiler sees no tie between them and the processor's flags.
    HS_INLINE static unsigned conditions_now() {
        unsigned conditions = 0;
#if HS_SIMD_LEVEL >= 2
        if constexpr (kIsReal<T>) asm volatile("stmxcsr %0" : "=m"(conditions) : : "memory");
#endif
        return conditions;
    }
    HS_INLINE static void put_back([[maybe_unused]] unsigned conditions) {
#if HS_SIMD_LEVEL >= 2
        asm volatile("ldmxcsr %0" : : "m"(conditions) : "memory");
#endif
    }

    // Less than a register; lanes without an element repeat the first one.
    HS_INLINE static std::int64_t in_short(const char* in, std::int64_t n) {
        const V v = load_some<D>(in, static_cast<int>(n));
        if constexpr (kIsReal<T>) {
            const Mask<T> nan = v != v;
            if (xsimd::any(nan)) return __builtin_ctzll(nan.mask());
        }
        return __builtin_ctzll((v == fold(v)).mask());
    }

    static std::int64_t position(const char* in, std::int64_t n) {
        const T* p = reinterpret_cast<const T*>(in);
        if (n < kWidth) return in_short(in, n);
        const unsigned conditions = conditions_now();
        std::int64_t holder = -1;
        V best = load(p);
        for (std::int64_t at = 0; at < n; at += kBlock) {
            // The last registers of the run reach back over elements that were seen.
            const std::int64_t end = at + kBlock < n ? at + kBlock : n;
            const std::int64_t from = end - at < kWidth ? end - kWidth : at;
            V a = load(p + from), b = a, c = a, d = a;
            Mask<T> nan = a != a;
            std::int64_t i = from;
            for (; i + 4 * kWidth <= end; i += 4 * kWidth) {
                const V w = load(p + i), x = load(p + i + kWidth);
                const V y = load(p + i + 2 * kWidth), z = load(p + i + 3 * kWidth);
                if constexpr (kIsReal<T>) nan = nan | (w != w) | (x != x) | (y != y) | (z != z);
                a = further(a, w), b = further(b, x), c = further(c, y), d = further(d, z);
            }
            for (; i < end; i += kWidth) {
                const V w = load(p + (i + kWidth <= end ? i : end - kWidth));
                if constexpr (kIsReal<T>) nan = nan | (w != w);
                a = further(a, w);
            }
            if constexpr (kIsReal<T>) {
                if (xsimd::any(nan)) {
                    put_back(conditions);
                    return search(p, from, n, a, true);
                }
            }
            a = further(further(a, b), further(c, d));
            if (holder >= 0 && !xsimd::any(exceeds(a, best))) continue;
            best = fold(a);
            holder = from;
        }
        return search(p, holder, n, best, false);
    }
};

template <DType D>
void fill_extreme(ExtremeTable& table) {
    if constexpr (D != DType::Bool && D != DType::F16 && kind(D) != DTypeKind::Complex) {
        table.position[0][static_cast<int>(D)] = &Extremes<D, false>::position;
        table.position[1][static_cast<int>(D)] = &Extremes<D, true>::position;
    }
}

void fill_extremes(ExtremeTable& table) {
#define HS_DTYPE(id, name, type, kind, code, bytes) fill_extreme<DType::id>(table);
#include "base/dtypes.def"
#undef HS_DTYPE
}

}  // namespace hassium::HS_SIMD_NS
