// Random numbers as NumPy's PCG64 and MT19937 give them: the same bits, and the generators left in
// the same state, by as many threads as are worth it. Called without the GIL.
#pragma once

#include <cstdint>

#include "base/random_streams.hpp"
#include "base/types.hpp"

namespace hassium {

// Where drawn numbers go.
struct Drawn {
    char* out;
    std::int64_t n;
    LinearMap map = {false, false, 1, 0};
    std::int64_t chunk_words = 0;  // 0: what is fast
};

// The distributions of a Generator, by ziggurats; F64 or F32.
void draw_normal(PcgStream& stream, DType dtype, const Drawn& drawn);
void draw_exponential(PcgStream& stream, DType dtype, const Drawn& drawn);
void draw_integers(PcgStream& stream, DType dtype, IntegerRange range, const Drawn& drawn);

// Those of a RandomState; F64.
void draw_uniform(TwisterStream& stream, const Drawn& drawn);
void draw_exponential(TwisterStream& stream, DType dtype, const Drawn& drawn);
// An even count, by the polar method.
void draw_normal(TwisterStream& stream, DType dtype, const Drawn& drawn);
void draw_integers(TwisterStream& stream, DType dtype, IntegerRange range, const Drawn& drawn);

}  // namespace hassium
