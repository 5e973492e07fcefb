// The structure of a recorded program without its numbers.
//
// Two programs have one symbolic form when they differ in numbers only, and numbers that were equal
// are equal: extents count as 0, 1, or a symbol numbered by first appearance (so the shapes of any
// two operands are equal in both programs or in neither); strides as 0, one item, negative, other;
// offsets and the bytes of bases do not count. What else legality rests on is asked as guards
// (fuse/legal/guards.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "program/program.hpp"

namespace hassium {

struct SymbolicKey {
    // Whose resize leaves new words as they are: they are all written.
    template <class T>
    struct Raw : std::allocator<T> {
        template <class U>
        struct rebind {
            using other = Raw<U>;
        };
        template <class U>
        void construct(U* at) noexcept {
            ::new (static_cast<void*>(at)) U;
        }
        template <class U, class... Args>
        void construct(U* at, Args&&... args) {
            ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
        }
    };
    using Words = std::vector<std::uint64_t, Raw<std::uint64_t>>;
    Words words;
    std::uint64_t hash = 0;
};

void symbolic_key(const Program& recorded, SymbolicKey& key);

}  // namespace hassium
