// The structure of a recorded program without its numbers.
//
// Two programs have one symbolic form if they differ in numbers only and equal numbers are equal in
// both: extents are 0, 1, or a symbol numbered by first appearance (so the shapes of any two
// operands are equal in both programs or in neither); strides are 0, one item, negative or other;
// offsets and the bytes of bases are left out. Guards check everything else that legality depends
// on (fuse/legal/guards.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "program/program.hpp"

namespace hassium {

struct SymbolicKey {
    // An allocator that leaves new words uninitialized on resize: all are overwritten.
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
