#include "exec/nest/transposed.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include "simd/tables/transposes.hpp"

namespace hassium {
namespace {

constexpr std::int64_t kLine = 64;
constexpr std::int64_t kLeastRows = 8;
constexpr std::int64_t kLeastColumns = 16;
// Less memory is in a cache near enough for reads in place.
constexpr std::int64_t kLeastMemory = std::int64_t{1} << 16;
// The near caches keep this many lines between two rows if they spread over the sets of the first
// level, which repeat after a page.
constexpr std::int64_t kFewLines = 640;
constexpr std::int64_t kPage = 4096;
// Few pages, or those of so many bytes, are found fast enough.
constexpr std::int64_t kFewPages = 64;
constexpr std::int64_t kNear = std::int64_t{1} << 21;
// Bytes of a panel, which stays in the second-level cache; more only for a single cache line.
constexpr std::int64_t kPanel = std::int64_t{1} << 19;
constexpr std::int64_t kMostPanel = std::int64_t{1} << 20;
// Consecutive lines are fetched together.
constexpr std::int64_t kMostLines = 4;

// Returns how many rows a panel holds: whole cache lines.
std::int64_t rows_of(std::int64_t bytes, std::int64_t pitch) {
    std::int64_t lines = kMostLines;
    while (lines > 1 && lines * kLine / bytes * pitch > kPanel) lines /= 2;
    return lines * kLine / bytes;
}

struct Free {
    void operator()(char* p) const { std::free(p); }
};

char* panel_memory(std::int64_t bytes) {
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

bool reads_panels(std::int64_t columns, std::int64_t rows, std::int64_t column,
                  std::int64_t bytes) {
    const std::int64_t apart = std::abs(column);
    if (columns < kLeastColumns || rows < kLeastRows || apart < rows * bytes) return false;
    const std::int64_t step = std::clamp(apart & -apart, kLine, kPage);
    const bool few_lines = columns * step < kFewLines * kLine;
    const bool stay = few_lines && (columns * apart <= kNear || columns <= kFewPages);
    return !stay && columns * rows * bytes >= kLeastMemory &&
           panel_pitch(columns, bytes) * kLine / bytes <= kMostPanel;
}

// One line more, as rows a power of two apart would share a set.
std::int64_t panel_pitch(std::int64_t columns, std::int64_t bytes) {
    return (columns * bytes + kLine - 1) / kLine * kLine + kLine;
}

TransposedPanels::TransposedPanels(const BlockCode& code) : code_(code) {
    if (!code.transposes) return;
    for (std::size_t k = 0; k < code.tracks.size(); ++k) {
        const Track& track = code.tracks[k];
        if (track.column == 0) continue;
        const std::int64_t pitch = std::abs(track.outer.back());
        const std::int64_t rows = rows_of(track.advance, pitch);
        panels_.push_back({k, bytes_, pitch, rows, 0, 0, 0});
        bytes_ += rows * pitch;
    }
    turns_ = &transposes_of(*code.table);
}

void TransposedPanels::begin() {
    if (!any()) return;
    memory_ = panel_memory(bytes_);
    for (Panel& panel : panels_) panel.rows = 0;
}

Address TransposedPanels::row(std::size_t track, Address from, std::int64_t rows,
                              std::int64_t columns) {
    Panel& panel = *std::ranges::find(panels_, track, &Panel::track);
    const Track& t = code_.tracks[track];
    const bool backward = t.outer.back() < 0;
    const Address past = backward ? panel.from - from : from - panel.from;
    panel.at = past / t.advance;
    if (past < 0 || panel.at >= panel.rows || past % t.advance != 0) {
        // Up to the end of the cache lines.
        const auto place = static_cast<std::int64_t>(from % kLine) / t.advance;
        const std::int64_t into = backward ? kLine / t.advance - 1 - place : place;
        panel.rows = std::min(rows, std::max(panel.most - into, std::int64_t{1}));
        panel.from = from;
        panel.at = 0;
        const Address first = backward ? from - (panel.rows - 1) * t.advance : from;
        turns_->turn[item_log2(t.advance)]({memory_ + panel.memory,
                                            reinterpret_cast<const char*>(first), panel.pitch,
                                            t.column, panel.rows, columns});
    }
    const std::int64_t row = backward ? panel.rows - 1 - panel.at : panel.at;
    return reinterpret_cast<Address>(memory_ + panel.memory + row * panel.pitch);
}

std::int64_t TransposedPanels::rows_held() const {
    std::int64_t rows = panels_[0].rows - panels_[0].at;
    for (const Panel& panel : panels_) rows = std::min(rows, panel.rows - panel.at);
    return rows;
}

}  // namespace hassium
