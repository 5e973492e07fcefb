// Elements and short runs at the positions of an index. Internal to exec.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace hassium {

template <std::size_t N>
void copy_fixed(char* to, const char* from) {
    struct {
        char bytes[N];
    } value;
    std::memcpy(&value, from, N);
    std::memcpy(to, &value, N);
}

// Calls f with a run's length as a constant: zero when it is none of those.
template <class F>
void with_length(std::int64_t bytes, F f) {
    switch (bytes) {
#define HS_LENGTH(n) \
    case n:          \
        return f(std::integral_constant<std::size_t, n>{});
        HS_LENGTH(1)
        HS_LENGTH(2)
        HS_LENGTH(4)
        HS_LENGTH(8)
        HS_LENGTH(12)
        HS_LENGTH(16)
        HS_LENGTH(24)
        HS_LENGTH(32)
        HS_LENGTH(64)
#undef HS_LENGTH
        default:
            return f(std::integral_constant<std::size_t, 0>{});
    }
}

// n elements of so many bytes from a vector, whose positions lie side by side like the elements.
// Positions may lie where the elements come to, if these have as many bytes.
void pick_elements(char* to, const char* vector, const char* positions, std::int64_t bytes,
                   std::int64_t n);

}  // namespace hassium
