#include "exec/random/pcg_units.hpp"

#include "simd/tables/kernels.hpp"

namespace hassium {

void pcg_words(std::uint64_t* out, const PcgStream& stream, std::int64_t first, std::int64_t n) {
    const RangeFn words = generator_of(kernels(), Op::Random, DType::U64);
    words(reinterpret_cast<char*>(out), reinterpret_cast<const char*>(&stream.state),
          reinterpret_cast<const char*>(&stream.increment), first, 1, n);
}

}  // namespace hassium
