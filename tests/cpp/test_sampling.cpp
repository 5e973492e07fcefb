// Draws that many threads make in chunks of any length are those that one makes in one chunk, and
// leave the generator in the same state.
#include <algorithm>
#include <cstring>
#include <vector>

#include "base/settings.hpp"
#include "exec/random/sampling.hpp"
#include "exec/random/ziggurats.hpp"
#include "support/check.hpp"

using namespace hassium;

namespace {

check::Random randoms = {0x9e3779b97f4a7c15};

PcgStream any_pcg() {
    PcgStream s;
    s.state = static_cast<Word128>(randoms.next()) << 64 | randoms.next();
    s.increment = static_cast<Word128>(randoms.next()) << 64 | randoms.next() | 1;
    s.has_half = randoms.below(2) == 1;
    s.half = static_cast<std::uint32_t>(randoms.next());
    return s;
}

TwisterStream any_twister() {
    TwisterStream s;
    for (std::uint32_t& word : s.key) word = static_cast<std::uint32_t>(randoms.next());
    s.position = static_cast<int>(randoms.between(0, TwisterStream::kWords));
    return s;
}

bool same(const PcgStream& a, const PcgStream& b) {
    return a.state == b.state && a.increment == b.increment && a.has_half == b.has_half &&
           a.half == b.half;
}

bool same(const TwisterStream& a, const TwisterStream& b) {
    return a.position == b.position && std::equal(a.key, a.key + TwisterStream::kWords, b.key);
}

// `draw(stream, drawn)` of n items of so many bytes, in chunks and in one.
template <class Stream, class Draw>
void compare(const Stream& stream, std::int64_t n, std::int64_t bytes, std::int64_t whole,
             Draw draw) {
    const auto size = static_cast<std::size_t>(n * bytes);
    std::vector<char> expected(size), found(size, 1);
    Stream once = stream;
    draw(once, Drawn{.out = expected.data(), .n = n, .chunk_words = whole});
    for (const std::int64_t chunk : {1, 3, 64, 700, 0}) {
        if (chunk > 0 && n / chunk > 200) continue;  // each begins with a thousand words
        Stream cut = stream;
        draw(cut, Drawn{.out = found.data(), .n = n, .chunk_words = chunk});
        CHECK(found == expected);
        CHECK(same(once, cut));
    }
}

void of_pcg(std::int64_t n) {
    const std::int64_t whole = 2 * n + 1000;
    for (const DType dtype : {DType::F64, DType::F32}) {
        compare(any_pcg(), n, itemsize(dtype), whole,
                [&](PcgStream& s, const Drawn& d) { draw_normal(s, dtype, d); });
        compare(any_pcg(), n, itemsize(dtype), whole,
                [&](PcgStream& s, const Drawn& d) { draw_exponential(s, dtype, d); });
    }
    for (const DType dtype : {DType::U8, DType::I16, DType::U32, DType::I64}) {
        for (int k = 0; k < 3; ++k) {
            const std::uint64_t span = randoms.next() >> (8 * (8 - itemsize(dtype))) >> 3 * k * k;
            const IntegerRange range = {randoms.next(), span};
            compare(any_pcg(), n, itemsize(dtype), 3 * n + 1000,
                    [&](PcgStream& s, const Drawn& d) { draw_integers(s, dtype, range, d); });
            compare(any_twister(), n, itemsize(dtype), 5 * n + 1000,
                    [&](TwisterStream& s, const Drawn& d) { draw_integers(s, dtype, range, d); });
        }
    }
}

void of_twister(std::int64_t n) {
    const std::int64_t whole = 8 * n + 1000;
    compare(any_twister(), n, 8, whole,
            [](TwisterStream& s, const Drawn& d) { draw_uniform(s, d); });
    compare(any_twister(), n, 8, whole,
            [](TwisterStream& s, const Drawn& d) { draw_exponential(s, DType::F64, d); });
    compare(any_twister(), n / 2 * 2 + 2, 8, whole,
            [](TwisterStream& s, const Drawn& d) { draw_normal(s, DType::F64, d); });
}

// A sum over a table that any other bit changes.
template <class Z>
std::uint64_t sum_of(const Z& z) {
    std::uint64_t sum = 0;
    auto add = [&](auto value) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof value);
        sum = (sum ^ bits) * 0x100000001b3;
    };
    for (const auto& strip : z.strips) add(strip.sure), add(strip.width);
    for (const auto height : z.height) add(height);
    return sum;
}

// As NumPy's are.
void tables() {
    CHECK(sum_of(normal_ziggurat64()) == 0x79799028addce9f);
    CHECK(sum_of(normal_ziggurat32()) == 0x3d638c3281334927);
    CHECK(sum_of(exponential_ziggurat64()) == 0xd84a0f54930bf09c);
    CHECK(sum_of(exponential_ziggurat32()) == 0x1f23a65595176fff);
}

}  // namespace

int main() {
    for (const int threads : {1, 2, 3, 7}) {
        settings().set("threads", std::to_string(threads));
        settings().set("parallelize", "on");
        for (const std::int64_t n : {1, 64, 65, 700, 5000, 20000}) {
            of_pcg(n);
            of_twister(n);
        }
    }
    tables();
}
