// The one policy: whether an operation runs eagerly, is recorded, or flushes. Thresholds are rows
// of thresholds.def; the state belongs to the queue and the engine.
#pragma once

#include <cstdint>

#include "base/settings.hpp"
#include "record/queue.hpp"
#include "record/read_heuristic.hpp"
#include "record/thresholds.hpp"

namespace hassium {

// Returns the most elements of an eager operation: the setting `eager_elements`, times the power of
// two of a threshold in log2.
inline std::int64_t eager_limit() { return settings().get(Setting::eager_elements); }
inline std::int64_t eager_limit(Threshold log2) { return eager_limit() << threshold(log2); }

enum class Decision : std::uint8_t {
    Eager,   // run it now, before pending work, on which it does not depend
    Record,  // append it to the queue
    Flush,   // append it, and run the queue
};

// Returns the elements that the loop of a request runs over.
std::int64_t iteration_elements(const Request& request);
// Returns whether all operands are one line of memory (coalesce to one axis), whatever their shape.
bool is_one_line(const Request& request);
// Returns whether some operand is in exported memory, which others may read or change: the request
// must not wait.
bool is_on_exported_memory(const Request& request);

// Returns whether a copy of a constant or of a view of the same shape, without a mask, moves few
// elements along one line with nothing pending on either side. It then takes less time than
// decide().
bool is_ready_copy(const View& out, const Input& in);
// The same for a gather or scatter of few elements along one line.
bool is_ready_lookup(const Request& request);

// Decides on a request of the calling thread whose loop runs over `elements`. `capturing`: recorded
// programs are captured, so only small operations run eagerly. Counts in the queue requests that
// wait for operands or run eagerly because recording does not pay.
Decision decide(const Request& request, std::int64_t elements, Queue& queue,
                const ReadHeuristic& reads, bool capturing);
// Returns whether a request can raise a condition that its errstate does not ignore.
bool can_report(const Request& request);
// Returns whether a request can raise a condition, and its errstate does more than warn.
inline bool may_act_at_call(const Request& request) {
    return request.errstate.acts_at_call() && can_report(request);
}
// Returns whether a recorded request may stay pending unless its memory is exported: lazy
// evaluation is on, the result is not needed at the call and no condition acts there.
bool may_wait(const Request& request);

}  // namespace hassium
