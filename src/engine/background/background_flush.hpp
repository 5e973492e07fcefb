// A background flush from its start until its queue takes it back. Private to src/engine.
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
    Work work = {};                              // estimated before the run
    std::int64_t lost = 0;                       // nanoseconds without a core
    std::shared_ptr<BackgroundFlush> next = {};  // the job taken back after it

    BackgroundFlush(State& of, Queue& queue, const Host& host) : state(of), turn(of, queue, host) {}
    static void run_in_background(void* self);
};

}  // namespace hassium
