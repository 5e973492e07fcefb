// The part of a tile in reductions: its elements go to their partials. Internal to exec.
#pragma once

#include "exec/compile/code.hpp"

namespace hassium {

// Rows that column_rows takes at most.
inline constexpr std::int64_t kFoldRows = 8;

// The first row of what is accumulated down columns: as it lies, or what sums make of it, which
// begin with 0 (program/reduction_tree.hpp).
void begin_columns(MapFn map, bool from_zero, std::int64_t bytes, char* state, const char* in,
                   std::int64_t columns);

struct TileFold {
    const BlockCode& code;
    std::int64_t position, count;  // of the tile in the span
    std::int64_t chunk;            // column form: number of the swept run
    bool first;                    // column form: first step of the swept run

    // Row form by chunks, as they lie or of what is computed on the way, row form in order, column
    // form.
    void row_chunks(const ReductionCode& r, char* partials, const char* in, char* buffer) const;
    void row_sums(const ReductionCode& r, const Step& step, char* partials, const char* p,
                  const char* q) const;
    void row_counts(const ReductionCode& r, const Step& step, char* partials, const char* p,
                    const char* q) const;
    void row_scan(const ReductionCode& r, char* partials, const char* in, char* rubbish) const;
    void columns(const ReductionCode& r, char* partials, const char* in, char* buffer) const;
    // Column form, swept: several rows of the input `pitch` bytes apart, for as long as a register
    // tile of partials stays where it is. The same order as row by row.
    void column_rows(const ReductionCode& r, char* partials, const char* in, char* buffer,
                     std::int64_t pitch, std::int64_t rows) const;

  private:
    // Rows of the input, `pitch` bytes apart; `first`: nothing has been accumulated before them.
    struct Rows {
        std::int64_t columns, pitch, count;
        bool first;
    };
    // However many, and kFoldRows at most.
    void accumulate_rows(const ReductionCode& r, char* state, const char* in, char* buffer,
                         Rows rows) const;
    void accumulate_some(const ReductionCode& r, char* state, const char* in, char* buffer,
                         const Rows& rows) const;
    void row_planes(const ReductionCode& r, char* out, const char* in, char* buffer,
                    std::int64_t rows) const;
    void narrow_columns(const ReductionCode& r, char* partials, const char* in, char* buffer,
                        std::int64_t step) const;
};

}  // namespace hassium
