// Chunks of a PCG64's units (sample_chunks.hpp): where they begin, and how their values are stored.
// Internal to exec.
#pragma once

#include "exec/random/pcg_units.hpp"
#include "exec/random/sample_chunks.hpp"
#include "exec/random/sample_target.hpp"

namespace hassium {

template <class Unit, class Value>
class PcgChunks : public DrawnChunks {
    using Units = PcgUnits<Unit>;

  public:
    // The stream and the target must outlive this. A chunk has `words` words of the stream.
    PcgChunks(PcgStream& stream, const Drawn& drawn, std::int64_t words)
        : start_(stream), stream_(stream), drawn_(drawn), units_(words * Units::kEach) {}

    void allot(int threads) final { values_.allot(threads, units_ + Units::kEach); }
    void begin(std::int64_t, int) final {}
    std::int64_t first_unit(std::int64_t chunk) const final {
        return chunk == 0 ? 0 : Units::left(start_) + chunk * units_;
    }
    void store(int thread, std::int64_t first, std::int64_t at, std::int64_t count) final {
        store_drawn(drawn_, values_.of(thread) + first, at, count);
    }
    void finish(std::int64_t, int, std::int64_t end) final { Units::skip(stream_, end); }

  protected:
    const PcgStream start_;
    DrawnValues<Value> values_;

  private:
    PcgStream& stream_;
    const Drawn& drawn_;
    const std::int64_t units_;  // of a chunk
};

}  // namespace hassium
