// Most operands of a program have the shape of the operand before, which is one comparison: the
// price of a symbol is paid for new shapes only.
#include "program/symbolic.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "program/word_hash.hpp"

namespace hassium {
namespace {

// Numbers values from 2 on, by first appearance; 0 and 1 stand for themselves.
class Symbols {
  public:
    std::uint64_t of(std::int64_t value) {
        if (value == 0 || value == 1) return static_cast<std::uint64_t>(value);
        if (2 * used_ >= slots_.size()) grow();
        Slot& slot = find(value);
        if (slot.symbol == 0) slot = {value, ++used_ + 1};
        return slot.symbol;
    }

  private:
    struct Slot {
        std::int64_t value = 0;
        std::uint64_t symbol = 0;  // 0: free
    };
    Slot& find(std::int64_t value) {
        std::uint64_t hash = static_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15ull;
        std::size_t mask = slots_.size() - 1;
        std::size_t at = (hash >> 32) & mask;
        while (slots_[at].symbol != 0 && slots_[at].value != value) at = (at + 1) & mask;
        return slots_[at];
    }
    void grow() {
        std::vector<Slot> old(std::max<std::size_t>(16, 4 * slots_.size()));
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.symbol != 0) find(slot.value) = slot;
        }
    }
    std::vector<Slot> slots_;
    std::uint64_t used_ = 0;
};

std::uint64_t stride_class(std::int64_t stride, std::int64_t item) {
    if (stride == 0) return 0;
    if (stride == item) return 1;
    return stride < 0 ? 2 : 3;
}

constexpr std::uint64_t kSameShape = std::uint64_t{1} << 48;
constexpr std::size_t kInHead = 7;  // axes whose stride class stands in the operand's head
constexpr std::size_t kInWord = 32;

class KeyMaker {
  public:
    KeyMaker(const Program& p, std::vector<std::uint64_t>& words) : program_(p), words_(words) {}

    void make() {
        words_.clear();
        words_.reserve(8 * program_.instructions.size() + program_.bases.size());
        for (const Instruction& i : program_.instructions) {
            std::uint64_t head;
            std::memcpy(&head, &i, sizeof head);  // all but the place of the operands and the axes
            static_assert(offsetof(Instruction, operands) == sizeof head);
            words_.push_back(head);
            words_.push_back(i.axes);
            for (const Operand& o : program_.operands_of(i)) add(o);
        }
        for (const BaseInfo& base : program_.bases) {
            words_.push_back(static_cast<std::uint64_t>(base.dtype) |
                             std::uint64_t{base.input} << 8 | std::uint64_t{base.dies} << 16);
        }
    }

  private:
    void add(const Operand& o) {
        std::uint64_t head = std::uint64_t{o.base} | static_cast<std::uint64_t>(o.dtype) << 32 |
                             std::uint64_t{o.ndim} << 40;
        if (o.is_constant()) return words_.push_back(head);
        auto shape = program_.shape(o), strides = program_.strides(o);
        bool same =
            shape.size() == last_.size() && std::equal(shape.begin(), shape.end(), last_.begin());
        std::int64_t item = itemsize(o.dtype);
        std::size_t near = std::min(strides.size(), kInHead);
        for (std::size_t k = 0; k < near; ++k) {
            head |= stride_class(strides[k], item) << (50 + 2 * k);
        }
        words_.push_back(same ? head | kSameShape : head);
        for (std::size_t k = near; k < strides.size(); k += kInWord) {
            std::uint64_t word = 0;
            for (std::size_t j = k; j < std::min(strides.size(), k + kInWord); ++j) {
                word |= stride_class(strides[j], item) << (2 * (j - k));
            }
            words_.push_back(word);
        }
        if (same) return;
        for (std::int64_t extent : shape) words_.push_back(symbols_.of(extent));
        last_ = shape;
    }

    const Program& program_;
    std::vector<std::uint64_t>& words_;
    Symbols symbols_;
    std::span<const std::int64_t> last_;
};

}  // namespace

void symbolic_key(const Program& recorded, SymbolicKey& key) {
    KeyMaker(recorded, key.words).make();
    WordHash hash(recorded.instructions.size());
    hash.add(key.words.data(), key.words.size());
    key.hash = hash.value();
}

}  // namespace hassium
