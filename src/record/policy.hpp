// The one policy: whether an operation runs at once, is recorded, or flushes. Thresholds are rows
// of thresholds.def; state belongs to the queue and the engine.
#pragma once

#include <cstdint>

#include "base/settings.hpp"
#include "record/queue.hpp"
#include "record/read_heuristic.hpp"
#include "record/thresholds.hpp"

namespace hassium {

// The most elements of an operation that runs at once: the setting `eager_elements`, times the
// power of two that a threshold in log2 gives.
inline std::int64_t eager_limit() { return settings().get(Setting::eager_elements); }
inline std::int64_t eager_limit(Threshold log2) { return eager_limit() << threshold(log2); }

enum class Decision : std::uint8_t {
    Eager,   // run it now, before what is pending: it depends on nothing of that
    Record,  // append it to the queue
    Flush,   // append it, and run the queue
};

// Elements that the loop of a request runs over.
std::int64_t iteration_elements(const Request& request);
// Whether all operands lie in one line of memory, whatever their shape.
bool is_one_line(const Request& request);
// Whether some operand lies in memory that is exported, so that others may look at it or change it:
// the request may not wait.
bool is_on_exported_memory(const Request& request);

// Whether a copy of a constant or of a view of the same shape, without a mask, only moves few
// elements along one line, and nothing is pending on either: it takes less time than a decision.
bool is_ready_copy(const View& out, const Input& in);
// The same for elements taken from a line by their positions, or put there.
bool is_ready_lookup(const Request& request);

// Decides on a request of the calling thread, whose loop runs over `elements`. `capturing`:
// recorded programs are captured, so only small operations run at once. Counts in the queue
// what waits for operands, or runs at once because recording does not pay.
Decision decide(const Request& request, std::int64_t elements, Queue& queue,
                const ReadHeuristic& reads, bool capturing);
// Whether a recorded request may stay pending, unless its memory is exported: lazy evaluation is
// on, the result is not needed at the call and its errstate raises nothing there.
bool may_wait(const Request& request);

}  // namespace hassium
