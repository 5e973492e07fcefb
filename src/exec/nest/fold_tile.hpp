// Reductions of a tile: accumulates its elements into the partials. Internal to exec.
#pragma once

#include "exec/compile/code.hpp"

namespace hassium {

// The most rows of one step list of column_rows.
inline constexpr std::int64_t kFoldRows = 8;

// Starts the accumulators of a column reduction with its first row: a copy, or the row added to 0
// for sums (program/reduction_tree.hpp).
void begin_columns(MapFn map, bool from_zero, std::int64_t bytes, char* state, const char* in,
                   std::int64_t columns);

struct TileFold {
    const BlockCode& code;
    std::int64_t position, count;  // of the tile in the span
    std::int64_t chunk;            // column form: index of the swept run
    bool first;                    // column form: first step of the swept run

    // Row form by chunks, of stored elements or of fused inputs; row form in order; column form.
    void row_chunks(const ReductionCode& r, char* partials, const char* in, char* buffer) const;
    void row_sums(const ReductionCode& r, const Step& step, char* partials, const char* p,
                  const char* q) const;
    void row_counts(const ReductionCode& r, const Step& step, char* partials, const char* p,
                    const char* q) const;
    void row_scan(const ReductionCode& r, char* partials, const char* in, char* rubbish) const;
    void columns(const ReductionCode& r, char* partials, const char* in, char* buffer) const;
    // Column form, swept: several rows of the input `pitch` bytes apart, with a register tile of
    // partials kept in registers. The same order as row by row.
    void column_rows(const ReductionCode& r, char* partials, const char* in, char* buffer,
                     std::int64_t pitch, std::int64_t rows) const;

  private:
    // Rows of the input, `pitch` bytes apart; `first`: they start the accumulation.
    struct Rows {
        std::int64_t columns, pitch, count;
        bool first;
    };
    // Any number of rows; accumulate_some takes at most kFoldRows.
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
