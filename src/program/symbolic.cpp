// Most operands of a program have the shape of the operand before, which is one comparison; only
// new shapes need symbols.
#include "program/symbolic.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "program/word_hash.hpp"

namespace hassium {
namespace {

// Numbers values from 2 on, by first appearance; 0 and 1 stand for themselves. The table is reused
// for every program: a slot is valid if it has the current stamp.
class Symbols {
  public:
    void begin() {
        ++stamp_;
        used_ = 0;
    }
    std::uint64_t of(std::int64_t value) {
        if (value == 0 || value == 1) return static_cast<std::uint64_t>(value);
        if (2 * used_ >= slots_.size()) grow();
        Slot& slot = find(value);
        if (slot.stamp != stamp_) slot = {value, ++used_ + 1, stamp_};
        return slot.symbol;
    }

  private:
    struct Slot {
        std::int64_t value = 0;
        std::uint64_t symbol = 0, stamp = 0;
    };
    Slot& find(std::int64_t value) {
        std::uint64_t hash = static_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15ull;
        std::size_t mask = slots_.size() - 1;
        std::size_t at = (hash >> 32) & mask;
        while (slots_[at].stamp == stamp_ && slots_[at].value != value) at = (at + 1) & mask;
        return slots_[at];
    }
    void grow() {
        std::vector<Slot> old(std::max<std::size_t>(64, 4 * slots_.size()));
        old.swap(slots_);
        for (const Slot& slot : old) {
            if (slot.stamp == stamp_) find(slot.value) = slot;
        }
    }
    std::vector<Slot> slots_;
    std::uint64_t used_ = 0, stamp_ = 0;
};

// Branch-free: strides are unpredictable.
std::uint64_t stride_class(std::int64_t stride, std::int64_t item) {
    std::uint64_t other = stride < 0 ? 2 : 3;
    std::uint64_t moving = stride == item ? 1 : other;
    return stride == 0 ? 0 : moving;
}

constexpr std::uint64_t kSameShape = std::uint64_t{1} << 48;
constexpr std::size_t kInHead = 7;  // axes whose stride class is stored in the operand's head
constexpr std::size_t kInWord = 32;

class KeyMaker {
  public:
    KeyMaker(const Program& p, Symbols& symbols)
        : program_(p), geometry_(p.geometry.data()), symbols_(symbols) {}

    void make(SymbolicKey::Words& words) {
        // Upper bound: two words per instruction, one per base, one per operand; one per axis for
        // its symbol, and less than one for its stride.
        words.resize(2 * program_.instructions.size() + program_.bases.size() +
                     program_.operands.size() + program_.geometry.size());
        std::uint64_t* to = words.data();
        for (const Instruction& i : program_.instructions) {
            // The first word: all but the index of the operands and the axes.
            static_assert(offsetof(Instruction, operands) == sizeof *to);
            std::memcpy(to, &i, sizeof *to);
            to[1] = i.axes;
            to += 2;
            for (const Operand& o : program_.operands_of(i)) to = add(o, to);
        }
        for (const BaseInfo& base : program_.bases) {
            *to++ = static_cast<std::uint64_t>(base.dtype) | std::uint64_t{base.input} << 8 |
                    std::uint64_t{base.dies} << 16;
        }
        words.resize(static_cast<std::size_t>(to - words.data()));
    }

  private:
    std::uint64_t* add(const Operand& o, std::uint64_t* to) {
        std::uint64_t head = std::uint64_t{o.base} | static_cast<std::uint64_t>(o.dtype) << 32 |
                             std::uint64_t{o.ndim} << 40;
        switch (o.ndim) {  // loops of constant trip count for few axes
            case 0:        // constants too
                *to = head;
                return to + 1;
            case 1:
                return add(o, head, std::integral_constant<std::size_t, 1>(), to);
            case 2:
                return add(o, head, std::integral_constant<std::size_t, 2>(), to);
            case 3:
                return add(o, head, std::integral_constant<std::size_t, 3>(), to);
            default:
                return add(o, head, std::size_t{o.ndim}, to);
        }
    }
    template <class Ndim>
    std::uint64_t* add(const Operand& o, std::uint64_t head, Ndim ndim, std::uint64_t* to) {
        const std::int64_t* shape = geometry_ + o.geometry;
        const std::int64_t* strides = shape + ndim;
        const std::int64_t item = itemsize(o.dtype);
        const std::size_t near = std::min<std::size_t>(ndim, kInHead);
        bool same = last_ndim_ == ndim;
        for (std::size_t k = 0; same && k < ndim; ++k) same = shape[k] == last_shape_[k];
        for (std::size_t k = 0; k < near; ++k) {
            head |= stride_class(strides[k], item) << (50 + 2 * k);
        }
        *to++ = same ? head | kSameShape : head;
        for (std::size_t k = near; k < ndim; k += kInWord) {
            std::uint64_t word = 0;
            for (std::size_t j = k; j < std::min<std::size_t>(ndim, k + kInWord); ++j) {
                word |= stride_class(strides[j], item) << (2 * (j - k));
            }
            *to++ = word;
        }
        if (same) return to;
        for (std::size_t k = 0; k < ndim; ++k) *to++ = symbols_.of(shape[k]);
        last_shape_ = shape;
        last_ndim_ = ndim;
        return to;
    }

    const Program& program_;
    const std::int64_t* const geometry_;
    Symbols& symbols_;
    const std::int64_t* last_shape_ = nullptr;  // of the last operand with axes
    std::size_t last_ndim_ = 0;
};

}  // namespace

void symbolic_key(const Program& recorded, SymbolicKey& key) {
    thread_local Symbols symbols;
    symbols.begin();
    KeyMaker(recorded, symbols).make(key.words);
    WordHash hash(recorded.instructions.size());
    hash.add(key.words.data(), key.words.size());
    key.hash = hash.value();
}

}  // namespace hassium
