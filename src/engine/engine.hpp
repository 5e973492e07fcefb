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

// A floating-point condition that an instruction raised, or one of several that cannot be told
// apart.
struct FpReport {
    struct Candidate {
        Op op;
        Method method;
        bool dot = false;  // a product asked for as NumPy's dot, which names itself
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
    std::uint32_t recorded = 0;  // its place in the program, by which reports are ordered
};

// What the engine asks of the host language. Registered once by bind.
struct Host {
    void* (*leave)();                              // drops the host's lock
    void (*enter)(void*);                          // takes it again
    bool (*interrupted)();                         // called without the lock between chunks
    void (*report)(const std::vector<FpReport>&);  // with the lock, after a flush; may throw
    void (*eager)(Op);  // an instruction ran at once because memory of its operands is exported
    std::uint32_t (*site)();  // the source line that is being run, as a number; 0: unknown
    // The views of a base that are still reachable, if they show no more than so many bytes; else
    // none. Called with the lock.
    std::vector<const View*> (*live_views)(Base&, std::int64_t most_bytes);
    // Called without the lock, now and then in a flush that takes long: what share of it is done
    // after so many seconds; 1 when it ends.
    void (*progress)(double seconds, double done);
};

// What made a flush run: a value or the memory of an array was needed, the queue had enough, or
// everything pending was asked for, as by flush().
enum class FlushCause : std::uint8_t { Read, Full, Asked };
inline constexpr std::string_view kFlushCauses[] = {"read", "full", "asked"};

// One flush in words, kept while capturing; or several with the same instructions from the same
// lines in the same blocks, where the capture merges those.
struct Captured {
    FlushCause cause = FlushCause::Asked;
    std::uint32_t site = 0;  // the line that made it run
    std::int64_t count = 0;  // flushes
    // Of all of them together: per block and, of planning, bytes saved, as a whole.
    std::vector<double> seconds, bytes;
    double planning = 0, bytes_saved = 0;
    // Of the first of them.
    std::string program, partition, plan;
    std::vector<RewriteDump> rewrites;  // the recorded program first, then after each pass
    bool cache_hit = false;
    std::vector<std::uint32_t> sites;  // one per instruction of the program
    std::vector<std::vector<std::uint32_t>> blocks;
    Description description;
};

class Engine {
  public:
    // Made at the first call, under the host's lock; arrays may die after static destruction, so it
    // is never destroyed.
    static Engine& instance() { return instance_ ? *instance_ : make_instance(); }
    void register_host(const Host& host) { host_ = host; }

    // Threads that work together on a block, the caller's among them.
    static int threads();

    // How soon results are read; changed under the host's lock.
    ReadHeuristic reads;

    // Records one operation, or runs it at once (direct path, eager bases, lazy off, errstate
    // raise). Overlapping input and output behave as if the input had been copied first.
    void submit(const Request& request);
    // Copies a constant, or a view of the same shape, to `out` where that takes less time than a
    // request. False: nothing has happened, and it is to be submitted.
    bool copy(const View& out, const Input& in);
    // Runs everything this thread has recorded.
    void run_pending();
    // The same, when the program asks for it. What follows may be another one: a pause from
    // recording is over.
    void flush();
    // What this thread has recorded runs now if it may warn: filters of warnings are about to
    // change, or warnings are about to be counted.
    void flush_reports();
    // Waits for an automatic flush that runs aside, if there is one.
    void await_background_flush();
    // Makes the memory of a view's base readable and writable in place: runs what is pending on it,
    // and gives it memory if it has none. Returns the address of the view's first element.
    char* ready(const View& view);
    // Computes the base of an index from this thread's pending instructions. Those that it does not
    // depend on stay pending where `source`, which it selects from, is large and pending: a pass
    // may pull the gather through them.
    void run_index(Base& index, const Base& source);
    // A number with the value of one element of this thread's pending work, without running it.
    // None: the element has to be read.
    std::optional<View> read_lazily(const View& element);
    // Whether it is such a number that has not been converted.
    static bool is_lazy_element(const Base& base);
    // Like ready, and from now on eager while `exports` is positive.
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
    // Returns the memory that is kept for reuse to the system.
    void trim();

    // `merged`: flushes that differ in nothing but numbers become one.
    void start_capture(bool merged = false);
    std::vector<Captured> stop_capture();

    // Announces a fork of this thread: running flushes end first; the child keeps the queues.
    void before_fork();

    // What an operation has raised that ran at the call.
    void report_direct(const Request& request, std::uint8_t raised);

  private:
    inline static Engine* instance_ = nullptr;
    static Engine& make_instance();
    Engine();
    void submit_canonical(const Request& request);
    void record(const Request& request);
    void submit_beside_lazy_elements(Queue& queue, const Request& request);
    void copy_lazy_element(Queue& queue, Base* number);
    void submit_through_copies(const Request& request);
    void submit_self_overlapping(const Request& request);
    struct State;
    std::unique_ptr<State> state_;
    Host host_ = {};
};

}  // namespace hassium
