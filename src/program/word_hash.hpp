// Hash and comparison of the merge cache's keys, word by word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace hassium {

// A sum of words times odd factors: the multiplications are independent, so a word costs one cycle.
// Collisions cost a comparison, never an error.
class WordHash {
  public:
    explicit WordHash(std::uint64_t seed) : hash_(seed) {}
    void add(const void* words, std::size_t count) {
        const char* at = static_cast<const char*>(words);
        while (count > 0) {
            std::size_t n = std::min(count, std::size(kFactors));
            std::uint64_t sum = hash_;
            for (std::size_t k = 0; k < n; ++k, at += 8) {
                std::uint64_t word;
                std::memcpy(&word, at, 8);
                sum += (word ^ (word >> 32)) * kFactors[k];
            }
            hash_ = mix(sum, n);
            count -= n;
        }
    }
    void add(std::uint64_t word) { hash_ = mix(hash_, word); }
    std::uint64_t value() const { return hash_; }

    static std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
        return hash ^ (hash >> 29);
    }

  private:
    static constexpr std::uint64_t kFactors[] = {
        0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93,
        0xa0761d6478bd642f, 0xe7037ed1a0b428db, 0x8ebc6af09c88c6e3, 0x589965cc75374cc3,
        0x1d8e4e27c47d124f, 0xeb44accab455d165, 0x9c6e6877736c46e3, 0xc2b2ae3d27d4eb4f,
        0x165667b19e3779f9, 0x27d4eb2f165667c5, 0x85ebca77c2b2ae63, 0xff51afd7ed558ccd};
    std::uint64_t hash_;
};

// Compares without a branch per word: most keys are equal.
inline bool same_words(const void* a, const void* b, std::size_t count) {
    const char *one = static_cast<const char*>(a), *other = static_cast<const char*>(b);
    std::uint64_t different = 0;
    for (std::size_t k = 0; k < count; ++k, one += 8, other += 8) {
        std::uint64_t x, y;
        std::memcpy(&x, one, 8);
        std::memcpy(&y, other, 8);
        different |= x ^ y;
    }
    return different == 0;
}

}  // namespace hassium
