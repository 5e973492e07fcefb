#include "base/processor.hpp"

#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>

#include <cstring>
#endif

namespace hassium {
namespace {

constexpr std::int64_t kMega = 1 << 20, kNever = std::numeric_limits<std::int64_t>::max();

std::int64_t measured_gain_from() {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    char vendor[12];
    if (!__get_cpuid(0, &a, &b, &c, &d)) return kNever;
    std::memcpy(vendor, &b, 4);
    std::memcpy(vendor + 4, &d, 4);
    std::memcpy(vendor + 8, &c, 4);
    if (std::memcmp(vendor, "AuthenticAMD", 12) != 0 || !__get_cpuid(1, &a, &b, &c, &d)) {
        return kNever;
    }
    constexpr unsigned kFamilyOfZen3 = 0x19, kFirstModelOfZen4 = 0x10, kFamilyOfZen5 = 0x1a;
    const unsigned family = (a >> 8 & 0xf) + (a >> 20 & 0xff);
    const unsigned model = (a >> 4 & 0xf) + (a >> 12 & 0xf0);
    if (family == kFamilyOfZen5) return 12 * kMega;
    // Its last cache of 32 MiB needs none.
    if (family == kFamilyOfZen3 && model < kFirstModelOfZen4) return 40 * kMega;
#endif
    return kNever;
}

}  // namespace

std::int64_t fetches_gain_from() {
    static const std::int64_t bytes = measured_gain_from();
    return bytes;
}

}  // namespace hassium
