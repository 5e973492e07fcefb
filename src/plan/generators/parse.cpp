// Parser of generators; docs/withloops.md describes the form, generators.cpp writes it.
#include <algorithm>
#include <cctype>
#include <limits>

#include "base/error.hpp"
#include "plan/generators/generators.hpp"
#include "program/text/cursor.hpp"

namespace hassium {
namespace {

constexpr std::int64_t kMostExtent = std::int64_t{1} << 48;

class GeneratorParser {
  public:
    GeneratorSet run(std::string_view text) {
        while (!text.empty()) {
            ++line_;
            take_line(text, words_);
            if (!words_.empty()) statement();
        }
        if (!has_shape_) fail("must begin with shape [N,...]");
        return std::move(set_);
    }

  private:
    [[noreturn]] void fail(const std::string& message) const {
        throw UserError(ErrorKind::Value,
                        "[generators] line " + std::to_string(line_) + ": " + message);
    }
    static std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

    void statement() {
        if (has_shape_) return generator();
        if (words_[0] != "shape" || words_.size() != 2) fail("must begin with shape [N,...]");
        set_.shape = list(words_[1]);
        if (set_.shape.size() > kMaxDims) fail("more than " + std::to_string(kMaxDims) + " axes");
        has_shape_ = true;
    }

    Dims list(std::string_view word) const {
        const std::string_view written = word;
        if (word.ends_with(":")) word.remove_suffix(1);
        Cursor cursor{word};
        Dims values;
        bool good = cursor.take("[");
        while (good && !cursor.take("]")) {
            std::int64_t value = 0;
            good = (values.empty() || cursor.take(",")) && cursor.integer(value) && value >= 0 &&
                   value <= kMostExtent;
            values.push_back(value);
        }
        if (!good || !cursor.rest.empty())
            fail("bad list " + quoted(written) + ": must be [N,...]");
        return values;
    }

    // Parses word `at` as a list of one number per axis.
    Dims numbers(std::size_t at, const char* what) const {
        if (at >= words_.size()) fail(std::string("the ") + what + " is missing");
        Dims values = list(words_[at]);
        if (values.size() != set_.shape.size()) {
            fail(quoted(words_[at]) + " has " + std::to_string(values.size()) + " numbers for " +
                 std::to_string(set_.shape.size()) + " axes");
        }
        return values;
    }

    void generator() {
        const Dims lower = numbers(0, "lower bound");
        if (words_.size() < 2 || words_[1] != "->") fail("must be [LOWER,...] -> [UPPER,...]: OP");
        const Dims upper = numbers(2, "upper bound");
        Dims step(set_.shape.size(), 1), width(set_.shape.size(), 1);
        std::size_t at = 2;
        for (auto [word, values] : {std::pair{"step", &step}, std::pair{"width", &width}}) {
            if (at + 1 < words_.size() && words_[at + 1] == word) {
                *values = numbers(at + 2, word);
                at += 2;
            }
        }
        if (!words_[at].ends_with(":") || at + 2 != words_.size()) {
            fail("must end with : and the name of one operation");
        }
        Generator g{{}, operation(words_[at + 1])};
        for (std::size_t k = 0; k < lower.size(); ++k) {
            if (upper[k] > set_.shape[k])
                fail("ends outside the shape on axis " + std::to_string(k));
            if (step[k] < 1 || width[k] < 1) fail("steps and widths are at least 1");
            const auto part = RangePart::of({lower[k], upper[k], step[k], width[k]});
            if (!part) return;  // no points
            g.axes.push_back({part->lower, part->upper, part->step, part->width});
        }
        set_.generators.push_back(std::move(g));
    }

    std::uint32_t operation(std::string_view name) {
        const auto is_name = [](unsigned char c) { return std::isalnum(c) || c == '_'; };
        if (!std::ranges::all_of(name, is_name) || std::isdigit(name[0])) {
            fail("bad operation " + quoted(name) + ": must be letters, digits and _");
        }
        const auto known = std::ranges::find(set_.ops, name);
        const auto number = static_cast<std::uint32_t>(known - set_.ops.begin());
        if (known == set_.ops.end()) set_.ops.emplace_back(name);
        return number;
    }

    GeneratorSet set_;
    bool has_shape_ = false;
    std::vector<std::string_view> words_;
    int line_ = 0;
};

}  // namespace

GeneratorSet GeneratorSet::parse(const std::string& text) { return GeneratorParser().run(text); }

}  // namespace hassium
