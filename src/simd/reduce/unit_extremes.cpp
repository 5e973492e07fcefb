// Finds the position of the extreme element of a run (extremes.hpp).
//
// A block's extreme value is found first, in four registers at once; only the block that holds the
// run's extreme is searched for it. Keeping positions beside values in every lane would cost three
// instructions an element instead of two, and as long again to fold the lanes of a short run.
// Parallel lines have a lane each, and keep positions there.
#include "simd/tables/extremes.hpp"

#include "simd/reduce/fold_loop.hpp"

namespace hassium::HS_SIMD_NS {

template <DType D, bool Largest>
struct Extremes {
    using T = Part<D>;
    using V = Vec<T>;
    static constexpr int kWidth = static_cast<int>(V::size);
    // Lines often follow one another, and the hardware prefetcher stops where a search begins.
    static constexpr std::int64_t kAheadBytes = 2048;
    static constexpr std::int64_t kBlock = 64 * kWidth;

    HS_INLINE static V load(const T* p) { return V::load_unaligned(p); }
    HS_INLINE static V further(V a, V b) { return Largest ? xsimd::max(a, b) : xsimd::min(a, b); }
    HS_INLINE static Mask<T> exceeds(V a, V b) {
        if constexpr (kIsReal<T>) {
            return Largest ? math::quiet_less(b, a) : math::quiet_less(a, b);
        } else {
            return Largest ? a > b : a < b;
        }
    }
    // Returns the extreme of all lanes, in all lanes.
    HS_INLINE static V fold(V v) {
        using R = std::conditional_t<Largest, row::Maximum, row::Minimum>;
        const V folded = fold_register<R, D, kWidth / 2>(v);
        return kAnyOrder<R, D> ? V(folded.get(0)) : folded;
    }

    // Returns the position of the first element from `i` on that equals x, or is NaN. One must
    // exist.
    HS_INLINE static std::int64_t search(const T* p, std::int64_t i, std::int64_t n, V x,
                                         bool nan) {
        if (!nan) {
            auto is = [&](int k) { return load(p + i + k * kWidth) == x; };
            while (i + 4 * kWidth <= n && xsimd::none(is(0) | is(1) | is(2) | is(3))) {
                i += 4 * kWidth;
            }
            if (i > n - kWidth) i = n - kWidth;
        }
        for (;; i = i + 2 * kWidth <= n ? i + kWidth : n - kWidth) {
            const V v = load(p + i);
            const uint64_t found = (nan ? v != v : v == x).mask();
            if (found) return i + __builtin_ctzll(found);
        }
    }

    // For less than a register; lanes without an element repeat the first one.
    HS_INLINE static std::int64_t in_short(const char* in, std::int64_t n) {
        const V v = load_some<D>(in, static_cast<int>(n));
        if constexpr (kIsReal<T>) {
            const Mask<T> nan = v != v;
            if (xsimd::any(nan)) return __builtin_ctzll(nan.mask());
        }
        return __builtin_ctzll((v == fold(v)).mask());
    }

    // For a register or more, with a bit for each element: no branch depends on where the extreme
    // is, so lines do not wait for one another. The last register overlaps the one before.
    HS_INLINE static std::int64_t in_few(const T* p, std::int64_t n) {
        const auto status = kIsReal<T> ? save_status() : 0;
        auto start = [&](std::int64_t i) { return i + kWidth <= n ? i : n - kWidth; };
        V best = load(p);
        [[maybe_unused]] Mask<T> nan = best != best;
        for (std::int64_t i = kWidth; i < n; i += kWidth) {
            const V v = load(p + start(i));
            if constexpr (kIsReal<T>) nan = nan | (v != v);
            best = further(best, v);
        }
        if constexpr (kIsReal<T>) {
            if (xsimd::any(nan)) {
                restore_status(status);
                return search(p, 0, n, best, true);
            }
        }
        best = fold(best);
        std::uint64_t found = 0;
        for (std::int64_t i = 0; i < n; i += kWidth) {
            found |= static_cast<std::uint64_t>((load(p + start(i)) == best).mask()) << start(i);
        }
        return __builtin_ctzll(found);
    }

    static std::int64_t position(const char* in, std::int64_t n) {
        const T* p = reinterpret_cast<const T*>(in);
        if (n < kWidth) return in_short(in, n);
        if (n <= 64) return in_few(p, n);
        const auto status = kIsReal<T> ? save_status() : 0;
        std::int64_t holder = -1;
        V best = load(p);
        for (std::int64_t at = 0; at < n; at += kBlock) {
            // The last registers of the run overlap elements already read.
            const std::int64_t end = at + kBlock < n ? at + kBlock : n;
            const std::int64_t from = end - at < kWidth ? end - kWidth : at;
            V a = load(p + from), b = a, c = a, d = a;
            Mask<T> nan = a != a;
            std::int64_t i = from;
            for (; i + 4 * kWidth <= end; i += 4 * kWidth) {
                const char* const later = reinterpret_cast<const char*>(p + i) + kAheadBytes;
                for (int k = 0; k < 4 * kWidth * kBytes<D>; k += 64) __builtin_prefetch(later + k);
                const V w = load(p + i), x = load(p + i + kWidth);
                const V y = load(p + i + 2 * kWidth), z = load(p + i + 3 * kWidth);
                if constexpr (kIsReal<T>) nan = nan | (unordered(w, x) | unordered(y, z));
                a = further(a, w), b = further(b, x), c = further(c, y), d = further(d, z);
            }
            for (; i < end; i += kWidth) {
                const V w = load(p + (i + kWidth <= end ? i : end - kWidth));
                if constexpr (kIsReal<T>) nan = nan | (w != w);
                a = further(a, w);
            }
            if constexpr (kIsReal<T>) {
                if (xsimd::any(nan)) {
                    restore_status(status);
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

    // ---- parallel lines ----

    using I = IntOfSize<T>;

    // A NaN is more extreme than any number, and nothing is more extreme than a NaN.
    HS_INLINE static Mask<T> better(V x, V best) {
        if constexpr (kIsReal<T>) {
            return exceeds(x, best) | ((x != x) & (best == best));
        } else {
            return exceeds(x, best);
        }
    }

    // Advances one register of lines; elements of a line are `pitch` bytes apart.
    HS_INLINE static void advance(V& best, Vec<I>& found, const char* in, std::int64_t pitch,
                                  std::int64_t rows, std::int64_t at) {
        for (std::int64_t k = 0; k < rows; ++k) {
            const V x = load(reinterpret_cast<const T*>(in + k * pitch));
            const Mask<T> mask = better(x, best);
            best = xsimd::select(mask, x, best);
            found = xsimd::select(xsimd::batch_bool_cast<I>(mask), Vec<I>(static_cast<I>(at + k)),
                                  found);
        }
    }

    static void positions(char* best, char* found, const char* in, std::int64_t pitch,
                          std::int64_t rows, std::int64_t at, std::int64_t lines) {
        std::int64_t i = 0;
        for (; i + kWidth <= lines; i += kWidth) {
            T* const b = reinterpret_cast<T*>(best) + i;
            I* const f = reinterpret_cast<I*>(found) + i;
            V values = load(b);
            Vec<I> indices = Vec<I>::load_unaligned(f);
            advance(values, indices, in + i * kBytes<D>, pitch, rows, at);
            values.store_unaligned(b);
            indices.store_unaligned(f);
        }
        if (i == lines) return;
        const int rest = static_cast<int>(lines - i);
        constexpr DType kIndex = sizeof(T) == 8 ? DType::I64 : DType::I32;
        V values = load_some<D>(best + i * kBytes<D>, rest);
        Vec<I> indices = load_some<kIndex>(found + i * kBytes<D>, rest);
        for (std::int64_t k = 0; k < rows; ++k) {
            const V x = load_some<D>(in + i * kBytes<D> + k * pitch, rest);
            advance(values, indices, reinterpret_cast<const char*>(&x), 0, 1, at + k);
        }
        store_some<D>(best + i * kBytes<D>, values, rest);
        store_some<kIndex>(found + i * kBytes<D>, indices, rest);
    }
};

// Returns the position of the first bool that is true, or false; 0 if there is none. Any byte but 0
// is true.
template <bool Largest>
std::int64_t first_bool(const char* in, std::int64_t n) {
    using V = Vec<uint8_t>;
    constexpr std::int64_t kSize = V::size;
    auto wanted = [](V x) { return ((x == V(uint8_t{0})) == Mask<uint8_t>(!Largest)).mask(); };
    std::int64_t i = 0;
    for (; i + kSize <= n; i += kSize) {
        const uint64_t found = wanted(V::load_unaligned(reinterpret_cast<const uint8_t*>(in + i)));
        if (found) return i + __builtin_ctzll(found);
    }
    if (i == n) return 0;
    // Lanes without an element repeat the first one.
    const uint64_t found = wanted(load_some<DType::U8>(in + i, static_cast<int>(n - i)));
    return found ? i + __builtin_ctzll(found) : 0;
}

template <DType D>
void fill_extreme(ExtremeTable& table) {
    if constexpr (D != DType::Bool && D != DType::F16 && kind(D) != DTypeKind::Complex) {
        table.position[0][static_cast<int>(D)] = &Extremes<D, false>::position;
        table.position[1][static_cast<int>(D)] = &Extremes<D, true>::position;
        if constexpr (kBytes<D> >= 4) {
            table.positions[0][static_cast<int>(D)] = &Extremes<D, false>::positions;
            table.positions[1][static_cast<int>(D)] = &Extremes<D, true>::positions;
        }
    }
}

void fill_extremes(ExtremeTable& table) {
    table.position[0][static_cast<int>(DType::Bool)] = &first_bool<false>;
    table.position[1][static_cast<int>(DType::Bool)] = &first_bool<true>;
#define HS_DTYPE(id, name, type, kind, code, bytes) fill_extreme<DType::id>(table);
#include "base/dtypes.def"
#undef HS_DTYPE
}

}  // namespace hassium::HS_SIMD_NS
