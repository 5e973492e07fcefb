// Random programs over several dtypes and layouts, fused by every partitioner and run in tiles,
// give what the reference executor gives. A failure prints the program, to be pasted into a test.
#include <cmath>
#include <cstring>

#include "base/counters.hpp"
#include "base/error.hpp"
#include "engine/flush/text_program.hpp"
#include "fuse/partitioners/partitioners.hpp"
#include "support/check.hpp"

using namespace hassium;

namespace {

// Elements of every base at scale 1. Larger scales fill register tiles and leave rows unfilled.
constexpr int kCount = 96;
constexpr int kScales[] = {1, 1, 5, 23};

// Text of random statements that are legal by construction or refused by the parser.
class Generator {
  public:
    Generator(check::Random& random, int scale)
        : random_(random), scale_(scale), count_(kCount * scale) {}

    std::string program(int lines) {
        text_ = "base index int64 " + std::to_string(count_) + "\narange index 0 1\n";
        persistent("x", "float64");
        persistent("y", "float64");
        persistent("u", "float32");
        persistent("v", "float32");
        persistent("n", "int64");
        persistent("m", "bool");
        for (int k = 0; k < lines; ++k) {
            std::string line = statement();
            try {
                Program::parse(text_ + line);
                text_ += line;
            } catch (const UserError&) {
                --k;  // overlapping input and output
            }
        }
        return text_;
    }

  private:
    void persistent(const std::string& name, const std::string& dtype) {
        text_ += "base " + name + " " + dtype + " " + std::to_string(count_) + " input\n";
    }
    bool chance(int percent) { return random_.below(100) < percent; }
    std::string pick(std::initializer_list<const char*> words) {
        return words.begin()[random_.below(static_cast<long long>(words.size()))];
    }

    std::vector<int> shape() {
        static const std::vector<int> kShapes[] = {{96},      {8, 12}, {12, 8}, {24}, {4, 6},
                                                   {2, 3, 4}, {6, 8},  {1, 9},  {},   {3, 0}};
        std::vector<int> shape = kShapes[random_.below(chance(90) ? 8 : 10)];
        if (!shape.empty()) shape[static_cast<std::size_t>(random_.below(shape.size()))] *= scale_;
        return shape;
    }
    // A view of that shape: C or Fortran order, any step, some axes backwards; `broadcast` repeats
    // some.
    std::string view(const std::string& base, const std::vector<int>& extents, bool broadcast) {
        std::vector<int> strides(extents.size());
        bool transposed = chance(20);
        int step = 1, lowest = 0;
        for (std::size_t j = 0; j < extents.size(); ++j) {
            std::size_t k = transposed ? j : extents.size() - 1 - j;
            if (broadcast && chance(15)) continue;
            if (chance(15) && step * extents[k] * 2 <= count_ / 2) step *= 2;
            strides[k] = step;
            step *= extents[k] > 0 ? extents[k] : 1;
        }
        int highest = 0;
        for (std::size_t k = 0; k < extents.size(); ++k) {
            if (chance(10)) strides[k] = -strides[k];
            int span = (extents[k] > 0 ? extents[k] - 1 : 0) * strides[k];
            (span < 0 ? lowest : highest) += span;
        }
        int room = count_ - 1 - (highest - lowest);
        int offset =
            -lowest + (chance(40) && room > 0 ? static_cast<int>(random_.below(room + 1)) : 0);
        std::string out = base + "[" + std::to_string(offset) + "+(";
        for (std::size_t k = 0; k < extents.size(); ++k) {
            out += (k ? "," : "") + std::to_string(extents[k]) + ":" + std::to_string(strides[k]);
        }
        return out + ")]";
    }
    std::string real() { return pick({"x", "y", "u", "v"}); }

    std::string statement() {
        switch (random_.below(12)) {
            case 0:
                return reduction();
            case 1:
                return chance(50) ? scan() : moved();
            case 2:
                return masked();
            case 3:
            case 4:
            case 5:
                return temporary();
            default:
                return map(real(), shape());
        }
    }
    std::string map(const std::string& out, const std::vector<int>& s, bool whole = false) {
        std::string to = whole ? out : view(out, s, false);
        switch (random_.below(8)) {
            case 6:
                return "clip " + to + " " + view(real(), s, true) + " -0.5 " +
                       (chance(50) ? std::string("0.75") : view(real(), s, true)) + "\n";
            case 7:
                return "where " + to + " " + view("m", s, true) + " " + view(real(), s, true) +
                       " " + (chance(30) ? std::string("0.125") : view(real(), s, true)) + "\n";
            case 0:
                return "copy " + to + " " + view(pick({"x", "u", "n", "m"}), s, true) + "\n";
            case 1:
                return "multiply " + to + " " + view(real(), s, true) + " -0.5\n";
            case 2:
                return pick({"maximum", "minimum"}) + (" " + to) + " " + view(real(), s, true) +
                       " " + view(real(), s, true) + "\n";
            case 3:
                return pick({"absolute", "negative", "floor"}) + (" " + to) + " " +
                       view(real(), s, true) + "\n";
            default:
                return pick({"add", "subtract"}) + (" " + to) + " " + view(real(), s, true) + " " +
                       view(real(), s, true) + "\n";
        }
    }
    // A base that lives for a few lines: written whole, read, deleted.
    std::string temporary() {
        std::string t = "t" + std::to_string(temporaries_++);
        std::vector<int> s = shape();
        int count = 1;
        std::string as = "[0+(", strides;
        for (int n : s) count *= n;
        int stride = count;
        for (std::size_t k = 0; k < s.size(); ++k) {
            stride = s[k] > 0 ? stride / s[k] : 0;
            as += (k ? "," : "") + std::to_string(s[k]) + ":" + std::to_string(stride);
        }
        as += ")]";
        std::string lines = "base " + t + pick({" float64 ", " float32 "}) + std::to_string(count) +
                            "\n" + map(t + as, s, true);
        lines += "add " + t + as + " " + t + as + " " + view(real(), s, true) + "\n";
        if (chance(70)) lines += "subtract " + view(real(), s, false) + " " + t + as + " 0.25\n";
        if (chance(40)) lines += reduction_of(t + as, s);
        if (chance(20)) lines += "sync " + t + "\n";
        if (chance(85)) lines += "del " + t + "\n";
        return lines;
    }
    std::string reduction_of(const std::string& in, const std::vector<int>& s) {
        std::vector<int> kept;
        std::string axes;
        for (std::size_t k = 0; k < s.size(); ++k) {
            if (chance(50)) {
                axes += (axes.empty() ? "axis=" : ",") + std::to_string(k);
            } else {
                kept.push_back(s[k]);
            }
        }
        if (axes.empty()) return "";
        return pick({"add", "maximum", "minimum", "add"}) + ".reduce " + axes + " " +
               view(real(), kept, false) + " " + in + "\n";
    }
    std::string reduction() {
        std::vector<int> s = shape();
        return reduction_of(view(pick({"x", "y", "u", "v", "n"}), s, true), s);
    }
    std::string scan() {
        std::vector<int> s = shape();
        if (s.empty()) return "";
        std::string axis = std::to_string(random_.below(static_cast<long long>(s.size())));
        return "add.accumulate axis=" + axis + " " + view("x", s, false) + " " +
               view("y", s, true) + "\nmultiply " + view("x", s, false) + " " + view("y", s, true) +
               " 0.125\n";
    }
    std::string moved() {
        if (chance(30)) {
            return "argmax axis=1 " + view("n", {8}, false) + " " + view("x", {8, 12}, true) + "\n";
        }
        std::string index = "index[" + std::to_string(random_.below(4)) + "+(3:1)]";
        if (chance(50)) {
            return "take axis=1 " + view("x", {8, 3}, false) + " " + view("y", {8, 12}, true) +
                   " " + index + "\n";
        }
        return "put axis=0 " + view("x", {12, 8}, false) + " " + view("y", {3, 8}, true) + " " +
               index + "\n";
    }
    std::string masked() {
        std::vector<int> s = shape();
        std::string mask = view("m", s, false);
        return "less " + mask + " " + view(real(), s, true) + " " + view(real(), s, true) +
               "\nadd " + view(real(), s, false) + " " + view(real(), s, true) +
               " 0.5 where=" + mask + "\n";
    }

    check::Random& random_;
    int scale_, count_;
    std::string text_;
    int temporaries_ = 0;
};

template <class T>
bool same_values(const std::vector<char>& a, const std::vector<char>& b) {
    for (std::size_t at = 0; at + sizeof(T) <= a.size(); at += sizeof(T)) {
        T x, y;
        std::memcpy(&x, a.data() + at, sizeof x);
        std::memcpy(&y, b.data() + at, sizeof y);
        // A maximum of two zeros may be either.
        if (!(x == y) && !(x != x && y != y)) return false;
    }
    return true;
}

bool same(const BaseContents& a, const BaseContents& b) {
    if (a.bytes.size() != b.bytes.size()) return false;
    if (a.dtype == DType::F64) return same_values<double>(a.bytes, b.bytes);
    if (a.dtype == DType::F32) return same_values<float>(a.bytes, b.bytes);
    return a.bytes == b.bytes;
}

}  // namespace

int main(int argc, char** argv) {
    // More rounds and other programs for a search: test_fused ROUNDS SEED.
    int rounds = argc > 1 ? std::atoi(argv[1]) : 1500;
    check::Random random{argc > 2 ? std::strtoull(argv[2], nullptr, 0) : 0x9e3779b97f4a7c15u};
    for (int round = 0; round < rounds; ++round) {
        int scale = kScales[round % 4];
        std::string text =
            Generator(random, scale).program(static_cast<int>(random.between(1, 25)));
        auto expected = run_text(text, "singleton", "bohrium", "reference").bases;
        for (const Partitioner& row : partitioners()) {
            auto got = run_text(text, std::string(row.name), "bohrium", "tile").bases;
            CHECK(got.size() == expected.size());
            for (std::size_t k = 0; k < got.size(); ++k) {
                if (same(got[k], expected[k])) continue;
                check::fail(
                    __FILE__, __LINE__,
                    std::string(row.name) + ": base " + got[k].name + " differs in\n" + text);
            }
        }
    }
    // Fusion took place: arrays lived and died inside blocks.
    CHECK(counters().get(Counter::contracted) > rounds);
    return 0;
}
