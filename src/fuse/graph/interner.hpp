// Assigns equal numbers to equal keys: an open-addressed table of indices, sized once.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace hassium {

class Interner {
  public:
    // `most`: most distinct keys.
    explicit Interner(std::size_t most) : table_(std::bit_ceil(2 * most + 2), kEmpty) {}

    // Returns the index for which equal(index) holds, else the result of add().
    template <class Equal, class Add>
    std::uint32_t intern(std::uint64_t hash, Equal equal, Add add) {
        std::size_t mask = table_.size() - 1;
        for (std::size_t at = (hash ^ (hash >> 32)) & mask;; at = (at + 1) & mask) {
            if (table_[at] == kEmpty) return table_[at] = add();
            if (equal(table_[at])) return table_[at];
        }
    }

    static std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        return hash ^ (hash >> 31);
    }
    static std::uint64_t mix(std::uint64_t hash, std::span<const std::int64_t> words) {
        for (std::int64_t word : words) hash = mix(hash, static_cast<std::uint64_t>(word));
        return hash;
    }

  private:
    static constexpr std::uint32_t kEmpty = 0xffffffffu;
    std::vector<std::uint32_t> table_;
};

// Lists of lists in two arrays: list k is items[begin[k]] .. items[begin[k + 1] - 1].
struct Lists {
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> items;

    std::span<const std::uint32_t> operator[](std::size_t k) const {
        return {items.data() + begin[k], begin[k + 1] - begin[k]};
    }
};

}  // namespace hassium
