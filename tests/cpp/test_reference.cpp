// The reference executor on text programs: every class of row, casts, masks, strides, trees, flags.
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "exec/executor.hpp"
#include "ops/dtype_rules.hpp"
#include "program/fill.hpp"
#include "program/program.hpp"
#include "reference/reference.hpp"
#include "reference/table.hpp"
#include "runtime/memory_pool.hpp"
#include "support/check.hpp"

using namespace hassium;

namespace {

struct Run {
    Program program;
    std::vector<Binding> bases;
    std::uint8_t raised = 0;

    explicit Run(const std::string& text) : program(Program::parse(text)) {
        program.verify();
        for (std::size_t k = 0; k < program.bases.size(); ++k) {
            const BaseInfo& base = program.bases[k];
            bases.push_back({nullptr, base.bytes});
            if (!base.input) continue;
            bases[k].data = memory_pool().acquire(base.bytes);
            fill_input(program.names[k], base.dtype, bases[k].data, base.bytes);
        }
        for (std::size_t i = 0; i < program.instructions.size(); ++i) {
            RunState state;
            run_reference(program, i, bases, state);
            raised |= state.raised;
        }
    }
    Run(const Run&) = delete;
    ~Run() {
        for (Binding& base : bases) {
            if (base.data) memory_pool().release(base.data, base.bytes);
        }
    }

    template <class T>
    std::vector<T> get(std::size_t base) const {
        std::vector<T> values(static_cast<std::size_t>(bases[base].bytes) / sizeof(T));
        if (values.empty()) return values;
        std::memcpy(values.data(), bases[base].data, values.size() * sizeof(T));
        return values;
    }
};

template <class T>
void expect(const std::string& text, std::size_t base, std::vector<T> values) {
    Run run(text);
    std::vector<T> got = run.get<T>(base);
    bool same =
        got.size() == values.size() &&
        (got.empty() || std::memcmp(got.data(), values.data(), got.size() * sizeof(T)) == 0);
    if (!same) {
        std::string line = text + "gives";
        for (T v : got) line += " " + std::to_string(v);
        check::fail(__FILE__, __LINE__, line);
    }
}

// What NumPy's PCG64(42) draws.
void random_numbers() {
    const std::string state = "0xcea44f6798798f2aacbc7c9d68860ac8",
                      increment = "0xfa505436c9a8416e66caf2e28d25abff";
    auto drawn = [&](const std::string& dtype, const char* count) {
        return "base a " + dtype + " " + count + "\nrandom a " + state + " " + increment + "\n";
    };
    expect<std::uint64_t>(drawn("uint64", "3"), 0,
                          {14276969152011380360u, 8095878257575067585u, 15838336090824644132u});
    expect<double>(
        drawn("float64", "4"), 0,
        {0.7739560485559633, 0.4388784397520523, 0.8585979199113825, 0.6973680290593639});
    expect<float>(drawn("float32", "5"), 0,
                  {0x1.6d926p-4f, 0x1.8c43f6p-1f, 0x1.4f23fep-1f, 0x1.c16958p-2f, 0x1.bb6858p-2f});
}

void maps() {
    expect<double>("base a float64 4\narange a 1 2\nmultiply a a a\n", 0, {1, 9, 25, 49});
    expect<double>("base a float64 4\narange a 0 1\ncopy a[0+(2:3)] 9\n", 0, {9, 1, 2, 9});
    expect<double>("base a float64 4\nbase b float64 4\narange a 0 1\ncopy b a[3+(4:-1)]\n", 1,
                   {3, 2, 1, 0});
    expect<float>("base a int32 3\nbase b float32 3\narange a 1 1\ndivide b a 2\n", 1,
                  {0.5f, 1.0f, 1.5f});
    expect<std::int32_t>("base a float64 3\nbase b int32 3\narange a -1.5 1.5\ncopy b a\n", 1,
                         {-1, 0, 1});
    expect<std::int8_t>("base a int8 3\narange a 126 1\nadd a a 1\n", 0, {127, -128, -127});
    expect<double>("base a float64 4\nbase m bool 4\narange a 0 1\nless m a 2\ncopy a -1 where=m\n",
                   0, {-1, -1, 2, 3});
    expect<double>(
        "base a float64 2\nbase q float64 2\nbase r float64 2\narange a -7 14\n"
        "divmod q,r a 3\n",
        1, {-3, 2});
    expect<std::int64_t>("base a int64 4\narange a -7 5\nremainder a a 3\n", 0, {2, 1, 0, 2});
    // Rows and columns: a broadcast sum of two vectors.
    expect<double>(
        "base v float64 2\nbase w float64 3\nbase m float64 6\narange v 0 10\narange w 0 1\n"
        "add m[0+(2:3,3:1)] v[0+(2:1,1:0)] w\n",
        2, {0, 1, 2, 10, 11, 12});
    expect<double>("base z complex128 2\ncopy z 1+2j\nmultiply z z z\n", 0, {-3, 4, -3, 4});
    expect<double>("base z complex128 1\nbase a float64 1\ncopy z 3-4j\nabsolute a z\n", 1, {5});
    expect<std::uint16_t>("base h float16 1\ncopy h 2049\nadd h h 1\n", 0, {0x6800});
    expect<double>("base e float64 0\nadd e e 1\n", 0, {});
}

void moves() {
    expect<double>(
        "base a float64 6\nbase i int64 2\nbase b float64 4\narange a 0 1\narange i 2 -2\n"
        "take axis=1 b[0+(2:2,2:1)] a[0+(2:3,3:1)] i\n",
        2, {2, 0, 5, 3});
    expect<double>(
        "base a float64 6\nbase i int64 2\nbase b float64 4\narange a 0 1\narange i 2 -2\n"
        "arange b 10 1\nput axis=1 a[0+(2:3,3:1)] b[0+(2:2,2:1)] i\n",
        0, {11, 1, 10, 13, 4, 12});
    expect<double>("base a float64 4\nbase i int64 1\narange a 0 1\ncopy i -1\nput axis=0 a 7 i\n",
                   0, {0, 1, 2, 7});
    expect<double>(
        "base a float64 4\nadd.reduce axis=0 a[0+()] a[1+(3:0)]\ndel a\nbase b float64 1\n"
        "copy b 1\n",
        1, {1});
}

void reductions() {
    expect<double>(
        "base a float64 6\nbase s float64 3\narange a 0 1\n"
        "add.reduce axis=0 s a[0+(2:3,3:1)]\n",
        1, {3, 5, 7});
    expect<double>(
        "base a float64 6\nbase s float64 2\narange a 0 1\n"
        "subtract.reduce axis=1 s a[0+(2:3,3:1)]\n",
        1, {-3, -6});
    expect<double>(
        "base a float64 6\nbase s float64 1\narange a 1 1\n"
        "multiply.reduce axis=0,1 s[0+()] a[0+(2:3,3:1)]\n",
        1, {720});
    expect<double>(
        "base a float64 0\nbase s float64 2\ncopy s 5\n"
        "multiply.reduce axis=0 s[1+()] a\n",
        1, {5, 1});
    expect<double>(
        "base a float64 4\nbase m bool 4\nbase s float64 1\narange a 0 1\ngreater m a 1\n"
        "add.reduce axis=0 s[0+()] a where=m\n",
        2, {5});
    expect<double>(
        "base a float64 6\narange a 1 1\nadd.accumulate axis=1 a[0+(2:3,3:1)] a[0+(2:3,3:1)]\n", 0,
        {1, 3, 6, 4, 9, 15});
    expect<std::int64_t>(
        "base a float64 6\nbase i int64 2\narange a 5 -1\ncopy a[3+()] nan\n"
        "argmin axis=1 i a[0+(2:3,3:1)]\n",
        1, {2, 0});
    expect<std::int64_t>(
        "base a bool 5\nbase s int64 1\ncopy a True\nadd.reduce axis=0 s[0+()] a\n", 1, {5});
    // float16 sums 4,000 ones, which float16 itself cannot count.
    expect<std::uint16_t>(
        "base h float16 4000\nbase s float16 1\ncopy h 1\n"
        "add.reduce axis=0 s[0+()] h\n",
        1, {0x6bd0});
}

// A sum of n elements by the tree, written once more by recursion.
double pairwise(const std::vector<double>& partials, std::size_t begin, std::size_t end) {
    if (end - begin == 1) return partials[begin];
    std::size_t half = 1;
    while (2 * half < end - begin) half *= 2;
    return pairwise(partials, begin, begin + half) + pairwise(partials, begin + half, end);
}

void tree() {
    Run run(
        "base a float64 5000 input\nbase s float64 2\nadd.reduce axis=0 s[0+()] a\n"
        "add.reduce axis=0,1 s[1+()] a[0+(4:1250,1250:1)]\n");
    std::vector<double> a = run.get<double>(0), s = run.get<double>(1);
    auto sum = [&](std::vector<std::pair<std::size_t, std::size_t>> chunks) {
        std::vector<double> partials;
        for (auto [begin, end] : chunks) {
            double lanes[64] = {};
            for (std::size_t k = begin; k < end; ++k) {
                lanes[(k - begin) % 64] = k - begin < 64 ? a[k] : lanes[(k - begin) % 64] + a[k];
            }
            for (int h = 32; h > 0; h /= 2) {
                for (int l = 0; l < h; ++l) lanes[l] += lanes[l + h];
            }
            partials.push_back(lanes[0]);
        }
        return pairwise(partials, 0, partials.size());
    };
    CHECK(s[0] == sum({{0, 1024}, {1024, 2048}, {2048, 3072}, {3072, 4096}, {4096, 5000}}));
    // Rows of 1,250 elements are long enough: each is cut by itself.
    CHECK(s[1] == sum({{0, 1024},
                       {1024, 1250},
                       {1250, 2274},
                       {2274, 2500},
                       {2500, 3524},
                       {3524, 3750},
                       {3750, 4774},
                       {4774, 5000}}));
}

std::uint8_t raised(const std::string& text) { return Run(text).raised; }

void flags() {
    const std::string a = "base a float64 2\ncopy a 0\n", m = a + "base m bool 2\ncopy m False\n";
    CHECK(raised(a + "divide a 1 a\n") == kDivide);
    CHECK(raised(a + "divide a a a\n") == kInvalid);
    CHECK(raised(m + "divide a 1 a where=m\n") == kNoFlag);
    CHECK(raised(a + "log a a\n") == kDivide);
    CHECK(raised(a + "copy a 1e300\nmultiply a a a\n") == kOver);
    CHECK(raised(a + "copy a nan\nbase m bool 2\nless m a 1\n") == kNoFlag);
    CHECK(raised("base i int32 2\ncopy i 0\nfloor_divide i 1 i\n") == kDivide);
    CHECK(raised("base i int32 2\ncopy i -2147483648\nfloor_divide i i -1\n") == kOver);
    CHECK(raised("base i int32 2\nbase a float64 2\ncopy a 1e30\ncopy i a\n") == kInvalid);
    CHECK(raised("base h float16 2\nbase a float64 2\ncopy a 1e30\ncopy h a\n") == kOver);
    CHECK(raised("base h float16 2\ncopy h 60000\nadd h h h\n") == kOver);
}

// Every map row has a scalar function for every loop it claims.
void coverage() {
    int loops = 0;
    for (int op = 0; op < kOpCount; ++op) {
        for (int t = 0; t < kDTypeCount; ++t) {
            bool claimed = kOps[op].cls == OpClass::Map &&
                           loop_of(static_cast<Op>(op), static_cast<DType>(t)).has_value();
            bool has = reference::element_fn(static_cast<Op>(op), static_cast<DType>(t)) != nullptr;
            CHECK(claimed == has);
            loops += has;
        }
    }
    CHECK(loops > 700);
}

}  // namespace

int main() {
    random_numbers();
    maps();
    moves();
    reductions();
    tree();
    flags();
    coverage();
    CHECK(memory_pool().stats().held == 0);
    return 0;
}
