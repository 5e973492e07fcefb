// Sets of small numbers as bits, and square matrices of them, for the searching partitioners.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hassium {

using Word = std::uint64_t;
using BitRow = std::vector<Word>;

inline std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }
inline bool has_bit(const Word* row, std::size_t k) { return (row[k >> 6] >> (k & 63)) & 1; }
inline void set_bit(Word* row, std::size_t k) { row[k >> 6] |= Word{1} << (k & 63); }
inline void drop_bit(Word* row, std::size_t k) { row[k >> 6] &= ~(Word{1} << (k & 63)); }

inline void add_bits(Word* into, const Word* from, std::size_t words) {
    for (std::size_t w = 0; w < words; ++w) into[w] |= from[w];
}
inline bool is_subset(const Word* few, const Word* many, std::size_t words) {
    for (std::size_t w = 0; w < words; ++w) {
        if (few[w] & ~many[w]) return false;
    }
    return true;
}
inline bool meets(const Word* a, const Word* b, std::size_t words) {
    for (std::size_t w = 0; w < words; ++w) {
        if (a[w] & b[w]) return true;
    }
    return false;
}
inline std::size_t count_bits(const Word* row, std::size_t words) {
    std::size_t count = 0;
    for (std::size_t w = 0; w < words; ++w)
        count += static_cast<std::size_t>(std::popcount(row[w]));
    return count;
}

// Calls visit(k) for every member, ascending. `word(w)` is called for the w-th word when it is
// reached.
template <class WordAt, class Visit>
void each_bit_of(std::size_t words, WordAt word, Visit visit) {
    for (std::size_t w = 0; w < words; ++w) {
        for (Word rest = word(w); rest != 0; rest &= rest - 1) {
            visit(static_cast<std::uint32_t>(w * 64) +
                  static_cast<std::uint32_t>(std::countr_zero(rest)));
        }
    }
}
template <class Visit>
void each_bit(const Word* row, std::size_t words, Visit visit) {
    each_bit_of(words, [&](std::size_t w) { return row[w]; }, visit);
}

class BitMatrix {
  public:
    BitMatrix() = default;
    explicit BitMatrix(std::size_t size) : words_(words_for(size)), bits_(size * words_) {}

    std::size_t words() const { return words_; }
    Word* operator[](std::size_t row) { return bits_.data() + row * words_; }
    const Word* operator[](std::size_t row) const { return bits_.data() + row * words_; }
    bool has(std::size_t row, std::size_t column) const { return has_bit((*this)[row], column); }

  private:
    std::size_t words_ = 0;
    std::vector<Word> bits_;
};

}  // namespace hassium
