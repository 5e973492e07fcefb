// Kernels that move bytes: strided loads and stores, fill, masked store, non-temporal copy; and the
// numbers of an arange or of positions.
#include "simd/move/interleave.hpp"
#include "simd/move/lookup_lanes.hpp"
#include "simd/move/nonzero.hpp"
#include "simd/move/row_copies.hpp"
#include "simd/move/strided_lines.hpp"
#include "simd/random/random_words.hpp"
#include "simd/random/twister_words.hpp"
#include "simd/reduce/fold_lanes.hpp"
#include "simd/tables/tables.hpp"

namespace hassium::HS_SIMD_NS {

#if HS_SIMD_LEVEL >= 2
struct Item16 {
    __m128i both;
};
#else
struct Item16 {
    uint64_t low, high;
};
#endif
template <int Log2>
struct ItemOf;
#define HS_ITEM(log2, type) \
    template <>             \
    struct ItemOf<log2> {   \
        using Type = type;  \
    };
HS_ITEM(0, uint8_t)
HS_ITEM(1, uint16_t)
HS_ITEM(2, uint32_t)
HS_ITEM(3, uint64_t)
HS_ITEM(4, Item16)
#undef HS_ITEM
template <int Log2>
using Item = typename ItemOf<Log2>::Type;

template <int Log2>
void fill_kernel(char* out, const char* value, std::int64_t n) {
    using T = Item<Log2>;
    const T x = load_as<T>(value);
    for (std::int64_t i = 0; i < n; ++i) store_as(out + i * std::int64_t{sizeof(T)}, x);
}

// Any stride, two elements to a store: such a loop is bound by stores.
template <int Log2>
HS_INLINE void load_apart(char* out, const char* in, std::int64_t stride, std::int64_t n) {
    using T = Item<Log2>;
    constexpr std::int64_t kSize = sizeof(T);
    std::int64_t i = 0;
#if HS_SIMD_LEVEL >= 2
    if constexpr (kSize == 8) {
        auto two = [&](std::int64_t k) { return load_two(in + k * stride, in + (k + 1) * stride); };
        for (; i + 4 <= n; i += 4) {
            const __m128i low = two(i), high = two(i + 2);
            _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i * kSize), low);
            _mm_storeu_si128(reinterpret_cast<__m128i*>(out + (i + 2) * kSize), high);
        }
    }
#endif
    for (; i < n; ++i) store_as(out + i * kSize, load_as<T>(in + i * stride));
}

// Small steps and backward order are the commonest strides (even and odd halves, real parts,
// colours, x[::-1]): with the distance known these loops are shuffles of whole registers. `kStep`
// is the distance in elements. Nothing beyond the last element is touched.
template <int Log2, int kStep>
HS_INLINE void load_steps(char* out, const char* in, std::int64_t n) {
    using T = Item<Log2>;
    constexpr std::int64_t kSize = sizeof(T);
    std::int64_t i = 0;
#if HS_SIMD_LEVEL == 4
    constexpr std::int64_t kLanes = 64 / kSize;
    auto at = [&](std::int64_t k) { return _mm512_loadu_si512(in + k * kSize); };
    if constexpr (kStep > 1 && (kSize == 8 || kSize == 4)) {
        for (; i + kLanes < n; i += kLanes) {
            __m512i v = at(kStep * i);
            for (int k = 1; k < kStep; ++k) {
                v = lookup_lanes<Log2>(v, kLookupTables<Log2, kStep>[k - 1],
                                       at(kStep* i + k* kLanes));
            }
            _mm512_storeu_si512(out + i * kSize, v);
        }
    } else if constexpr (kStep == 2 && kSize == 16) {
        for (; i + kLanes < n; i += kLanes) {
            const __m512i v = _mm512_shuffle_i64x2(at(2 * i), at(2 * i + kLanes), 0x88);
            _mm512_storeu_si512(out + i * kSize, v);
        }
    } else if constexpr (kStep == -1 && kSize >= 4) {
        for (; i + kLanes <= n; i += kLanes) {
            _mm512_storeu_si512(out + i * kSize, reversed_lanes<kSize>(at(1 - i - kLanes)));
        }
    }
#endif
    load_apart<Log2>(out + i * kSize, in + i * kStep * kSize, kStep * kSize, n - i);
}

template <int Log2>
void load_kernel(char* out, const char* in, std::int64_t stride, std::int64_t n) {
    using T = Item<Log2>;
    constexpr std::int64_t kSize = sizeof(T);
    switch (stride) {
        case kSize:
            return copy_line(out, in, n * kSize);
        case 2 * kSize:
            return load_steps<Log2, 2>(out, in, n);
        case 3 * kSize:
            return load_steps<Log2, 3>(out, in, n);
        case 4 * kSize:
            return load_steps<Log2, 4>(out, in, n);
        case -kSize:
            return load_steps<Log2, -1>(out, in, n);
        case 0:
            if (n > 0) fill_kernel<Log2>(out, in, n);
            return;
        default:
            return load_apart<Log2>(out, in, stride, n);
    }
}

// As load_steps. Elements in between are not written: they may be another thread's.
template <int Log2, int kStep>
HS_INLINE void store_steps(char* out, const char* in, std::int64_t n) {
    using T = Item<Log2>;
    constexpr std::int64_t kSize = sizeof(T);
    std::int64_t i = 0;
#if HS_SIMD_LEVEL == 4
    constexpr std::int64_t kLanes = 64 / kSize;
    auto at = [&](std::int64_t k) { return _mm512_loadu_si512(in + k * kSize); };
    if constexpr (kStep == 2 && (kSize == 8 || kSize == 4)) {
        if (n >= kLanes) {
            SecondLines<kSize> lines(out);
            lines.begin(at(0));
            for (i = kLanes; i + kLanes <= n; i += kLanes) lines.put(at(i));
            lines.finish();
        }
    } else if constexpr (kStep == -1 && kSize >= 4) {
        for (; i + kLanes <= n; i += kLanes) {
            _mm512_storeu_si512(out + (1 - i - kLanes) * kSize, reversed_lanes<kSize>(at(i)));
        }
    }
#endif
    for (; i < n; ++i) store_as(out + i * kStep * kSize, load_as<T>(in + i * kSize));
}

template <int Log2>
void store_kernel(char* out, std::int64_t stride, const char* in, std::int64_t n) {
    using T = Item<Log2>;
    constexpr std::int64_t kSize = sizeof(T);
    switch (stride) {
        case kSize:
            return copy_line(out, in, n * kSize);
        case 2 * kSize:
            return store_steps<Log2, 2>(out, in, n);
        case -kSize:
            return store_steps<Log2, -1>(out, in, n);
        default:
            for (std::int64_t i = 0; i < n; ++i) {
                store_as(out + i * stride, load_as<T>(in + i * kSize));
            }
    }
}

template <int Log2>
void load_rows_kernel(char* out, const char* in, std::int64_t stride, std::int64_t pitch,
                      std::int64_t n, std::int64_t rows, std::int64_t ahead) {
    constexpr std::int64_t kSize = 1 << Log2;
    const std::int64_t bytes = n * kSize, span = stride < 0 ? bytes : n * stride;
    auto each = [&](auto load) {
        if (ahead != 0) {
            for (; rows > 0; --rows, out += bytes, in += pitch) {
                fetch_row(in + ahead, span);
                load(out, in, bytes);
            }
        }
        for (; rows > 0; --rows, out += bytes, in += pitch) load(out, in, bytes);
    };
    if (stride == kSize) return with_copy(bytes, each);
    each([stride, n](char* to, const char* from, std::int64_t) {
        load_kernel<Log2>(to, from, stride, n);
    });
}

template <int Log2>
void store_rows_kernel(char* out, std::int64_t stride, std::int64_t pitch, const char* in,
                       std::int64_t n, std::int64_t rows) {
    constexpr std::int64_t kSize = 1 << Log2;
    const std::int64_t bytes = n * kSize;
    auto each = [&](auto store) {
        for (; rows > 0; --rows, out += pitch, in += bytes) store(out, in, bytes);
    };
    if (stride == kSize) return with_copy(bytes, each);
    each([stride, n](char* to, const char* from, std::int64_t) {
        store_kernel<Log2>(to, stride, from, n);
    });
}

#if HS_SIMD_LEVEL == 4
// Blends to contiguous elements, 64 at a time; returns how many elements it has done.
template <int Log2, bool kOne>
HS_INLINE std::int64_t blend_lines(char* out, const char* in, const char* mask, std::int64_t n) {
    constexpr std::int64_t kSize = 1 << Log2, kLanes = 64 / kSize;
    alignas(64) char line[64];
    for (std::int64_t k = 0; kOne && k < kLanes; ++k) copy_bytes(line + k * kSize, in, kSize);
    const __m512i all = _mm512_load_si512(line);
    std::int64_t i = 0;
    for (; i + 64 <= n; i += 64) {
        const __m512i bytes = _mm512_loadu_si512(mask + i);
        const std::uint64_t wanted = _mm512_test_epi8_mask(bytes, bytes);
        if (wanted == 0) continue;
        for (std::int64_t k = 0; k < 64; k += kLanes) {
            const std::int64_t at = (i + k) * kSize;
            store_lanes<Log2>(out + at, wanted >> k, kOne ? all : _mm512_loadu_si512(in + at));
        }
    }
    return i;
}
#endif

// Not a select and a plain store: bytes with a zero mask may be unmapped, or be read by other
// threads. Masked-out elements at the end are stored to a dummy: a branch would be mispredicted
// every other time. The address is computed by arithmetic, which compilers do not turn into a
// branch.
template <int Log2, bool kOne>
void blend_kernel(char* out, std::int64_t stride, const char* in, const char* mask,
                  std::int64_t n) {
    using T = Item<Log2>;
    constexpr std::int64_t kSize = sizeof(T);
    std::int64_t i = 0;
#if HS_SIMD_LEVEL == 4
    if (stride == kSize) i = blend_lines<Log2, kOne>(out, in, mask, n);
#endif
    char unwanted[kSize];
    const auto beside = reinterpret_cast<std::uintptr_t>(&unwanted);
    auto put = [&](std::int64_t k) {
        const auto at = reinterpret_cast<std::uintptr_t>(out + k * stride);
        const std::uintptr_t wanted = mask[k] != 0 ? ~std::uintptr_t{0} : 0;
        store_as(reinterpret_cast<char*>(beside ^ ((beside ^ at) & wanted)),
                 load_as<T>(kOne ? in : in + k * kSize));
    };
    for (; i + kMaskedBools <= n; i += kMaskedBools) {
        const std::uint64_t bits = true_bits(mask + i);
        if (bits == 0) {
            i = past_false(mask, i + kMaskedBools, n) - kMaskedBools;
            continue;
        }
        visit_true(bits, [=](int k) {
            copy_bytes(out + (i + k) * stride, kOne ? in : in + (i + k) * kSize, kSize);
        });
    }
    for (; i < n; ++i) put(i);
}

void stream_kernel(char* out, const char* in, std::int64_t bytes) {
    constexpr int kStep = Vec<uint8_t>::size;
    std::int64_t i = 0;
    for (; i + 64 <= bytes; i += 64) {
        for (int k = 0; k < 64; k += kStep) {
            const auto* from = reinterpret_cast<const uint8_t*>(in + i + k);
            stream_register(out + i + k, Vec<uint8_t>::load_unaligned(from));
        }
    }
    if (i < bytes) copy_bytes(out + i, in + i, static_cast<unsigned long>(bytes - i));
}

// As NumPy's fill: start + position * step, each operation in the dtype (float16: in float32).
template <DType D>
void range_kernel(char* out, const char* start, const char* step, std::int64_t first,
                  std::int64_t stride, std::int64_t n) {
    using T = Stored<D>;
    constexpr int kSize = kBytes<D>;
    for (std::int64_t i = 0; i < n; ++i) {
        const std::int64_t k = first + i * stride;
        char* const at = out + i * kSize;
        if constexpr (D == DType::Bool) {
            store_as<uint8_t>(at, (*start != 0) != (*step != 0 && k % 2 != 0));
        } else if constexpr (D == DType::F16) {
            const float x = half_to_float(load_as<Half>(start));
            const float d = half_to_float(load_as<Half>(step));
            store_as(at, float_to_half(x + static_cast<float>(k) * d));
        } else if constexpr (kind(D) == DTypeKind::Complex) {
            const T x = load_as<T>(start);
            const T d = load_as<T>(step);
            using P = Part<D>;
            store_as(at, T{x.re + static_cast<P>(k) * d.re, x.im + static_cast<P>(k) * d.im});
        } else if constexpr (is_integer(D)) {
            const uint64_t x = static_cast<uint64_t>(load_as<T>(start));
            const uint64_t d = static_cast<uint64_t>(load_as<T>(step));
            store_as(at, static_cast<T>(x + static_cast<uint64_t>(k) * d));
        } else {
            store_as(at, load_as<T>(start) + static_cast<T>(k) * load_as<T>(step));
        }
    }
}

template <int Log2>
HS_INLINE void fill_size(KernelTable& table) {
    table.load[Log2] = &load_kernel<Log2>;
    table.store[Log2] = &store_kernel<Log2>;
    table.load_rows[Log2] = &load_rows_kernel<Log2>;
    table.store_rows[Log2] = &store_rows_kernel<Log2>;
    table.fill[Log2] = &fill_kernel<Log2>;
    table.blend[Log2] = &blend_kernel<Log2, false>;
    table.blend_one[Log2] = &blend_kernel<Log2, true>;
    table.interleave[Log2] = &interleave_kernel<1 << Log2>;
    table.choose[Log2] = &choose_kernel<1 << Log2>;
    table.place[Log2] = &place_kernel<1 << Log2>;
}

void fill_moves(KernelTable& table) {
    static_assert(kItemSizes == 5);
    fill_size<0>(table);
    fill_size<1>(table);
    fill_size<2>(table);
    fill_size<3>(table);
    fill_size<4>(table);
#define HS_DTYPE(id, name, type, kind, code, bytes) \
    table.range[static_cast<int>(DType::id)] = &range_kernel<DType::id>;
#include "base/dtypes.def"
#undef HS_DTYPE
    table.random[static_cast<int>(DType::U64)] = &random_kernel<DType::U64>;
    table.random[static_cast<int>(DType::F32)] = &random_kernel<DType::F32>;
    table.random[static_cast<int>(DType::F64)] = &random_kernel<DType::F64>;
    table.twist = &twist_kernel;
    table.temper = &temper_kernel;
    table.temper_doubles = &temper_doubles_kernel;
    table.stream = &stream_kernel;
    table.positions = &positions_kernel;
}

#define HS_NAME_OF(ns) #ns
#define HS_NAME(ns) HS_NAME_OF(ns)

void fill_table(KernelTable& table) {
    table.level = HS_NAME(HS_SIMD_NS);
    using enum DType;
    const auto maps = [&]<DType... D>() { (fill_map<D>(table), ...); };
    const auto math = [&]<DType... D>() { (fill_math<D>(table), ...); };
    maps.operator()<Bool, I8, I16, I32, I64, F16, F32, F64, C64, C128>();
    math.operator()<F32, F64>();
    fill_casts(table);
    fill_moves(table);
    fill_products(table);
}

}  // namespace hassium::HS_SIMD_NS
