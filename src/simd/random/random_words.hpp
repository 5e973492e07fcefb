// The words of NumPy's PCG64 and the floats made of them, in batches.
#pragma once

#include "base/pcg64.hpp"
#include "simd/lane/registers.hpp"

namespace hassium::HS_SIMD_NS {

#if HS_SIMD_LEVEL == 4

// Eight states, low and high halves separate.
struct PcgLanes {
    __m512i low, high;

    // `plus` is the increment, and `times` the multiplier, of the same number of steps.
    HS_INLINE void step(__m512i times_low, __m512i times_high, __m512i plus_low,
                        __m512i plus_high) {
        const __m512i half = _mm512_set1_epi64(0xffffffff);
        const __m512i a1 = _mm512_srli_epi64(low, 32), b1 = _mm512_srli_epi64(times_low, 32);
        const __m512i p00 = _mm512_mul_epu32(low, times_low), p10 = _mm512_mul_epu32(a1, times_low),
                      p01 = _mm512_mul_epu32(low, b1), p11 = _mm512_mul_epu32(a1, b1);
        const __m512i middle = _mm512_add_epi64(p10, _mm512_srli_epi64(p00, 32));
        const __m512i crossed = _mm512_add_epi64(p01, _mm512_and_si512(middle, half));
        __m512i upper = _mm512_add_epi64(p11, _mm512_srli_epi64(middle, 32));
        upper = _mm512_add_epi64(upper, _mm512_srli_epi64(crossed, 32));
        upper = _mm512_add_epi64(upper, _mm512_mullo_epi64(high, times_low));
        upper = _mm512_add_epi64(upper, _mm512_mullo_epi64(low, times_high));
        upper = _mm512_add_epi64(upper, plus_high);
        const __m512i lower = _mm512_mullo_epi64(low, times_low);
        low = _mm512_add_epi64(lower, plus_low);
        const __mmask8 carry = _mm512_cmplt_epu64_mask(low, plus_low);
        high = _mm512_mask_sub_epi64(upper, carry, upper, _mm512_set1_epi64(-1));
    }

    HS_INLINE __m512i words() const {
        return _mm512_rorv_epi64(_mm512_xor_si512(low, high), _mm512_srli_epi64(high, 58));
    }
};

constexpr int kPcgRegisters = 2;  // a step depends on the one before: two registers alternate
constexpr int kPcgBatch = 8 * kPcgRegisters;

// Words in batches; all states advance by the same number of steps at once.
class PcgBatches {
  public:
    PcgBatches(Word128 state, PcgSteps each, PcgSteps batch) {
        times_low_ = _mm512_set1_epi64(static_cast<int64_t>(batch.times));
        times_high_ = _mm512_set1_epi64(static_cast<int64_t>(batch.times >> 64));
        plus_low_ = _mm512_set1_epi64(static_cast<int64_t>(batch.plus));
        plus_high_ = _mm512_set1_epi64(static_cast<int64_t>(batch.plus >> 64));
        alignas(64) uint64_t low[kPcgBatch], high[kPcgBatch];
        for (int k = 0; k < kPcgBatch; ++k) {
            low[k] = static_cast<uint64_t>(state);
            high[k] = static_cast<uint64_t>(state >> 64);
            state = state * each.times + each.plus;
        }
        for (int r = 0; r < kPcgRegisters; ++r) {
            lanes_[r] = {_mm512_load_si512(low + 8 * r), _mm512_load_si512(high + 8 * r)};
        }
    }

    HS_INLINE void next(__m512i* words) {
#pragma GCC unroll 8
        for (int r = 0; r < kPcgRegisters; ++r) {
            words[r] = lanes_[r].words();
            lanes_[r].step(times_low_, times_high_, plus_low_, plus_high_);
        }
    }

  private:
    PcgLanes lanes_[kPcgRegisters];
    __m512i times_low_, times_high_, plus_low_, plus_high_;
};

// Stores eight words as elements: the words themselves, floats of 53 bits, or two floats of 24 bits
// each, the low half of a word first.
template <DType D>
HS_INLINE void store_drawn(char* out, __m512i words) {
    if constexpr (D == DType::F64) {
        const __m512d whole = _mm512_cvtepu64_pd(_mm512_srli_epi64(words, 11));
        _mm512_storeu_pd(out, _mm512_mul_pd(whole, _mm512_set1_pd(0x1p-53)));
    } else if constexpr (D == DType::F32) {
        const __m512 whole = _mm512_cvtepi32_ps(_mm512_srli_epi32(words, 8));
        _mm512_storeu_ps(out, _mm512_mul_ps(whole, _mm512_set1_ps(0x1p-24f)));
    } else {
        _mm512_storeu_si512(out, words);
    }
}

template <DType D>
HS_INLINE void draw_batch(PcgBatches& batches, char* out) {
    __m512i words[kPcgRegisters];
    batches.next(words);
#pragma GCC unroll 8
    for (int r = 0; r < kPcgRegisters; ++r) store_drawn<D>(out + 64 * r, words[r]);
}

#else

constexpr int kPcgBatch = 4;  // a step depends on the one before: four states alternate

class PcgBatches {
  public:
    PcgBatches(Word128 state, PcgSteps each, PcgSteps batch) : batch_(batch) {
        for (Word128& s : states_) {
            s = state;
            state = state * each.times + each.plus;
        }
    }

    HS_INLINE void next(uint64_t* words) {
#pragma GCC unroll 8
        for (int k = 0; k < kPcgBatch; ++k) {
            words[k] = pcg_word(states_[k]);
            states_[k] = states_[k] * batch_.times + batch_.plus;
        }
    }

  private:
    Word128 states_[kPcgBatch];
    PcgSteps batch_;
};

// Stores a batch as the words themselves, floats of 53 bits, or two floats of 24 bits each, the low
// half of a word first.
template <DType D>
HS_INLINE void draw_batch(PcgBatches& batches, char* out) {
    uint64_t words[kPcgBatch];
    batches.next(words);
#pragma GCC unroll 8
    for (int k = 0; k < kPcgBatch; ++k) {
        if constexpr (D == DType::F64) {
            store_as(out + 8 * k,
                     static_cast<double>(static_cast<int64_t>(words[k] >> 11)) * 0x1p-53);
        } else if constexpr (D == DType::F32) {
            const auto low = static_cast<int32_t>((words[k] & 0xffffffff) >> 8);
            const auto high = static_cast<int32_t>(words[k] >> 40);
            store_as(out + 8 * k, static_cast<float>(low) * 0x1p-24f);
            store_as(out + 8 * k + 4, static_cast<float>(high) * 0x1p-24f);
        } else {
            store_as(out + 8 * k, words[k]);
        }
    }
}

#endif

// Returns batches of the words from `first` on, `stride` steps apart.
HS_INLINE PcgBatches words_from(const char* state, const char* increment, std::int64_t first,
                                std::int64_t stride) {
    const Word128 plus = load_as<Word128>(increment);
    const auto at = static_cast<uint64_t>(first) + 1;
    const Word128 begin = pcg_jump(load_as<Word128>(state), plus, at);
    PcgSteps each = {kPcgMultiplier, plus};
    if (stride != 1) each = pcg_steps(plus, static_cast<uint64_t>(stride));
    PcgSteps batch = each;
    for (int k = 1; k < kPcgBatch; k *= 2) batch = pcg_doubled(batch);
    return PcgBatches(begin, each, batch);
}

template <DType D>
HS_INLINE void draw_all(PcgBatches batches, char* out, std::int64_t skipped, std::int64_t n) {
    constexpr std::int64_t kSize = kBytes<D>, kCount = 8 * kPcgBatch / kSize;
    char part[8 * kPcgBatch];
    if (skipped > 0) {
        draw_batch<D>(batches, part);
        const std::int64_t most = kCount - skipped, taken = n < most ? n : most;
        __builtin_memcpy(out, part + skipped * kSize, static_cast<std::size_t>(taken * kSize));
        out += taken * kSize;
        n -= taken;
    }
    for (; n >= kCount; n -= kCount, out += kCount * kSize) draw_batch<D>(batches, out);
    if (n > 0) {
        draw_batch<D>(batches, part);
        __builtin_memcpy(out, part, static_cast<std::size_t>(n * kSize));
    }
}

// Writes one half of each word as every second float.
HS_INLINE void draw_halves(PcgBatches batches, char* out, int half, std::int64_t n) {
    char part[8 * kPcgBatch];
    for (std::int64_t done = 0; done < n; done += kPcgBatch) {
        draw_batch<DType::F32>(batches, part);
        for (std::int64_t k = 0; k < kPcgBatch && done + k < n; ++k) {
            store_as(out + 8 * (done + k), load_as<float>(part + 8 * k + 4 * half));
        }
    }
}

// A RangeFn of Op::Random.
template <DType D>
void random_kernel(char* out, const char* state, const char* increment, std::int64_t first,
                   std::int64_t stride, std::int64_t n) {
    if (n <= 0) return;
    if (stride < 0) {
        random_kernel<D>(out, state, increment, first + (n - 1) * stride, -stride, n);
        using T = Stored<D>;
        for (std::int64_t low = 0, high = n - 1; low < high; ++low, --high) {
            char *a = out + low * kBytes<D>, *b = out + high * kBytes<D>;
            const T x = load_as<T>(a), y = load_as<T>(b);
            store_as(a, y);
            store_as(b, x);
        }
        return;
    }
    if constexpr (D == DType::F32) {
        if (stride != 1) {
            for (std::int64_t k = 0; k < 2; ++k) {
                const std::int64_t at = first + k * stride;
                draw_halves(words_from(state, increment, at / 2, stride), out + 4 * k,
                            static_cast<int>(at % 2), (n + 1 - k) / 2);
            }
            return;
        }
        draw_all<D>(words_from(state, increment, first / 2, 1), out, first % 2, n);
    } else {
        draw_all<D>(words_from(state, increment, first, stride), out, 0, n);
    }
}

}  // namespace hassium::HS_SIMD_NS
