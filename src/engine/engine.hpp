// The whole pipeline: submit records, flush runs. The only code that knows every stage.
//
// All entry points are called with the host's lock (the GIL) held; flush drops it once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fuse/describe.hpp"
#include "program/program.hpp"
#include "record/queue.hpp"
#include "record/read_heuristic.hpp"
#include "rewrite/rewrite.hpp"

namespace hassium {

// A floating-point exception that an instruction raised, or one of several candidates.
struct FpReport {
    struct Candidate {
        Op op;
        Method method;
        bool dot = false;  // a product requested as NumPy's dot, reported by that name
        bool of_numbers = false;
        bool operator==(const Candidate&) const = default;
        static Candidate asked_for(Op op, Method method, StepOf step, bool of_numbers) {
            if (step == StepOf::Power) op = Op::Power;
            if (step == StepOf::Quotient) op = Op::Divide;
            if (step == StepOf::Reduction) method = Method::Reduce;
            return {op, method, step == StepOf::Dot, of_numbers};
        }
    };
    int condition;  // index: 0 divide, 1 over, 2 under, 3 invalid
    std::vector<Candidate> candidates;
    ErrMode mode;
    std::uint32_t site;          // of the first candidate; 0: unknown
    std::uint32_t recorded = 0;  // index in the program, by which reports are ordered
};

// Callbacks to the host language, registered once by bind.
struct Host {
    void* (*leave)();                              // drops the host's lock
    void (*enter)(void*);                          // takes it again
    bool (*interrupted)();                         // called without the lock between chunks
    void (*report)(const std::vector<FpReport>&);  // with the lock, after a flush; may throw
    void (*eager)(Op);        // an instruction ran eagerly because its operands' memory is exported
    std::uint32_t (*site)();  // the source line that is running, as a number; 0: unknown
    // Returns the reachable views of a base if they show at most `most_bytes`; otherwise none.
    // Called with the lock.
    std::vector<const View*> (*live_views)(Base&, std::int64_t most_bytes);
    // Called without the lock, at intervals in a long flush: the fraction `done` after `seconds`; 1
    // at the end. Returns whether the host was interrupted meanwhile.
    bool (*progress)(double seconds, double done);
};

// Why a flush ran: a value or the memory of an array was needed, the queue was due, the program
// asked for everything pending, as by flush(), or the last operation can raise a floating-point
// condition that acts at the call.
enum class FlushCause : std::uint8_t { Read, Full, Asked, Raise };
inline constexpr std::string_view kFlushCauses[] = {"read", "full", "asked", "raise"};

// The dumps of one flush, kept while capturing; or of several with the same instructions from the
// same lines in the same blocks, if the capture merges them.
struct Captured {
    FlushCause cause = FlushCause::Asked;
    std::uint32_t site = 0;  // the line that caused it
    std::int64_t count = 0;  // flushes
    // Sums over all flushes: by block, and of planning and bytes saved as a whole.
    std::vector<double> seconds, bytes;
    double planning = 0, bytes_saved = 0;
    // Of the first flush.
    std::string program, partition, plan;
    std::vector<RewriteDump> rewrites;  // the recorded program first, then after each pass
    bool cache_hit = false;
    std::vector<std::uint32_t> sites;  // one per instruction of the program
    std::vector<std::vector<std::uint32_t>> blocks;
    Description description;
};

class Engine {
  public:
    // Created at the first call, under the host's lock; never destroyed, as arrays may die after
    // static destruction.
    static Engine& instance() { return instance_ ? *instance_ : make_instance(); }
    void register_host(const Host& host) { host_ = host; }

    // Returns the number of threads that work on a block, the caller included.
    static int threads();

    // How soon results are read; changed under the host's lock.
    ReadHeuristic reads;

    // Records one operation, or runs it eagerly (small arrays, exported bases, lazy off, errstate
    // raise). Overlapping input and output behave as if the input had been copied first.
    void submit(const Request& request);
    // Copies a constant, or a view of the same shape, to `out` if that takes less time than a
    // request. False: nothing was done, and the caller submits the request.
    bool copy(const View& out, const Input& in);
    // Runs everything this thread has recorded, except for deferred allocations.
    void run_pending();
    // Runs everything this thread has recorded at the request of the program, and ends the
    // recording backoff: other code may follow.
    void flush();
    // Runs what threads have recorded that may warn: called before the filters of warnings change
    // or warnings are counted.
    void flush_reports();
    // Waits for the background flush, if there is one.
    void await_background_flush();
    // Makes the memory of a view's base readable and writable in place: runs its pending
    // instructions and allocates memory if it has none. Returns the address of the view's first
    // element.
    char* ready(const View& view);
    // Computes the base of an index from this thread's pending instructions. If `source`, which it
    // selects from, is large and pending, unrelated instructions stay pending: a pass may pull the
    // gather through them.
    void run_index(Base& index, const Base& source);
    // Returns a lazy scalar with the value of one element of this thread's pending work, without
    // running it; nothing if the element has to be read.
    std::optional<View> read_lazily(const View& element);
    // Returns whether the base is a lazy scalar that has not been read.
    static bool is_lazy_element(const Base& base);
    // As ready(), for memory that leaves the engine: operations on the base are eager while
    // `exports` is positive.
    BaseRef begin_export(const View& view);
    void end_export(Base& base);

    // Merge cache.
    struct CacheInfo {
        std::int64_t hits, misses, symbolic_hits;  // symbolic ones are hits as well
        std::int64_t entries, families;            // of the exact and of the symbolic level
    };
    CacheInfo cache_info() const;
    void cache_clear();

    // Bytes of array memory: in use, freed and kept for reuse, most in use since reset_peak.
    struct Memory {
        std::int64_t held, kept, peak;
    };
    Memory memory() const;
    void reset_peak();
    // Releases the memory that is kept for reuse to the system.
    void trim();

    // `merged`: flushes that differ only in numbers become one entry.
    void start_capture(bool merged = false);
    std::vector<Captured> stop_capture();

    // Announces a fork of this thread: running flushes end first; the child keeps the queues.
    void before_fork();

    // Reports the exceptions that an operation raised which ran eagerly.
    void report_direct(const Request& request, std::uint8_t raised);

  private:
    inline static Engine* instance_ = nullptr;
    static Engine& make_instance();
    Engine();
    void submit_canonical(const Request& request);
    void record(Queue& queue, const Request& request);
    void submit_beside_lazy_elements(Queue& queue, const Request& request);
    void copy_lazy_element(Queue& queue, Base* number);
    void submit_through_copies(const Request& request);
    void submit_self_overlapping(const Request& request);
    struct State;
    std::unique_ptr<State> state_;
    Host host_ = {};
};

}  // namespace hassium
