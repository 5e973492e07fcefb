// Scratch memory of a thread for the block that it runs.
#include <cstdlib>
#include <new>

#include "exec/compile/code.hpp"

namespace hassium {
namespace {

struct ScratchOwner {
    char* data = nullptr;
    std::int64_t bytes = 0;
    ~ScratchOwner() { std::free(data); }
};

}  // namespace

char* thread_scratch(std::int64_t bytes) {
    thread_local ScratchOwner owner;
    if (bytes > owner.bytes) {
        std::free(owner.data);
        owner.data = nullptr;
        owner.bytes = 0;
        std::int64_t size = (bytes + 4095) / 4096 * 4096;
        owner.data = static_cast<char*>(std::aligned_alloc(64, static_cast<std::size_t>(size)));
        if (!owner.data) throw std::bad_alloc();
        owner.bytes = size;
    }
    return owner.data;
}

}  // namespace hassium
