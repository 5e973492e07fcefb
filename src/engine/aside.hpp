// A job on its way aside. Private to src/engine.
#pragma once

#include <memory>
#include <optional>

#include "engine/run.hpp"
#include "engine/turn.hpp"

namespace hassium {

struct Engine::State::Aside {
    State& state;
    Turn turn;
    std::optional<Run> run = {};
    std::int64_t begun = 0, lost = 0;  // when it went aside; nanoseconds it waited for a core since

    Aside(State& of, Queue& queue, const Host& host) : state(of), turn(of, queue, host) {}
    static void run_aside(void* self);
};

}  // namespace hassium
