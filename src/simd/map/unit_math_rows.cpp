// Map and fold kernels of the long mathematical rows; float16 goes through the float32 kernels.
// HS_DTYPES: F32 F64
// HS_OPTIONS: -mtune-ctrl=^inter_unit_moves_to_vec -fschedule-insns -fsched-pressure
// The first makes integer constants memory operands of the instructions that use them: g++
// otherwise moves them from general registers for every element. The others interleave independent
// operations.
#include "simd/reduce/fold_loop.hpp"
#include "simd/tables/kernels.hpp"
#include "simd/tables/tables.hpp"

namespace hassium::HS_SIMD_NS {

// ---- two registers at a time ----
//
// A function is one chain of some fifty dependent operations, and the processor's window holds few
// such chains. Two side by side take 8 to 15 % less time than one after the other.

template <class R, DType D>
inline constexpr bool kMathPairs = R::kInputs <= 2 && R::kOutputs == 1;

template <class R, DType D, int K>
HS_INLINE auto two_registers(const char* p, std::int64_t step) {
    if constexpr (K < R::kInputs) {
        return math::Together<Register<D>, 2>{{load_register<D>(p), load_register<D>(p + step)}};
    } else {
        return lane::None{};
    }
}

template <class R, DType D>
[[gnu::noinline]] void map_alone(char* out, const char* a, const char* b) {
    char* const to[] = {out};
    const char* const from[] = {a, b, nullptr};
    apply_register<R, D>(to, from);
}

// Computes the whole pairs of registers among n elements; returns the number of elements in them.
// Steps are the bytes between registers of an operand, 0 where it is broadcast.
template <class R, DType D>
std::int64_t map_pairs(char* out, const char* a, std::int64_t a_step, const char* b,
                       std::int64_t b_step, std::int64_t n) {
    constexpr std::int64_t kSize = sizeof(Register<D>);
    std::int64_t i = 0;
    for (; i + 2 * kWidth<D> <= n; i += 2 * kWidth<D>) {
        const auto r = R::apply(two_registers<R, D, 0>(a, a_step),
                                two_registers<R, D, 1>(b, b_step), lane::None{});
        if (r.special) [[unlikely]] {
            map_alone<R, D>(out, a, b);
            map_alone<R, D>(out + kSize, a + a_step, b + b_step);
        } else {
            store_register<D>(out, r.x[0]);
            store_register<D>(out + kSize, r.x[1]);
        }
        a += 2 * a_step;
        b += 2 * b_step;
        out += 2 * kSize;
    }
    return i;
}

template <class R, DType D>
void map_math(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    std::int64_t done = 0;
    char* rest[3] = {ptr[0], ptr[1], R::kInputs > 1 ? ptr[2] : nullptr};
    if constexpr (kMathPairs<R, D>) {
        alignas(64) char spreads[2][kRegisterBytes];
        const char* in[2] = {rest[1], rest[2]};
        std::int64_t step[2] = {0, 0};
        spread<R, D, 0>(spreads[0], in[0], step[0], scalars);
        spread<R, D, 1>(spreads[1], in[1], step[1], scalars);
        done = map_pairs<R, D>(rest[0], in[0], step[0], in[1], step[1], n);
        if (done == n) return;
        rest[0] += done * kBytes<D>;
        for (int k = 0; k < R::kInputs; ++k) {
            if (!((scalars >> k) & 1u)) rest[1 + k] += done * kBytes<D>;
        }
    }
    map_registers<R, D>(rest, scalars, n - done);
}

// ---- float16 ----

// Elements that are widened at a time.
inline constexpr std::int64_t kHalfBlock = 256;

template <class R>
void map_half(char* const* ptr, std::uint32_t scalars, std::int64_t n) {
    static_assert(R::kOutputs == 1 && R::kInputs <= 2);
    alignas(64) char result[4 * kHalfBlock];
    alignas(64) char inputs[2][4 * kHalfBlock];
    for (int k = 0; k < R::kInputs; ++k) {
        if ((scalars >> k) & 1u) widen_halves(inputs[k], ptr[1 + k], 1);
    }
    char* block[3] = {result, inputs[0], inputs[1]};
    for (std::int64_t i = 0; i < n; i += kHalfBlock) {
        const std::int64_t count = n - i < kHalfBlock ? n - i : kHalfBlock;
        for (int k = 0; k < R::kInputs; ++k) {
            if (!((scalars >> k) & 1u)) widen_halves(inputs[k], ptr[1 + k] + 2 * i, count);
        }
        map_math<R, DType::F32>(block, scalars, count);
        narrow_halves(ptr[0] + 2 * i, result, count);
    }
}

// ---- tables ----

template <class R, DType D>
HS_INLINE void fill_math_row(KernelTable& table) {
    constexpr int kRow = static_cast<int>(R::kOp);
    if constexpr (kHasMap<R, D> && kMathUnit<R, D>) {
        table.map[kRow][static_cast<int>(D)] = &map_math<R, D>;
        fill_folds<R, D>(table);
        if constexpr (D == DType::F32 && kHasMap<R, DType::F16>) {
            table.map[kRow][static_cast<int>(DType::F16)] = &map_half<R>;
            fill_folds<R, DType::F16>(table);
        }
    }
}

template <DType D>
void fill_math(KernelTable& table) {
#define HS_OP(id, ...) fill_math_row<row::id, D>(table);
#include "ops/ops.def"
#undef HS_OP
}
template void fill_math<DType::HS_UNIT_DTYPE>(KernelTable& table);

}  // namespace hassium::HS_SIMD_NS
