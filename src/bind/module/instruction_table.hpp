// A hash table keyed by bytecode instructions of Python, looked up for every recorded operation.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bind/module/python_frames.hpp"
#include "bind/module/ref.hpp"

namespace hassium {

// Maps instructions to values by open addressing. Owns their code objects, so that addresses are
// not reused. Drops everything when it is full, as a program may compile new code without end.
// Instructions that follow each other have neighbouring slots: the operations of a function share
// cache lines. Guarded by the GIL.
template <class Value>
class InstructionTable {
  public:
    // Returns null if the instruction is unknown. Valid until the next insert.
    const Value* find(InstructionPlace place) const {
        const Slot& slot = slots_[slot_of(place)];
        return slot.address ? &slot.value : nullptr;
    }
    // Keeps the value that is there, if any.
    void insert(InstructionPlace place, Value value) {
        if (count_ == kMost) clear();
        Slot& slot = slots_[slot_of(place)];
        if (slot.address) return;
        slot = {address_of(place), value};
        auto* code = reinterpret_cast<PyObject*>(place.code);
        owned_.try_emplace(code, borrow(code));
        ++count_;
    }

  private:
    static constexpr std::size_t kLog2Slots = 13, kSlots = 1 << kLog2Slots, kMost = kSlots / 2;
    struct Slot {
        std::uintptr_t address = 0;
        Value value{};
    };
    std::vector<Slot> slots_ = std::vector<Slot>(kSlots);
    std::unordered_map<PyObject*, Ref> owned_;
    std::size_t count_ = 0;

    // Unique while the code object lives. The offset of a frame that has not begun is negative.
    static std::uintptr_t address_of(InstructionPlace place) {
        return reinterpret_cast<std::uintptr_t>(place.code) +
               static_cast<std::uintptr_t>(place.offset + 2);
    }
    // Returns the slot of the instruction, or the free one where it belongs.
    std::size_t slot_of(InstructionPlace place) const {
        const std::uintptr_t address = address_of(place);
        const auto code = reinterpret_cast<std::uintptr_t>(place.code);
        const auto first =
            static_cast<std::size_t>(code * 0x9e3779b97f4a7c15u >> (64 - kLog2Slots));
        std::size_t k = (first + (address - code) / 8) % kSlots;
        while (slots_[k].address != 0 && slots_[k].address != address) k = (k + 1) % kSlots;
        return k;
    }
    void clear() {
        // Destroying code objects may run Python code, which may use the table.
        std::unordered_map<PyObject*, Ref> old = std::exchange(owned_, {});
        slots_.assign(kSlots, Slot{});
        count_ = 0;
    }
};

}  // namespace hassium
