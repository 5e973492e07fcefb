#include "exec/nest/transposed.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "simd/tables/transposes.hpp"

namespace hassium {
namespace {

constexpr std::int64_t kLine = 64;
// Lines at multiples of this distance share so few cache sets that they are evicted before the next
// row comes; others are evicted if there are more than the first-level cache holds.
constexpr std::int64_t kConflict = 2048;
constexpr std::int64_t kManyLines = 400;
constexpr std::int64_t kLeastRows = 4;
constexpr std::int64_t kLeastElements = 16;
// Bound of the rows kept, which stay in the second-level cache.
constexpr std::int64_t kMostMemory = std::int64_t{1} << 19;

// Consecutive lines are fetched together.
constexpr std::int64_t kMostLines = 4;

// Returns how many rows to keep: as many as some cache lines hold, if they fit `room`.
std::int64_t rows_of(std::int64_t bytes, std::int64_t pitch, std::int64_t room) {
    std::int64_t lines = kMostLines;
    while (lines > 1 && lines * kLine / bytes * pitch > room) lines /= 2;
    return std::max(lines * kLine / bytes, kLeastRows);
}

struct Free {
    void operator()(char* p) const { std::free(p); }
};

char* kept_memory(std::int64_t bytes) {
    thread_local std::unique_ptr<char, Free> memory;
    thread_local std::int64_t size = 0;
    if (bytes > size) {
        memory.reset(static_cast<char*>(
            std::aligned_alloc(64, static_cast<std::size_t>((bytes + 4095) / 4096 * 4096))));
        if (!memory) {
            size = 0;
            throw std::bad_alloc();
        }
        size = bytes;
    }
    return memory.get();
}

}  // namespace

TransposedLoads::TransposedLoads(const BlockCode& code) : code_(code) {
    if (!code.interruptible || code.outer.empty() || !code.swept.empty()) return;
    if (code.outer.back() < kLeastRows || code.span_elements < kLeastElements) return;
    for (const Step& step : code.steps) {
        if (step.kind != StepKind::Load || step.p[1] >= code.named) continue;
        const Track& track = code.tracks[code.on_track[step.p[1]].track];
        bool beside = track.source == Source::Base && track.outer.size() == code.outer.size() &&
                      track.outer.back() == step.bytes;
        const bool stay = step.stride % kConflict != 0 && code.span_elements < kManyLines;
        if (!beside || stay) continue;
        // One line more, as rows a power of two apart would share a set.
        const std::int64_t pitch =
            (code.span_elements * step.bytes + kLine - 1) / kLine * kLine + kLine;
        const std::int64_t rows = rows_of(step.bytes, pitch, kMostMemory / 2);
        const std::int64_t room = rows * pitch;
        if (bytes_ + room > kMostMemory) continue;
        loads_.push_back({&step, bytes_, pitch, rows, kept_.size()});
        bytes_ += room;
        for (std::int64_t unit = 0; unit < code.units; ++unit) kept_.push_back({nullptr, 0, 0});
    }
    if (any()) turns_ = &transposes_of(*code.table);
}

void TransposedLoads::begin() {
    if (!any()) return;
    memory_ = kept_memory(bytes_);
    for (Kept& k : kept_) k.from = nullptr;
}

const char* TransposedLoads::find(const Step& step, const char* from, std::int64_t row,
                                  std::int64_t rows, std::int64_t position, std::int64_t n) {
    auto load = std::find_if(loads_.begin(), loads_.end(),
                             [&step](const Load& l) { return l.step == &step; });
    if (load == loads_.end() || position % code_.unit + n > code_.unit) return nullptr;
    Kept& kept = kept_[load->first + static_cast<std::size_t>(position / code_.unit)];
    char* memory = memory_ + load->memory + position * step.bytes;
    const std::int64_t ahead = row - kept.row;
    if (kept.from && ahead >= 0 && ahead < kept.rows && from == kept.from + ahead * step.bytes) {
        return memory + ahead * load->pitch;
    }
    // Up to the end of the cache lines.
    auto into = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(from) % kLine);
    rows = std::min({rows, load->rows, load->rows - into / step.bytes});
    if (rows < kLeastRows || code_.tile != code_.unit) return nullptr;
    turns_->turn[item_log2(step.bytes)]({memory, from, load->pitch, step.stride, rows, n});
    kept = {from, row, rows};
    return memory;
}

}  // namespace hassium
