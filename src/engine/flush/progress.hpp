// Reports the progress of a long flush to the host.
#pragma once

#include <cstdint>

#include "engine/engine.hpp"

namespace hassium {

// Lives while a flush runs on the calling thread, with the host's lock dropped.
class Progress {
  public:
    Progress(const Host& host, std::int64_t began);
    ~Progress() { observed() = before_; }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // Returns whether the host was interrupted, for RunState::interrupted; reports progress at
    // intervals.
    static bool interrupted();
    // Reports the end, if progress was reported; returns whether the host was interrupted.
    bool end();
    // Sets the fraction done of the flush that the calling thread runs, if one is observed.
    static void note_done(double share);

  private:
    static constexpr std::int64_t kFirst = 1'000'000'000, kEvery = 100'000'000;  // nanoseconds

    const Host& host_;
    Progress* const before_;  // outer flush: a signal handler may flush within a flush
    const std::int64_t began_;
    std::int64_t next_;
    double done_ = 0;
    bool shown_ = false;

    static Progress*& observed();
    bool report();
    double seconds() const;
};

}  // namespace hassium
