// Kernels against plain scalar code, where that is simple enough to be written twice, on every
// level this machine runs.
#include <array>
#include <limits>

#include "support/kernel_calls.hpp"

using namespace kernel_tests;

namespace {

template <class T>
T get(Buffer& b, std::int64_t k) {
    T x;
    std::memcpy(&x, b.at(k), sizeof(T));
    return x;
}

template <class T, class Wanted>
void check_binary(Op op, DType dtype, Wanted wanted) {
    constexpr std::int64_t kCount = 500;
    std::vector<Buffer> ins = random_inputs(op, dtype, kCount);
    Call call = run_map(op, dtype, ins, 0, kCount);
    int wrong = 0;
    for (std::int64_t k = 0; k < kCount; ++k) {
        const auto expected = wanted(get<T>(ins[0], k), get<T>(ins[1], k));
        const auto got = get<std::remove_const_t<decltype(expected)>>(call.outs[0], k);
        const bool both_nan = expected != expected && got != got;
        wrong += !(std::memcmp(&expected, &got, sizeof(got)) == 0 || both_nan);
    }
    CHECK_AT(wrong == 0, where(op, dtype));
}

template <class T>
T floor_of(T a, T b) {
    if (b == 0) return 0;
    if (std::numeric_limits<T>::is_signed && b == static_cast<T>(-1))
        return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
    const T q = static_cast<T>(a / b);
    return a % b != 0 && (a % b < 0) != (b < 0) ? static_cast<T>(q - 1) : q;
}

template <class T>
void whole_numbers(DType t) {
    using U = std::make_unsigned_t<T>;
    constexpr int kBits = 8 * sizeof(T);
    auto wrap = [](auto x) { return static_cast<T>(x); };
    check_binary<T>(Op::Add, t, [&](T a, T b) { return wrap(U(a) + U(b)); });
    check_binary<T>(Op::Subtract, t, [&](T a, T b) { return wrap(U(a) - U(b)); });
    check_binary<T>(Op::Multiply, t, [&](T a, T b) {
        return wrap(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
    });
    check_binary<T>(Op::FloorDivide, t, [](T a, T b) { return floor_of(a, b); });
    check_binary<T>(Op::Remainder, t, [&](T a, T b) {
        return b == 0 ? T(0)
                      : wrap(U(a) - U(static_cast<std::uint64_t>(floor_of(a, b)) *
                                      static_cast<std::uint64_t>(b)));
    });
    check_binary<T>(Op::Maximum, t, [](T a, T b) { return a > b ? a : b; });
    check_binary<T>(Op::Minimum, t, [](T a, T b) { return a < b ? a : b; });
    check_binary<T>(Op::Less, t, [](T a, T b) { return a < b; });
    check_binary<T>(Op::GreaterEqual, t, [](T a, T b) { return a >= b; });
    check_binary<T>(Op::Equal, t, [](T a, T b) { return a == b; });
    check_binary<T>(Op::BitwiseAnd, t, [&](T a, T b) { return wrap(a & b); });
    check_binary<T>(Op::BitwiseXor, t, [&](T a, T b) { return wrap(a ^ b); });
    check_binary<T>(Op::LogicalAnd, t, [](T a, T b) { return a != 0 && b != 0; });
    check_binary<T>(Op::LeftShift, t,
                    [&](T a, T b) { return U(b) < U(kBits) ? wrap(U(a) << b) : T(0); });
    check_binary<T>(Op::RightShift, t, [&](T a, T b) {
        return U(b) < U(kBits) ? wrap(a >> b) : a < 0 ? wrap(-1) : T(0);
    });
}

template <class T>
void floats(DType t) {
    check_binary<T>(Op::Add, t, [](T a, T b) { return a + b; });
    check_binary<T>(Op::Subtract, t, [](T a, T b) { return a - b; });
    check_binary<T>(Op::Multiply, t, [](T a, T b) { return a * b; });
    check_binary<T>(Op::Divide, t, [](T a, T b) { return a / b; });
    check_binary<T>(Op::Less, t, [](T a, T b) { return a < b; });
    check_binary<T>(Op::NotEqual, t, [](T a, T b) { return a != b; });
    check_binary<T>(Op::Copysign, t, [](T a, T b) { return std::copysign(a, b); });
    check_binary<T>(Op::Fmod, t, [](T a, T b) { return std::fmod(a, b); });
    check_binary<T>(Op::LogicalOr, t, [](T a, T b) { return a != 0 || b != 0; });
    // Equal operands may be zeros of either sign.
    check_binary<T>(Op::Maximum, t, [](T a, T b) { return a != a || a > b ? a : b; });
    check_binary<T>(Op::Fmin, t, [](T a, T b) { return b != b || a < b ? a : b; });
}

void conditions_of_whole_numbers() {
    auto raised = [](Op op, std::int64_t a, std::int64_t b) {
        std::vector<Buffer> ins{Buffer(DType::I64, 1), Buffer(DType::I64, 1)};
        std::memcpy(ins[0].data(), &a, 8);
        std::memcpy(ins[1].data(), &b, 8);
        return run_map(op, DType::I64, ins, 0, 1).raised;
    };
    const std::int64_t least = std::numeric_limits<std::int64_t>::min();
    CHECK(raised(Op::FloorDivide, 7, 0) == kDivide);
    CHECK(raised(Op::FloorDivide, least, -1) == kOver);
    CHECK(raised(Op::FloorDivide, -7, 2) == kNoFlag);
    CHECK(raised(Op::Remainder, 7, 0) == kDivide);
    CHECK(raised(Op::Remainder, least, -1) == kNoFlag);
    CHECK(raised(Op::Fmod, 0, 0) == kDivide);
    CHECK(raised(Op::Divmod, least, -1) == kOver);
}

// Comparisons and extrema of nans raise nothing, on every level.
void quiet_nans() {
    std::vector<Buffer> ins{Buffer(DType::F64, 3), Buffer(DType::F64, 3)};
    const double a[3] = {NAN, 1, NAN}, b[3] = {1, NAN, NAN};
    std::memcpy(ins[0].data(), a, sizeof(a));
    std::memcpy(ins[1].data(), b, sizeof(b));
    for (Op op : {Op::Less, Op::GreaterEqual, Op::Equal, Op::Maximum, Op::Fmin, Op::Sign}) {
        std::vector<Buffer> some(ins.begin(), ins.begin() + info(op).nin);
        CHECK_AT(run_map(op, DType::F64, some, 0, 3).raised == 0, where(op, DType::F64));
    }
}

void every_half() {
    std::vector<std::uint16_t> halves(65536), back(65536);
    std::vector<float> wide(65536);
    for (std::size_t k = 0; k < halves.size(); ++k) halves[k] = static_cast<std::uint16_t>(k);
    const auto cast = [](DType from, DType to) {
        return kernels().cast[static_cast<int>(from)][static_cast<int>(to)];
    };
    cast(DType::F16, DType::F32)(reinterpret_cast<char*>(wide.data()),
                                 reinterpret_cast<char*>(halves.data()), 65536);
    cast(DType::F32, DType::F16)(reinterpret_cast<char*>(back.data()),
                                 reinterpret_cast<char*>(wide.data()), 65536);
    int wrong = 0;
    for (std::uint32_t k = 0; k < 65536; ++k) {
        const std::uint32_t exponent = k >> 10 & 31, fraction = k & 1023;
        double value = exponent == 0 ? std::ldexp(fraction, -24)
                                     : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
        if (exponent == 31) value = fraction ? NAN : INFINITY;
        if (k >> 15) value = -value;
        const bool nan = std::isnan(value);
        wrong += nan ? !std::isnan(wide[k]) : wide[k] != static_cast<float>(value);
        wrong += nan ? (back[k] & 0x7c00) != 0x7c00 || !(back[k] & 1023) : back[k] != k;
    }
    CHECK_AT(wrong == 0, kernels().level);
    // Ties go to even, beyond the last tie to infinity; from float64 there is one rounding.
    const double doubles[] = {
        2049, 2051, 65519.999, 65520, 0x1p-25, 0x1.8p-25, 1 + 0x1p-11 + 0x1p-40};
    const std::uint16_t wanted[] = {0x6800, 0x6802, 0x7bff, 0x7c00, 0, 1, 0x3c01};
    std::uint16_t got[7];
    cast(DType::F64, DType::F16)(reinterpret_cast<char*>(got),
                                 reinterpret_cast<const char*>(doubles), 7);
    CHECK_AT(std::memcmp(got, wanted, sizeof(got)) == 0, kernels().level);
}

// Whether a cast gives what the processor does. On x86-64 that is one number, `of_sse`. Elsewhere
// the compiler's conversion is what NumPy has too: of the float itself, or, in vector code, of an
// integer as wide as the float, whose low bits remain.
template <class T>
bool is_cast(T got, [[maybe_unused]] double x, [[maybe_unused]] T of_sse) {
#if defined(__x86_64__)
    return got == of_sse;
#else
    const volatile double value = x;  // converted by the processor, not by the compiler
    return got == static_cast<T>(value) || got == static_cast<T>(static_cast<std::int64_t>(value));
#endif
}

template <class T, std::size_t N>
void check_casts(DType to, const double (&values)[N], const std::array<T, N>& of_sse) {
    T got[N];
    clear_fp_flags();
    kernels().cast[static_cast<int>(DType::F64)][static_cast<int>(to)](
        reinterpret_cast<char*>(got), reinterpret_cast<const char*>(values), N);
    CHECK_AT(read_fp_flags() == kInvalid, kernels().level);
    int wrong = 0;
    for (std::size_t k = 0; k < N; ++k) wrong += !is_cast(got[k], values[k], of_sse[k]);
    CHECK_AT(wrong == 0, std::string(kernels().level) + " cast to " + std::string(info(to).name));
}

void casts_that_do_not_fit() {
    const double values[] = {NAN, INFINITY, -1e30, 3e9, -1.5, 300.7, 1.8e19};
    constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
    check_casts(DType::I32, values, std::array{kLeast, kLeast, kLeast, kLeast, -1, 300, kLeast});
    check_casts(DType::U8, values, std::array<std::uint8_t, 7>{0, 0, 0, 0, 255, 44, 0});
    constexpr std::uint64_t kHalf = std::uint64_t{1} << 63;
    check_casts(DType::U64, values,
                std::array<std::uint64_t, 7>{kHalf, 0, kHalf, 3000000000u, ~std::uint64_t{0}, 300,
                                             18000000000000000000u});
}

// Distances that have loops of their own, and one that has none. What lies between the elements and
// after the last one stays as it was, and is not read: the source ends with its last element.
void steps() {
    const KernelTable& table = kernels();
    for (int size = 0; size < kItemSizes; ++size) {
        const std::int64_t bytes = std::int64_t{1} << size;
        for (std::int64_t step : {1, 2, 3, 4, 5, -1, -2}) {
            for (std::int64_t n : {1, 2, 8, 9, 16, 17, 33, 64, 65, 200}) {
                const std::int64_t reach = (n - 1) * (step < 0 ? -step : step) * bytes;
                const std::int64_t first = step < 0 ? reach : 0;
                std::vector<char> source(static_cast<std::size_t>(reach + bytes));
                for (char& c : source) c = static_cast<char>(random_bits());
                Buffer packed(DType::U8, n * bytes), target(DType::U8, reach + bytes);
                table.load[size](packed.data(), source.data() + first, step * bytes, n);
                for (std::int64_t k = 0; k < reach + bytes; ++k) *target.at(k) = 77;
                table.store[size](target.at(first), step * bytes, packed.data(), n);
                std::vector<char> wanted(source.size(), 77);
                bool same = true;
                for (std::int64_t k = 0; k < n; ++k) {
                    const std::int64_t at = first + k * step * bytes;
                    const auto length = static_cast<std::size_t>(bytes);
                    same =
                        same && std::memcmp(packed.at(k * bytes), source.data() + at, length) == 0;
                    std::memcpy(wanted.data() + at, source.data() + at, length);
                }
                same = same && std::memcmp(target.data(), wanted.data(), wanted.size()) == 0;
                CHECK_AT(same && packed.intact() && target.intact(), table.level);
            }
        }
    }
}

// Rows of all lengths that are copied in their own ways, side by side here and apart there, with
// and without what lies ahead of them. Nothing between them is written, and nothing behind is read.
void rows() {
    const KernelTable& table = kernels();
    for (int size = 0; size < kItemSizes; ++size) {
        const std::int64_t bytes = std::int64_t{1} << size;
        for (std::int64_t step : {1, 3, 4, -1, 0}) {
            for (std::int64_t n : {1, 3, 7, 8, 9, 15, 16, 25, 31, 33, 64, 67, 130, 1030}) {
                const std::int64_t count = n == 1030 ? 2 : 4;
                const std::int64_t reach = (n - 1) * (step < 0 ? -step : step) * bytes;
                const std::int64_t first = step < 0 ? reach : 0, pitch = reach + 3 * bytes;
                const std::int64_t all = (count - 1) * pitch + reach + bytes;
                std::vector<char> source(static_cast<std::size_t>(all));
                for (char& c : source) c = static_cast<char>(random_bits());
                Buffer packed(DType::U8, count * n * bytes), target(DType::U8, all);
                const std::int64_t ahead = n % 2 != 0 ? count * pitch : 0;
                table.load_rows[size](packed.data(), source.data() + first, step * bytes, pitch, n,
                                      count, ahead);
                for (std::int64_t k = 0; k < all; ++k) *target.at(k) = 77;
                if (step != 0) {
                    table.store_rows[size](target.at(first), step * bytes, pitch, packed.data(), n,
                                           count);
                }
                std::vector<char> wanted(source.size(), 77);
                bool same = true;
                for (std::int64_t k = 0; k < count * n; ++k) {
                    const std::int64_t at = first + k / n * pitch + k % n * step * bytes;
                    const auto length = static_cast<std::size_t>(bytes);
                    same =
                        same && std::memcmp(packed.at(k * bytes), source.data() + at, length) == 0;
                    if (step != 0) std::memcpy(wanted.data() + at, source.data() + at, length);
                }
                same = same && std::memcmp(target.data(), wanted.data(), wanted.size()) == 0;
                CHECK_AT(same && packed.intact() && target.intact(), table.level);
            }
        }
    }
}

// The same for stores of second elements wherever in a cache line they begin, items across lines
// included: they go line by line.
void second_elements_anywhere() {
    const KernelTable& table = kernels();
    for (int size = 2; size <= 3; ++size) {
        const std::int64_t bytes = std::int64_t{1} << size;
        for (std::int64_t before = 0; before < 64; ++before) {
            for (std::int64_t n : {1, 7, 8, 9, 16, 24, 33}) {
                const std::int64_t all = before + (2 * n - 1) * bytes;
                Buffer packed(DType::U8, n * bytes), target(DType::U8, all);
                randomise(packed);
                std::vector<char> wanted(static_cast<std::size_t>(all), 77);
                for (std::int64_t k = 0; k < all; ++k) *target.at(k) = 77;
                for (std::int64_t k = 0; k < n; ++k) {
                    std::memcpy(wanted.data() + before + 2 * k * bytes, packed.at(k * bytes),
                                static_cast<std::size_t>(bytes));
                }
                table.store[size](target.at(before), 2 * bytes, packed.data(), n);
                const bool same = std::memcmp(target.data(), wanted.data(), wanted.size()) == 0;
                CHECK_AT(same && target.intact(), table.level);
            }
        }
    }
}

void moves() {
    const KernelTable& table = kernels();
    for (int size = 0; size < kItemSizes; ++size) {
        const std::int64_t bytes = std::int64_t{1} << size;
        for (std::int64_t n : {0, 1, 3, 33, 130}) {
            std::vector<char> strided(static_cast<std::size_t>(3 * bytes * (n + 1)));
            for (char& c : strided) c = static_cast<char>(random_bits());
            Buffer packed(DType::U8, n * bytes), back(DType::U8, n * bytes);
            table.load[size](packed.data(), strided.data() + bytes, 3 * bytes, n);
            bool same = true;
            for (std::int64_t k = 0; k < n; ++k) {
                same = same &&
                       std::memcmp(packed.at(k * bytes), strided.data() + bytes + 3 * bytes * k,
                                   static_cast<std::size_t>(bytes)) == 0;
            }
            CHECK_AT(same && packed.intact(), table.level);
            // Backwards out and in again.
            std::vector<char> reversed(static_cast<std::size_t>(bytes * n + 1));
            char* last = reversed.data() + (n > 0 ? (n - 1) * bytes : 0);
            table.store[size](last, -bytes, packed.data(), n);
            table.load[size](back.data(), last, -bytes, n);
            CHECK_AT(back.bytes == packed.bytes, table.level);
            // Where the mask is zero nothing is written.
            std::vector<char> mask(static_cast<std::size_t>(n));
            for (char& m : mask) m = static_cast<char>(random_bits() % 2);
            std::vector<char> target = strided;
            table.blend[size](target.data() + bytes, 3 * bytes, back.data(), mask.data(), n);
            CHECK_AT(target == strided, table.level);
            table.fill[size](packed.data(), strided.data(), n);
            table.blend[size](packed.data(), bytes, back.data(), mask.data(), n);
            for (std::int64_t k = 0; k < n; ++k) {
                const char* wanted =
                    mask[static_cast<std::size_t>(k)] ? back.at(k * bytes) : strided.data();
                same = same && std::memcmp(packed.at(k * bytes), wanted,
                                           static_cast<std::size_t>(bytes)) == 0;
            }
            CHECK_AT(same && packed.intact(), table.level);
        }
    }
    alignas(64) char streamed[320];
    std::memset(streamed, 0x5a, sizeof(streamed));
    Buffer source(DType::U8, 300);
    randomise(source);
    table.stream(streamed, source.data(), 201);
    CHECK_AT(std::memcmp(streamed, source.data(), 201) == 0 && streamed[201] == 0x5a, table.level);
}

void ranges() {
    const double start = 0.1, step = 0.3;
    double out[100];
    kernels().range[static_cast<int>(DType::F64)](reinterpret_cast<char*>(out),
                                                  reinterpret_cast<const char*>(&start),
                                                  reinterpret_cast<const char*>(&step), 7, 3, 100);
    bool same = true;
    for (int k = 0; k < 100; ++k) same = same && out[k] == start + (7 + 3 * k) * step;
    const std::int8_t first = 100, by = 3;
    std::int8_t small[100];
    kernels().range[static_cast<int>(DType::I8)](reinterpret_cast<char*>(small),
                                                 reinterpret_cast<const char*>(&first),
                                                 reinterpret_cast<const char*>(&by), 0, 1, 100);
    for (int k = 0; k < 100; ++k) same = same && small[k] == static_cast<std::int8_t>(100 + 3 * k);
    CHECK_AT(same, kernels().level);
}

void check_level() {
    whole_numbers<std::int8_t>(DType::I8);
    whole_numbers<std::int16_t>(DType::I16);
    whole_numbers<std::int32_t>(DType::I32);
    whole_numbers<std::int64_t>(DType::I64);
    whole_numbers<std::uint8_t>(DType::U8);
    whole_numbers<std::uint16_t>(DType::U16);
    whole_numbers<std::uint32_t>(DType::U32);
    whole_numbers<std::uint64_t>(DType::U64);
    floats<float>(DType::F32);
    floats<double>(DType::F64);
    conditions_of_whole_numbers();
    quiet_nans();
    every_half();
    casts_that_do_not_fit();
    moves();
    steps();
    rows();
    second_elements_anywhere();
    ranges();
}

}  // namespace

int main() { return check_levels(check_level); }
