#include "base/processor.hpp"

#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>

#include <cstring>
#endif

namespace hassium {
namespace {

constexpr std::int64_t kMega = 1 << 20, kNever = std::numeric_limits<std::int64_t>::max();
constexpr unsigned kFamilyOfZen3 = 0x19, kFirstModelOfZen4 = 0x10, kFamilyOfZen5 = 0x1a;

// Family and model of an AMD processor; family 0: another vendor.
struct Processor {
    unsigned family = 0, model = 0;
};

Processor ask_processor() {
#if defined(__x86_64__)
    unsigned a = 0, b = 0, c = 0, d = 0;
    char vendor[12];
    if (!__get_cpuid(0, &a, &b, &c, &d)) return {};
    std::memcpy(vendor, &b, 4);
    std::memcpy(vendor + 4, &d, 4);
    std::memcpy(vendor + 8, &c, 4);
    if (std::memcmp(vendor, "AuthenticAMD", 12) != 0 || !__get_cpuid(1, &a, &b, &c, &d)) return {};
    return {(a >> 8 & 0xf) + (a >> 20 & 0xff), (a >> 4 & 0xf) + (a >> 12 & 0xf0)};
#else
    return {};
#endif
}

const Processor& processor() {
    static const Processor found = ask_processor();
    return found;
}

}  // namespace

std::int64_t fetches_gain_from() {
    const Processor& p = processor();
    if (p.family == kFamilyOfZen5) return 12 * kMega;
    // Below that the 32 MiB L3 cache of Zen 3 needs no prefetching.
    if (p.family == kFamilyOfZen3 && p.model < kFirstModelOfZen4) return 40 * kMega;
    return kNever;
}

// The divider of Zen 5 takes less than four cycles for eight quotients, and seven for roots.
bool sparing_the_divider_gains() { return processor().family < kFamilyOfZen5; }

}  // namespace hassium
