// Random sampling on many threads, with the result of one. Internal to exec.
//
// A stream is cut into chunks of units: words or parts of them. How many units a sample takes
// depends on their values, so the first sample of a chunk is known only after all earlier ones;
// nearly always it begins where the chunk begins. So each chunk is drawn on that assumption, and
// joined to the one before afterwards: samples that begin at one unit are the same on every thread,
// and two different starts meet after a few samples.
//
// Threads take chunks in order, so that a thread that waits to join its chunk waits for a running
// thread. A chunk stays in its thread's cache from the units to the finished values.
#pragma once

#include <cstdint>

namespace hassium {

// The samples of one chunk, in memory of the thread that made them.
struct DrawnPiece {
    static constexpr int kStarts = 64;

    std::int64_t values = 0;
    std::int64_t end = 0;  // unit after the last sample
    // The units at which the first samples begin.
    std::int64_t starts[kStarts];
    int known = 0;

    // Returns how many samples begin before that unit; -1 if none begins at it.
    std::int64_t before(std::int64_t unit) const;
};

class DrawnChunks {
  public:
    virtual ~DrawnChunks() = default;

    // Allocates memory for this number of threads.
    virtual void allot(int threads) = 0;
    // Called for each chunk in order, by one thread at a time.
    virtual void begin(std::int64_t chunk, int thread) = 0;
    // Returns the first unit of a chunk.
    virtual std::int64_t first_unit(std::int64_t chunk) const = 0;
    // Makes the samples that begin at `from` or later and before the end of the chunk, at most
    // `most`.
    virtual void draw(std::int64_t chunk, int thread, std::int64_t from, std::int64_t most,
                      DrawnPiece& piece) = 0;
    // Stores a thread's values [first, first + count) at index `at` of the output.
    virtual void store(int thread, std::int64_t first, std::int64_t at, std::int64_t count) = 0;
    // Sets the stream to unit `end`, which is in this chunk of the thread or at its end.
    virtual void finish(std::int64_t chunk, int thread, std::int64_t end) = 0;
};

// Draws n > 0 values. One thread takes `seconds` for all of them; `likely` chunks are nearly always
// enough.
void draw_chunks(DrawnChunks& chunks, std::int64_t n, std::int64_t likely, double seconds);

}  // namespace hassium
