// The interleaving kernels against copies of single elements: every item size, number of lanes and
// place in a line.
#include "support/kernel_calls.hpp"

using namespace kernel_tests;

namespace {

constexpr std::int64_t kMostElements = 200;

void check_interleave(int log2, int lanes, std::int64_t n, std::int64_t past) {
    const std::int64_t bytes = std::int64_t{1} << log2, pitch = kMostElements * bytes;
    std::vector<char> in(static_cast<std::size_t>(lanes * pitch));
    for (char& byte : in) byte = static_cast<char>(random_bits());
    // A line before and a line behind must stay as they are.
    constexpr std::int64_t kLine = 64;
    const std::int64_t written = lanes * n * bytes;
    std::vector<char> memory(static_cast<std::size_t>(written + 4 * kLine), 0x5a);
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    const auto begin = static_cast<std::size_t>(
        (kLine - static_cast<std::int64_t>(address % kLine)) % kLine + kLine + past);
    std::vector<char> wanted = memory;
    for (std::int64_t k = 0; k < lanes * n; ++k) {
        std::memcpy(wanted.data() + begin + static_cast<std::size_t>(k * bytes),
                    in.data() + k % lanes * pitch + k / lanes * bytes,
                    static_cast<std::size_t>(bytes));
    }
    kernels().interleave[log2](memory.data() + begin, in.data(), pitch, lanes, n);
    CHECK_AT(memory == wanted, std::to_string(bytes) + " bytes, " + std::to_string(lanes) +
                                   " lanes, n=" + std::to_string(n) + " at " +
                                   std::to_string(past));
}

void check_level() {
    for (int log2 = 0; log2 < kItemSizes; ++log2) {
        for (int lanes = 2; lanes <= 8; ++lanes) {
            for (std::int64_t n : {0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 64, 100, 128, 200}) {
                const std::int64_t bytes = std::int64_t{1} << log2;
                for (std::int64_t past = 0; past < 64; past += bytes) {
                    check_interleave(log2, lanes, n, past);
                }
                // Elements that no register begins with.
                if (bytes > 1) check_interleave(log2, lanes, n, bytes / 2);
            }
        }
    }
}

}  // namespace

int main() { return check_levels(check_level); }
