// The words of a PCG64, or equal parts of them (units), lower parts first, from any position on.
// Internal to exec.
#pragma once

#include <cstring>

#include "exec/random/sampling.hpp"

namespace hassium {

// Writes n words of the stream to `out`, from word `first` on.
void pcg_words(std::uint64_t* out, const PcgStream& stream, std::int64_t first, std::int64_t n);

template <class Unit>
class PcgUnits {
  public:
    static constexpr std::int64_t kEach = 8 / sizeof(Unit);  // units per word

    PcgUnits(const PcgStream& stream, std::int64_t first) : stream_(stream), ahead_(first) {}

    // Returns the units of the half word that the stream has kept; whole words are not drawn from
    // it.
    static std::int64_t left(const PcgStream& stream) { return stream.has_half ? kEach / 2 : 0; }

    // Returns the units in memory that were not taken; `count` is at least one.
    const Unit* some(std::int64_t& count) {
        if (at_ == stop_) fetch();
        count = stop_ - at_;
        return at_;
    }
    void take(std::int64_t count) { at_ += count; }
    [[gnu::always_inline]] Unit next() {
        if (at_ == stop_) fetch();
        return *at_++;
    }
    // Returns the number of the next unit.
    std::int64_t position() const { return ahead_ - (stop_ - at_); }

    // Advances a stream past this number of units.
    static void skip(PcgStream& stream, std::int64_t units);

  private:
    static constexpr std::int64_t kWords = 1024;

    [[gnu::noinline]] void fetch();

    const PcgStream& stream_;
    alignas(64) std::uint64_t words_[kWords];
    const Unit* at_ = reinterpret_cast<const Unit*>(words_);
    const Unit* stop_ = at_;
    std::int64_t ahead_;  // the number of the unit at stop_
};

template <class Unit>
void PcgUnits<Unit>::fetch() {
    const Unit* const units = reinterpret_cast<const Unit*>(words_);
    const std::int64_t behind = ahead_ - left(stream_);
    if (behind < 0) {
        std::memcpy(words_, &stream_.half, sizeof stream_.half);
        at_ = units + ahead_;
        ahead_ -= behind;
        stop_ = at_ - behind;
        return;
    }
    const std::int64_t word = behind / kEach;
    pcg_words(words_, stream_, word, kWords);
    at_ = units + behind % kEach;
    stop_ = units + kWords * kEach;
    ahead_ += stop_ - at_;
}

template <class Unit>
void PcgUnits<Unit>::skip(PcgStream& stream, std::int64_t units) {
    std::int64_t words = units;
    if constexpr (kEach > 1) {
        std::int64_t halves = (units + kEach / 2 - 1) / (kEach / 2);
        if (halves > 0 && stream.has_half) {
            stream.has_half = false;
            --halves;
        }
        words = (halves + 1) / 2;
        stream.has_half |= halves % 2 != 0;
    }
    const auto count = static_cast<std::uint64_t>(words);
    stream.state = pcg_jump(stream.state, stream.increment, count);
    if (kEach > 1 && words > 0) {
        stream.half = static_cast<std::uint32_t>(pcg_word(stream.state) >> 32);
    }
}

}  // namespace hassium
