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
constexpr unsigned kFamilyOfCore = 6, kSapphireRapids = 143, kEmeraldRapids = 207;

enum class Vendor { Amd, Intel, Other };

struct Processor {
    Vendor vendor = Vendor::Other;
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
    if (!__get_cpuid(1, &a, &b, &c, &d)) return {};
    const unsigned family = a >> 8 & 0xf, model = (a >> 4 & 0xf) + (a >> 12 & 0xf0);
    if (std::memcmp(vendor, "GenuineIntel", 12) == 0) return {Vendor::Intel, family, model};
    if (std::memcmp(vendor, "AuthenticAMD", 12) != 0) return {};
    return {Vendor::Amd, family + (a >> 20 & 0xff), model};
#else
    return {};
#endif
}

const Processor& processor() {
    static const Processor found = ask_processor();
    return found;
}

}  // namespace

std::int64_t fetches_gain_from(bool mostly_moves) {
    const Processor& p = processor();
    if (p.vendor == Vendor::Intel) {
        const bool gains =
            p.family == kFamilyOfCore && (p.model == kSapphireRapids || p.model == kEmeraldRapids);
        return gains && !mostly_moves ? 12 * kMega : kNever;
    }
    if (p.vendor != Vendor::Amd) return kNever;
    if (p.family == kFamilyOfZen5) return 12 * kMega;
    // Below that the 32 MiB L3 cache of Zen 3 needs no prefetching.
    if (p.family == kFamilyOfZen3 && p.model < kFirstModelOfZen4) return 40 * kMega;
    return kNever;
}

// The divider of Zen 5 takes less than four cycles for eight quotients, and seven for roots.
bool sparing_the_divider_gains() {
    return processor().vendor != Vendor::Amd || processor().family < kFamilyOfZen5;
}

}  // namespace hassium
