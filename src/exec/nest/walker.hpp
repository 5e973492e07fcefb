// Runs jobs: positions pointers, cuts the span into tiles, runs the steps of each.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "exec/chain/run_chain.hpp"
#include "exec/compile/code.hpp"
#include "exec/nest/fold_tile.hpp"
#include "exec/nest/transposed.hpp"

namespace hassium {

// Bytes of memory for walkers that run alternately: of each walker, and scratch of one run.
struct WalkerBytes {
    std::int64_t own = 0, scratch = 0;
    void add(const BlockCode& code) {
        own += code.walker_bytes();
        scratch = std::max(scratch, code.scratch_bytes);
    }
    std::int64_t all() const { return own + scratch; }
};

// That memory, in the calling thread's scratch.
class WalkerRoom {
  public:
    explicit WalkerRoom(const WalkerBytes& bytes)
        : scratch_(thread_scratch(bytes.all())), own_(scratch_ + bytes.scratch) {}
    char* scratch() const { return scratch_; }
    // Returns the memory of the next walker.
    char* own(const BlockCode& code) { return std::exchange(own_, own_ + code.walker_bytes()); }

  private:
    char *scratch_, *own_;
};

// Runs jobs of one launch on one thread. Bases and partials may move between two runs.
class Walker {
  public:
    Walker(const Launch& launch, WalkerRoom& room);
    Walker(const Walker&) = delete;
    Walker& operator=(const Walker&) = delete;

    void run(std::int64_t first, std::int64_t last);

  private:
    const Launch& launch_;
    const BlockCode& code_;
    Address *start_, *row_, *here_;  // of tracks
    Address* now_;                   // of pointers that steps name
    std::int64_t outer_index_[kMaxDims];
    std::int64_t unit_ = 0, sweep_ = 0;
    std::int64_t position_ = 0, count_ = 0;  // of the tile in the span
    std::int64_t chunk_ = 0;                 // column form: index of the swept run
    bool first_ = true;                      // column form: first step of the swept run
    std::optional<ChainRunner> chains_;
    TransposedPanels transposed_;
    std::int64_t rows_left_ = 0;      // to the end of the run, if some inputs are transposed
    const char* selected_ = nullptr;  // first true mask element, set by the last guard
    std::int64_t selected_at_ = 0;
    // The data that a step with `keeps` has moved: its source, and how many elements.
    struct Kept {
        const char* from;
        std::int64_t phase, elements;
    };
    std::vector<Kept> kept_;  // per step

    // --- positions
    void place_tracks();
    void seek(std::int64_t job);
    void next_job();
    void next_lines(std::int64_t lines);
    void place_rows();
    void place_transposed();
    void place_tile(const Address* row, std::int64_t position);
    void name_pointers();
    void advance_tile(std::int64_t elements);

    // --- jobs
    void run_lines(std::int64_t first, std::int64_t last);
    void run_step_lines(std::int64_t lines, std::int64_t position, std::int64_t n);
    void run_job();
    void run_sweep();
    std::int64_t chunk_bytes(std::size_t track) const;
    void begin_partials(std::int64_t left, std::int64_t n);
    bool needs_tiles() const;
    bool only_folds() const;
    void fold_rows(std::int64_t rows);

    // --- steps
    void run_tile(const Address* row, std::int64_t position, std::int64_t n);
    void run_steps();
    std::size_t run_step(const Step& s);
    bool is_kept(const Step& s, const char* from, std::int64_t phase, std::int64_t n);
    void fill(const Step& s, char* out, const char* value, std::int64_t n);
    void store(const Step& s, char* out, const char* in, std::int64_t n) const;
    bool decided() const {
        return launch_.decided && launch_.decided->load(std::memory_order_relaxed);
    }
    void look_for_decision(const ReductionCode& r, const char* partials);
    TileFold fold() const { return {code_, position_, count_, chunk_, first_}; }
};

}  // namespace hassium
