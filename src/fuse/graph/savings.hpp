// What merging two blocks saves: a hash table of pairs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hassium {

// Saving of each pair of blocks. An entered pair stays, with saving 0 once its block is merged.
class Savings {
  public:
    explicit Savings(std::size_t expected) : slots_(std::bit_ceil(2 * expected + 16)) {}

    double& of(std::uint32_t a, std::uint32_t b, bool& is_new) {
        if (2 * used_ >= slots_.size()) grow();
        Slot& slot = slots_[place(key(a, b))];
        is_new = slot.key == kFree;
        if (is_new) {
            slot.key = key(a, b);
            ++used_;
        }
        return slot.saving;
    }
    double* find(std::uint32_t a, std::uint32_t b) {
        Slot& slot = slots_[place(key(a, b))];
        return slot.key == kFree ? nullptr : &slot.saving;
    }

  private:
    static constexpr std::uint64_t kFree = ~std::uint64_t{0};
    struct Slot {
        std::uint64_t key = kFree;
        double saving = 0;
    };
    static std::uint64_t key(std::uint32_t a, std::uint32_t b) {
        return a < b ? std::uint64_t{a} << 32 | b : std::uint64_t{b} << 32 | a;
    }
    std::size_t place(std::uint64_t key) const {
        std::size_t mask = slots_.size() - 1;
        std::uint64_t hash = key * 0x9e3779b97f4a7c15u;
        std::size_t at = (hash ^ (hash >> 32)) & mask;
        while (slots_[at].key != kFree && slots_[at].key != key) at = (at + 1) & mask;
        return at;
    }
    void grow() {
        std::vector<Slot> old(2 * slots_.size());
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.key != kFree) slots_[place(slot.key)] = slot;
        }
    }

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
};

}  // namespace hassium
