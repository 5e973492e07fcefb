// What is asked of the operating system. Each system has one source of these functions, as
// platform/linux.cpp; nothing else in the core includes a header of a system (docs/porting.md).
#pragma once

#include <cstdint>
#include <span>
#include <thread>

namespace hassium::platform {

// ---- the machine ----

// Processors that the process may run on, or fewer where a quota allows less time than they have;
// one at least. May read files: some 100 us.
int allowed_processors();
// Bytes of the machine's memory, or of what the process is allowed of it.
std::int64_t memory_bytes();
// More bytes than an array can have: memory and swap space, or the limit on addresses in force.
std::int64_t most_allocatable();
// Bytes of the data cache of this level (1 to 3); 0 where the system does not know.
std::int64_t cache_bytes(int level);

// ---- the process ----

// The same number in all threads, another one in a child of fork.
int process_id();
// Pages that the process had to wait for since it began.
std::int64_t page_faults();
// Calls these around a fork: `before` in the parent, last registered first, then the others in the
// order of registration. Null ones are left out. Nothing to do where no process is forked.
void at_fork(void (*before)(), void (*in_parent)(), void (*in_child)());

// ---- memory ----

// Fresh memory, all zero, at a multiple of kHugePage and of huge pages where the system has them;
// null: there is none.
constexpr std::int64_t kHugePage = std::int64_t{2} << 20;
char* map_memory(std::int64_t bytes);
void unmap_memory(char* memory, std::int64_t bytes);
// Returns what the C library keeps of freed memory.
void trim_heap();

// ---- clocks, in nanoseconds ----

// Monotonic, exact to some milliseconds and cheap.
std::int64_t coarse_clock();
// For how long the calling thread has run.
std::int64_t thread_clock();

// ---- threads ----

using ThreadHandle = std::thread::native_handle_type;

// Threads started by the calling thread while it lives take no signals: handlers belong to the
// threads of the host.
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

// The processor that the calling thread runs on; -1: the system does not tell.
int current_processor();
// Keeps threads off that processor, if the process may run on others and on fewer than `many`.
void keep_off(int processor, int many, std::span<const ThreadHandle> threads);

}  // namespace hassium::platform
