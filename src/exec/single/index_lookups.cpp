#include "exec/single/index_lookups.hpp"

namespace hassium {
namespace {

// The last two pieces overlap, which is harmless, as source and destination do not.
template <std::size_t N>
void copy_pieces(char* to, const char* from, std::int64_t bytes) {
    constexpr auto kPiece = static_cast<std::int64_t>(N);
    for (std::int64_t b = 0; b + kPiece < bytes; b += kPiece) copy_fixed<N>(to + b, from + b);
    copy_fixed<N>(to + bytes - kPiece, from + bytes - kPiece);
}

// A gather mostly waits for memory: with steps known at compile time the loop is short enough for
// the processor to have dozens of loads in flight. `line` is a copy: stores through char pointers
// may alias a reference to it, whose members would be loaded again for each position. kBytes 0:
// `line.bytes`.
template <std::size_t kBytes, bool kGathers, bool kPacked, bool kFar = false>
void move_runs(const IndexedLine line) {
    constexpr std::int64_t kSize{kBytes};
    const std::int64_t index_step = kPacked ? std::int64_t{sizeof(std::int64_t)} : line.index_step;
    const std::int64_t part_step = kPacked ? kSize : line.part_step;
    const std::int64_t whole_step = kPacked ? kSize : line.whole_step;
    auto whole_at = [&](std::int64_t k) {
        std::int64_t position;
        std::memcpy(&position, line.index + k * index_step, sizeof(position));
        return line.whole + position * whole_step;
    };
    for (std::int64_t k = 0; k < line.n; ++k) {
        if (kFar && k + kScatterAhead < line.n) {
            __builtin_prefetch(whole_at(k + kScatterAhead), 1);
        }
        char* const whole = whole_at(k);
        char* const part = line.part + k * part_step;
        char* const to = kGathers ? part : whole;
        const char* const from = kGathers ? whole : part;
        if constexpr (kBytes > 0) {
            copy_fixed<kBytes>(to, from);
        } else {
            copy_run(to, from, line.bytes);
        }
    }
}

}  // namespace

void copy_run(char* to, const char* from, std::int64_t bytes) {
    constexpr std::int64_t kCall = 64;
    if (bytes > kCall) {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
    } else if (bytes >= 16) {
        copy_pieces<16>(to, from, bytes);
    } else if (bytes >= 8) {
        copy_pieces<8>(to, from, bytes);
    } else if (bytes >= 4) {
        copy_pieces<4>(to, from, bytes);
    } else {
        copy_pieces<1>(to, from, bytes);
    }
}

void gather_line(const IndexedLine& line) {
    const bool packed =
        line.index_step == 8 && line.part_step == line.bytes && line.whole_step == line.bytes;
    with_length(line.bytes, [&](auto length) {
        if (length > 0 && packed) return move_runs<length, true, true>(line);
        move_runs<length, true, false>(line);
    });
}

void scatter_line(const IndexedLine& line) {
    with_length(line.bytes, [&](auto length) {
        if (line.far) return move_runs<length, false, false, true>(line);
        move_runs<length, false, false>(line);
    });
}

}  // namespace hassium
