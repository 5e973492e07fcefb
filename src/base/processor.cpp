#include "base/processor.hpp"

#if defined(__x86_64__)
#include <cpuid.h>

#include <cstring>
#endif

namespace hassium {
namespace {

bool measured_to_gain() {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    char vendor[12];
    if (!__get_cpuid(0, &a, &b, &c, &d)) return false;
    std::memcpy(vendor, &b, 4);
    std::memcpy(vendor + 4, &d, 4);
    std::memcpy(vendor + 8, &c, 4);
    if (std::memcmp(vendor, "AuthenticAMD", 12) != 0 || !__get_cpuid(1, &a, &b, &c, &d)) {
        return false;
    }
    constexpr unsigned kZen5 = 0x1a;
    const unsigned family = (a >> 8 & 0xf) + (a >> 20 & 0xff);
    return family == kZen5;
#else
    return false;
#endif
}

}  // namespace

bool gains_by_fetches() {
    static const bool gains = measured_to_gain();
    return gains;
}

}  // namespace hassium
