#include "exec/single/index_lookups.hpp"

#include "base/error.hpp"

namespace hassium {

void pick_elements(char* to, const char* vector, const char* positions, std::int64_t bytes,
                   std::int64_t n) {
    with_length(bytes, [&](auto length) {
        if constexpr (length == 0) {
            HS_CHECK(false, "elements have the size of a native dtype");
        } else {
            constexpr std::int64_t kBytes{length};
            for (std::int64_t k = 0; k < n; ++k) {
                std::int64_t position;
                std::memcpy(&position, positions + k * std::int64_t{sizeof(position)},
                            sizeof(position));
                copy_fixed<length>(to + k * kBytes, vector + position * kBytes);
            }
        }
    });
}

}  // namespace hassium
