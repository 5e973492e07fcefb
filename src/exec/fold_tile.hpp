// The part of a tile in reductions: its elements go to their partials. Internal to exec.
#pragma once

#include "exec/code.hpp"

namespace hassium {

struct TileFold {
    const BlockCode& code;
    std::int64_t position, count;  // of the tile in the span
    std::int64_t chunk;            // column form: number of the swept run
    bool first;                    // column form: first step of the swept run

    // Row form by chunks, row form in order, column form.
    void row_chunks(const ReductionCode& r, char* partials, const char* in, char* buffer) const;
    void row_scan(const ReductionCode& r, char* partials, const char* in, char* rubbish) const;
    void columns(const ReductionCode& r, char* partials, const char* in, char* buffer) const;

  private:
    void row_planes(const ReductionCode& r, char* out, const char* in, char* buffer,
                    std::int64_t rows) const;
    void narrow_columns(const ReductionCode& r, char* partials, const char* in, char* buffer,
                        std::int64_t step) const;
};

}  // namespace hassium
