// Tells the host how far a flush is that takes long.
#pragma once

#include <cstdint>

#include "engine/engine.hpp"

namespace hassium {

// Lives as long as a flush runs on the calling thread, with the host's lock dropped.
class Progress {
  public:
    Progress(const Host& host, std::int64_t began);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // What blocks and the code between them ask (RunState::interrupted): whether the host was
    // interrupted. Now and then it reports as well.
    static bool interrupted();
    // So much of the flush that the calling thread runs is done, if one is observed.
    static void note_done(double share);

  private:
    static constexpr std::int64_t kFirst = 1'000'000'000, kEvery = 100'000'000;  // nanoseconds

    const Host& host_;
    Progress* const before_;  // a handler of signals may flush within a flush
    const std::int64_t began_;
    std::int64_t next_;
    double done_ = 0;
    bool shown_ = false;

    void report();
    double seconds() const;
};

}  // namespace hassium
