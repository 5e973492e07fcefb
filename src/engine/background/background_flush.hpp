// The job of a background flush, from its start until it is taken back. Private to src/engine.
#pragma once

#include <memory>
#include <optional>

#include "engine/background/ticket.hpp"
#include "engine/flush/run.hpp"

namespace hassium {

struct Engine::State::BackgroundFlush {
    State& state;
    Ticket turn;
    std::optional<Run> run = {};
    Work work = {};                              // as far as it is known before
    std::int64_t lost = 0;                       // nanoseconds that it waited for a core
    std::shared_ptr<BackgroundFlush> next = {};  // that was taken back behind it

    BackgroundFlush(State& of, Queue& queue, const Host& host) : state(of), turn(of, queue, host) {}
    static void run_in_background(void* self);
};

}  // namespace hassium
