// Interleaves lanes past the caches: lane l of k gives elements l, l + k, l + 2k, ..
#pragma once

#include <utility>

#include "simd/lane/registers.hpp"

namespace hassium::HS_SIMD_NS {

inline constexpr int kStreamed = 64;  // bytes of a line
inline constexpr int kMostInterleaved = 8;

// The dense arrays that are interleaved, `pitch` bytes apart.
struct DenseLanes {
    const char* first;
    std::int64_t pitch;
    int count;
};

// Writes elements `from` to `to` of the interleaved ones, the first of them at `out`.
template <int Bytes>
HS_INLINE void interleave_some(char* out, DenseLanes lanes, std::int64_t from, std::int64_t to) {
    const char* in = lanes.first + from / lanes.count * Bytes;
    int lane = static_cast<int>(from % lanes.count);
    for (std::int64_t e = from; e < to; ++e, out += Bytes) {
        copy_bytes(out, in + lane * lanes.pitch, Bytes);
        if (++lane == lanes.count) {
            lane = 0;
            in += Bytes;
        }
    }
}

// A register of words: elements, or the halves of elements of 16 bytes.
template <int Bytes>
struct Words {
    static constexpr int kBytes = Vec<uint8_t>::size;
    using Word =
        std::conditional_t<Bytes == 1, uint8_t,
                           std::conditional_t<Bytes == 2, uint16_t,
                                              std::conditional_t<Bytes == 4, uint32_t, uint64_t>>>;
    static constexpr int kCount = kBytes / static_cast<int>(sizeof(Word));
    static constexpr int kPerElement = Bytes / static_cast<int>(sizeof(Word));
    using Indices = std::make_integer_sequence<int, kCount>;
    typedef Word Register __attribute__((vector_size(kBytes)));
};

// Of K lanes, one register of each gives K registers. Register J has words of several lanes.
template <int Bytes, int K>
struct InterleavedRegisters {
    using W = Words<Bytes>;
    using Register = W::Register;

    // Returns the lane of a word, and the word's index in the register of the lane.
    static constexpr int lane_of(int j, int word) {
        return (j * W::kCount + word) / W::kPerElement % K;
    }
    static constexpr int index_of(int j, int word) {
        const int at = j * W::kCount + word;
        return at / W::kPerElement / K * W::kPerElement + at % W::kPerElement;
    }

    // Takes the words of a lane into register J, which has those of the lanes before. Where this is
    // the second lane, the first comes as it was loaded.
    template <int J, int Lane, int... At>
    HS_INLINE static Register take(Register before, Register from,
                                   std::integer_sequence<int, At...>) {
        return __builtin_shufflevector(before, from,
                                       (lane_of(J, At) == Lane ? W::kCount + index_of(J, At)
                                        : Lane == 1            ? index_of(J, At)
                                                               : At)...);
    }
    template <int J, int Lane = 1>
    HS_INLINE static Register take_all(Register before, const Register* from) {
        const Register taken = take<J, Lane>(before, from[Lane], typename W::Indices{});
        if constexpr (Lane + 1 < K) return take_all<J, Lane + 1>(taken, from);
        return taken;
    }
    template <int... J>
    HS_INLINE static void stream(char* out, const Register* from,
                                 std::integer_sequence<int, J...>) {
        (stream_one(out + J * W::kBytes, take_all<J>(from[0], from)), ...);
    }
    HS_INLINE static void stream_one(char* out, Register x) {
        Vec<uint8_t> bytes;
        __builtin_memcpy(&bytes.data, &x, sizeof x);
        stream_register(out, bytes);
    }
    // Interleaves `count` registers of each lane.
    static void run(char* out, const char* const* lanes, std::int64_t count) {
        for (std::int64_t k = 0; k < count; ++k, out += K * W::kBytes) {
            Register from[K];
            for (int lane = 0; lane < K; ++lane) {
                __builtin_memcpy(&from[lane], lanes[lane] + k * W::kBytes, W::kBytes);
            }
            stream(out, from, std::make_integer_sequence<int, K>{});
        }
    }
};

// Interleaves `registers` registers of each of `count` lanes.
template <int Bytes, int... K>
HS_INLINE void interleave_registers(char* out, const char* const* lanes, int count,
                                    std::int64_t registers, std::integer_sequence<int, K...>) {
    static constexpr decltype(&InterleavedRegisters<Bytes, 2>::run) kRuns[] = {
        &InterleavedRegisters<Bytes, K + 2>::run...};
    kRuns[count - 2](out, lanes, registers);
}

// Interleaves `n` elements of each of `count` lanes; `count` is 2 to kMostInterleaved.
template <int Bytes>
void interleave_kernel(char* out, const char* first, std::int64_t pitch, int count,
                       std::int64_t n) {
    const DenseLanes lanes{first, pitch, count};
    const std::int64_t all = n * count;
    const auto past = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(out) % kStreamed);
    std::int64_t head = (kStreamed - past) % kStreamed / Bytes;
    if (past % Bytes != 0 || head > all) head = all;
    interleave_some<Bytes>(out, lanes, 0, head);
    // Behind the head, the lanes begin with another one, and some with their next element.
    const char* begins[kMostInterleaved];
    for (int k = 0; k < count; ++k) {
        begins[k] = first + (head + k) % count * pitch + (head + k) / count * Bytes;
    }
    const std::int64_t registers = (all - head) * Bytes / (count * Words<Bytes>::kBytes);
    interleave_registers<Bytes>(out + head * Bytes, begins, count, registers,
                                std::make_integer_sequence<int, kMostInterleaved - 1>{});
    const std::int64_t done = head + registers * count * Words<Bytes>::kBytes / Bytes;
    interleave_some<Bytes>(out + done * Bytes, lanes, done, all);
}

}  // namespace hassium::HS_SIMD_NS
