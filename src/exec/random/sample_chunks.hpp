// Random draws on many threads, in the order of one. Internal to exec.
//
// A stream is cut into chunks of units, words or parts of them. How many units a draw takes depends
// on their values, so where the first draw of a chunk begins is known when all before it are made;
// nearly always it is where the chunk begins. So each chunk is drawn as if it were, and joined to
// the one before afterwards: draws that begin at one unit are the same on every thread, and two
// ways through a stream meet after a few draws.
//
// The threads take chunks in turn, so that a thread that waits to join one waits for a running
// thread. A chunk stays in its thread's cache from the units to the finished values.
#pragma once

#include <cstdint>

namespace hassium {

// The draws of a chunk, in memory of the thread that made them.
struct DrawnPiece {
    static constexpr int kStarts = 64;

    std::int64_t values = 0;
    std::int64_t end = 0;  // the unit behind the last draw
    // The units where the first draws begin.
    std::int64_t starts[kStarts];
    int known = 0;

    // How many draws were begun before that unit; -1: none begins there.
    std::int64_t before(std::int64_t unit) const;
};

class DrawnChunks {
  public:
    virtual ~DrawnChunks() = default;

    // Gets memory for so many threads.
    virtual void allot(int threads) = 0;
    // Called for each chunk in order, by one thread at a time.
    virtual void begin(std::int64_t chunk, int thread) = 0;
    // The first unit of a chunk.
    virtual std::int64_t first_unit(std::int64_t chunk) const = 0;
    // The draws that begin at `from` or behind it and before the end of the chunk, `most` at most.
    virtual void draw(std::int64_t chunk, int thread, std::int64_t from, std::int64_t most,
                      DrawnPiece& piece) = 0;
    // Puts values `first` to first + count of a thread at place `at` of what is asked for.
    virtual void store(int thread, std::int64_t first, std::int64_t at, std::int64_t count) = 0;
    // The stream is left behind unit `end`, which is in that chunk of the thread or its end.
    virtual void finish(std::int64_t chunk, int thread, std::int64_t end) = 0;
};

// Draws n > 0 values. A thread takes `seconds` for all of them, and `likely` chunks are enough,
// most times.
void draw_chunks(DrawnChunks& chunks, std::int64_t n, std::int64_t likely, double seconds);

}  // namespace hassium
