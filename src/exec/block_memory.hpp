// Runtime state of a block besides its code: memory, partials, counts. Internal to exec.
#pragma once

#include <algorithm>
#include <chrono>
#include <new>
#include <vector>

#include "base/counters.hpp"
#include "exec/compile/code.hpp"
#include "runtime/memory_pool.hpp"

namespace hassium {

// Memory for partials of reductions that are not stored in the result; small ones avoid the pool.
class PartialMemory {
  public:
    PartialMemory(const BlockCode& code, std::span<Binding> bases) {
        std::size_t count = code.reductions.size();
        if (count > kInPlace) more_.resize(count);
        pointers_ = count > kInPlace ? more_.data() : few_;
        std::int64_t need = 0;
        for (const ReductionCode& r : code.reductions) need += r.direct ? 0 : padded(r);
        char* at = inline_;
        if (need > kInlineBytes) {
            at = owned_ = memory_pool().acquire(need);
            bytes_ = need;
        }
        for (std::size_t k = 0; k < count; ++k) {
            const ReductionCode& r = code.reductions[k];
            pointers_[k] = r.direct ? bases[r.base].data + r.offset : at;
            if (!r.direct) at += padded(r);
        }
    }
    ~PartialMemory() { memory_pool().release(owned_, bytes_); }
    PartialMemory(const PartialMemory&) = delete;
    PartialMemory& operator=(const PartialMemory&) = delete;
    char* const* pointers() const { return pointers_; }

  private:
    static constexpr std::size_t kInPlace = 4;
    static constexpr std::int64_t kInlineBytes = 512;
    static std::int64_t padded(const ReductionCode& r) {
        return (r.partial_bytes() + 63) / 64 * 64;
    }
    alignas(64) char inline_[kInlineBytes];
    char* few_[kInPlace];
    std::vector<char*> more_;
    char** pointers_;
    char* owned_ = nullptr;
    std::int64_t bytes_ = 0;
};

using Taken = SmallVec<std::uint32_t, 16>;

inline void give_back(const Taken& taken, std::span<Binding> bases) {
    for (std::uint32_t base : taken) {
        memory_pool().release(bases[base].data, bases[base].bytes);
        bases[base].data = nullptr;
    }
}

// Acquires memory for the bases of a block, except for `except`; releases it again if some cannot
// be had. Sets `*fresh` if all of it is zero.
inline Taken acquire_all(const LoopPlan& plan, std::span<Binding> bases,
                         std::span<const std::uint32_t> except = {}, bool* fresh = nullptr) {
    Taken taken;
    if (fresh) *fresh = true;
    try {
        for (std::uint32_t base : plan.acquires) {
            if (bases[base].data || std::ranges::find(except, base) != except.end()) continue;
            bool zero = false;
            bases[base].data = memory_pool().acquire(bases[base].bytes, &zero);
            if (fresh) *fresh = *fresh && zero;
            taken.push_back(base);
        }
    } catch (const std::bad_alloc&) {
        give_back(taken, bases);
        throw;
    }
    return taken;
}

inline const Constant* constants_of(const Program& program, const RunState& state) {
    return state.constants ? state.constants : program.constants.data();
}

inline void note_launch(RunState& state) {
    if (state.launched != 0) return;
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    state.launched = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace hassium
