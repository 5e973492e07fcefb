// Executors of map rows: contiguous operands and broadcast scalars, whole registers, one partial
// register.
#pragma once

#include "simd/lane/registers.hpp"
#include "simd/lane/rows.hpp"
#include "simd/lane/status_register.hpp"
#include "simd/tables/kernels.hpp"

namespace hassium::HS_SIMD_NS {

template <class R, DType D, int K>
inline constexpr DType kIn = K < R::kInputs ? kLoop<R, D>.in[K] : D;
template <class R, DType D, int K>
inline constexpr DType kOut = K < R::kOutputs ? kLoop<R, D>.out[K] : D;

// ---- one register ----

template <class R, DType D, int K>
HS_INLINE auto input(const char* p) {
    if constexpr (K < R::kInputs) {
        return load_operand<kIn<R, D, K>, D>(p);
    } else {
        return lane::None{};
    }
}

template <class R, DType D>
HS_INLINE void apply_register(char* const* out, const char* const* in) {
    const auto r = R::apply(input<R, D, 0>(in[0]), input<R, D, 1>(in[1]), input<R, D, 2>(in[2]));
    if constexpr (R::kOutputs == 2) {
        store_result<kOut<R, D, 0>, D>(out[0], r.first);
        store_result<kOut<R, D, 1>, D>(out[1], r.second);
    } else if constexpr (kOut<R, D, 0> != D && kind(D) == DTypeKind::Complex &&
                         kOut<R, D, 0> != DType::Bool) {
        store_register<kOut<R, D, 0>>(out[0], r);
    } else {
        store_result<kOut<R, D, 0>, D>(out[0], r);
    }
}

// ---- the loop ----

inline constexpr int kRegisterBytes = 2 * 64;  // a complex register is two

// Fills a buffer of `width` elements with n elements from p, then copies of the first.
template <int Bytes>
HS_INLINE void gather_partial(char* buffer, const char* p, int n, int width) {
    copy_bytes(buffer, p, static_cast<unsigned long>(n) * Bytes);
    for (int i = n; i < width; ++i) copy_bytes(buffer + i * Bytes, p, Bytes);
}

HS_INLINE void gather_partial(int size, char* buffer, const char* p, int n, int width) {
    switch (size) {
        case 1:
            return gather_partial<1>(buffer, p, n, width);
        case 2:
            return gather_partial<2>(buffer, p, n, width);
        case 4:
            return gather_partial<4>(buffer, p, n, width);
        case 8:
            return gather_partial<8>(buffer, p, n, width);
        default:
            return gather_partial<16>(buffer, p, n, width);
    }
}

// Bytes of an element of each output and input, 0 where there is none, and elements of a register.
struct OperandSizes {
    std::uint8_t out[2], in[3], width;
};
template <class R, DType D>
inline constexpr OperandSizes kOperandSizes = {
    {kBytes<kOut<R, D, 0>>, R::kOutputs == 2 ? kBytes<kOut<R, D, 1>> : 0},
    {kBytes<kIn<R, D, 0>>, R::kInputs > 1 ? kBytes<kIn<R, D, 1>> : 0,
     R::kInputs > 2 ? kBytes<kIn<R, D, 2>> : 0},
    kWidth<D>};

// Runs a kernel on copies of n elements, fewer than a register has. Bit k of `scalars`: in[k] is a
// whole register already.
[[gnu::noinline]] inline void map_partial(MapFn kernel, OperandSizes sizes, char* const* out,
                                          const char* const* in, std::uint32_t scalars, int n) {
    alignas(64) char inputs[3][kRegisterBytes];
    alignas(64) char results[2][kRegisterBytes];
    char* ptr[5];
    int count = 0;
    for (int k = 0; k < 2 && sizes.out[k] != 0; ++k) ptr[count++] = results[k];
    for (int k = 0; k < 3 && sizes.in[k] != 0; ++k) {
        if ((scalars >> k) & 1u) {
            ptr[count++] = const_cast<char*>(in[k]);
        } else {
            gather_partial(sizes.in[k], inputs[k], in[k], n, sizes.width);
            ptr[count++] = inputs[k];
        }
    }
    kernel(ptr, 0, sizes.width);
    for (int k = 0; k < 2 && sizes.out[k] != 0; ++k) {
        copy_bytes(out[k], results[k], static_cast<unsigned long>(n) * sizes.out[k]);
    }
}

// Spreads a broadcast input over one register-sized buffer, which is then read in place like the
// other inputs: second and third forms of every loop would triple the code to save cheap L1 loads.
template <class R, DType D, int K>
HS_INLINE void spread(char* buffer, const char*& p, std::int64_t& step, std::uint32_t scalars) {
    if constexpr (K < R::kInputs) {
        constexpr int kSize = kBytes<kIn<R, D, K>>;
        step = kSize * kWidth<D>;
        if (scalars & (1u << K)) {
            gather_partial<kSize>(buffer, p, 1, kWidth<D>);
            p = buffer;
            step = 0;
        }
    }
}

template <class R, DType D>
void map_registers(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    constexpr int kStep = kWidth<D>;
    alignas(64) char spreads[3][kRegisterBytes];
    char* out[2] = {ptr[0], R::kOutputs == 2 ? ptr[1] : nullptr};
    const char* in[3] = {nullptr, nullptr, nullptr};
    std::int64_t step[3] = {0, 0, 0};
    for (int k = 0; k < R::kInputs; ++k) in[k] = ptr[R::kOutputs + k];
    spread<R, D, 0>(spreads[0], in[0], step[0], scalars);
    spread<R, D, 1>(spreads[1], in[1], step[1], scalars);
    spread<R, D, 2>(spreads[2], in[2], step[2], scalars);
    std::int64_t i = 0;
    for (; i + kStep <= n; i += kStep) {
        apply_register<R, D>(out, in);
        in[0] += step[0];
        in[1] += step[1];
        in[2] += step[2];
        out[0] += kStep * kBytes<kOut<R, D, 0>>;
        if constexpr (R::kOutputs == 2) out[1] += kStep * kBytes<kOut<R, D, 1>>;
    }
    if (i < n) {
        map_partial(&map_registers<R, D>, kOperandSizes<R, D>, out, in, scalars,
                    static_cast<int>(n - i));
    }
}

// ---- scalar rows ----

template <DType D>
HS_INLINE auto load_lane(const char* p) {
    if constexpr (D == DType::Bool) {
        return load_as<uint8_t>(p) != 0;
    } else if constexpr (D == DType::F16) {
        return lane::HalfLane{load_as<Half>(p)};
    } else {
        return load_as<Stored<D>>(p);
    }
}

template <DType D, class T>
HS_INLINE void store_lane(char* p, T x) {
    if constexpr (D == DType::F16) {
        if constexpr (kSame<T, lane::HalfLane>) {
            store_as<Half>(p, x.h);
        } else {
            store_as<Half>(p, float_to_half(x));
        }
    } else if constexpr (D == DType::Bool) {
        store_as<uint8_t>(p, static_cast<uint8_t>(x ? 1 : 0));
    } else {
        store_as<Stored<D>>(p, static_cast<Stored<D>>(x));
    }
}

template <class R, DType D, int K>
HS_INLINE auto lane_input(const char* p) {
    if constexpr (K < R::kInputs) {
        return load_lane<kIn<R, D, K>>(p);
    } else {
        return lane::None{};
    }
}

template <class R, DType D>
HS_INLINE void scalar_loop(char* const* ptr, const std::int64_t* step, std::int64_t n) {
    char* const out = ptr[0];
    const char* const a = ptr[R::kOutputs];
    const char* const b = R::kInputs > 1 ? ptr[R::kOutputs + 1] : nullptr;
    const char* const c = R::kInputs > 2 ? ptr[R::kOutputs + 2] : nullptr;
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i) {
        const auto r =
            R::apply(lane_input<R, D, 0>(a + i * step[0]), lane_input<R, D, 1>(b + i * step[1]),
                     lane_input<R, D, 2>(c + i * step[2]));
        if constexpr (R::kOutputs == 2) {
            store_lane<kOut<R, D, 0>>(out + i * kBytes<kOut<R, D, 0>>, r.first);
            store_lane<kOut<R, D, 1>>(ptr[1] + i * kBytes<kOut<R, D, 1>>, r.second);
        } else {
            store_lane<kOut<R, D, 0>>(out + i * kBytes<kOut<R, D, 0>>, r);
        }
    }
}

template <class R, DType D>
void map_scalars(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    constexpr std::int64_t kSteps[3] = {kBytes<kIn<R, D, 0>>, kBytes<kIn<R, D, 1>>,
                                        kBytes<kIn<R, D, 2>>};
    if (scalars == 0) {
        scalar_loop<R, D>(ptr, kSteps, n);
        return;
    }
    std::int64_t step[3];
    for (int k = 0; k < 3; ++k) step[k] = (scalars >> k) & 1u ? 0 : kSteps[k];
    scalar_loop<R, D>(ptr, step, n);
}

// Compare instructions of NEON, and below AVX, raise invalid for NaNs. Rows that raise nothing by
// the table restore the status, which costs about 30 ns a call at those levels.
template <class R, DType D>
inline constexpr bool kRestoresFlags = HS_SIMD_LEVEL < 3 && R::kRaises == 0 && R::kInputs > 1 &&
                                       is_inexact(D);

template <class R, DType D>
void map_kernel(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    if constexpr (kScalarRow<R, D>) {
        map_scalars<R, D>(ptr, scalars, n);
    } else if constexpr (kRestoresFlags<R, D>) {
        const auto status = save_status();
        map_registers<R, D>(ptr, scalars, n);
        restore_status(status);
    } else {
        map_registers<R, D>(ptr, scalars, n);
    }
}

}  // namespace hassium::HS_SIMD_NS
