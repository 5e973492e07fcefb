// Random numbers with the bits of NumPy's PCG64 and MT19937, which leave the generators in the same
// state; on several threads if that pays. Called without the GIL.
#pragma once

#include <cstdint>

#include "base/random_streams.hpp"
#include "base/types.hpp"

namespace hassium {

// The output of a draw.
struct Drawn {
    char* out;
    std::int64_t n;
    LinearMap map = {false, false, 1, 0};
    std::int64_t chunk_words = 0;  // 0: the fastest size
};

// The distributions of a Generator, by ziggurats; F64 or F32.
void draw_normal(PcgStream& stream, DType dtype, const Drawn& drawn);
void draw_exponential(PcgStream& stream, DType dtype, const Drawn& drawn);
void draw_integers(PcgStream& stream, DType dtype, IntegerRange range, const Drawn& drawn);

// The distributions of a RandomState; F64.
void draw_uniform(TwisterStream& stream, const Drawn& drawn);
void draw_exponential(TwisterStream& stream, DType dtype, const Drawn& drawn);
// For an even count, by the polar method.
void draw_normal(TwisterStream& stream, DType dtype, const Drawn& drawn);
void draw_integers(TwisterStream& stream, DType dtype, IntegerRange range, const Drawn& drawn);

}  // namespace hassium
