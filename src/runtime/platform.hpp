// The interface to the operating system. Each system has one source of these functions, such as
// platform/linux.cpp; nothing else in the core includes a system header (docs/porting.md).
#pragma once

#include <cstdint>
#include <span>
#include <thread>

namespace hassium::platform {

// ---- the machine ----

// Returns how many processors the process may use, by its affinity and its CPU quota; at least one.
// May read files: some 100 us.
int allowed_processors();
// Returns the bytes of the machine's memory, or the process's limit.
std::int64_t memory_bytes();
// Returns an upper bound of the bytes of an array: memory plus swap space, or RLIMIT_AS.
std::int64_t most_allocatable();
// Returns the bytes of the data cache of this level (1 to 3); 0 if unknown.
std::int64_t cache_bytes(int level);

// ---- the process ----

// Returns a number that is the same in all threads and differs in a child of fork.
int process_id();
// Returns the page faults of the process since it began.
std::int64_t page_faults();
// Registers handlers around fork, null ones excepted: `before` handlers run in reverse order of
// registration, the others in order. Does nothing on systems without fork.
void at_fork(void (*before)(), void (*in_parent)(), void (*in_child)());

// ---- memory ----

// Returns fresh zeroed memory aligned to kHugePage, in huge pages where the system has them; null
// if there is none.
constexpr std::int64_t kHugePage = std::int64_t{2} << 20;
char* map_memory(std::int64_t bytes);
void unmap_memory(char* memory, std::int64_t bytes);
// Returns memory that the C library has cached to the system.
void trim_heap();

// ---- clocks, in nanoseconds ----

// Monotonic and cheap, with a resolution of some milliseconds.
std::int64_t coarse_clock();
// Processor time of the calling thread.
std::int64_t thread_clock();

// ---- threads ----

using ThreadHandle = std::thread::native_handle_type;

// Blocks all signals in threads that the calling thread starts during the lifetime of this object:
// handlers belong to the threads of the host.
class WithoutSignals {
  public:
    WithoutSignals();
    ~WithoutSignals();
    WithoutSignals(const WithoutSignals&) = delete;
    WithoutSignals& operator=(const WithoutSignals&) = delete;

  private:
    struct Mask {
        alignas(16) unsigned char bytes[128];
    } before_;
};

// Returns the processor that the calling thread runs on; -1 if unknown.
int current_processor();
// Excludes `processor` from the affinity of `threads`, if 1 to `many` - 1 others are left.
void keep_off(int processor, int many, std::span<const ThreadHandle> threads);

}  // namespace hassium::platform
