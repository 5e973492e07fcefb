// Operands of a statement: views, literals, outputs joined by commas.
#include "program/text/parser.hpp"

namespace hassium {
namespace {

constexpr const char* kViewForms =
    "a view is NAME, NAME[OFFSET+(EXTENT:STRIDE,...)] or NAME:DTYPE@[OFFSET+(EXTENT:STRIDE,...)]";

}  // namespace

void Parser::dimensions(Cursor& cursor, std::int64_t unit, Written& out) const {
    auto bad = [&] { fail("bad view " + quoted(out.word) + ": " + kViewForms); };
    // Limits values so that multiples of a dtype's size cannot overflow.
    auto bounded = [&](std::int64_t value) {
        constexpr std::int64_t kMost = std::int64_t{1} << 48;
        if (value > kMost || value < -kMost) fail("number too large in " + quoted(out.word));
        return value;
    };
    if (!cursor.integer(out.offset) || !cursor.take("+(")) bad();
    out.offset = bounded(out.offset) * unit;
    if (cursor.take(")]") && cursor.rest.empty()) return;
    do {
        std::int64_t extent = 0, stride = 0;
        if (!cursor.integer(extent) || !cursor.take(":") || !cursor.integer(stride)) bad();
        if (extent < 0) fail("negative extent in " + quoted(out.word));
        out.shape.push_back(bounded(extent));
        out.strides.push_back(bounded(stride) * unit);
    } while (cursor.take(","));
    if (!cursor.take(")]") || !cursor.rest.empty()) bad();
    if (out.shape.size() > kMaxDims) {
        fail("too many axes in " + quoted(out.word) + ": at most " + std::to_string(kMaxDims));
    }
}

void Parser::check_bounds(const Written& w) const {
    std::int64_t first = w.offset, last = w.offset + itemsize(w.dtype), span = 0;
    bool overflow = false, empty = false;
    for (std::size_t k = 0; k < w.shape.size(); ++k) {
        empty = empty || w.shape[k] == 0;
        overflow |= __builtin_mul_overflow(w.shape[k] - 1, w.strides[k], &span);
        std::int64_t& end = span < 0 ? first : last;
        overflow |= __builtin_add_overflow(end, span, &end);
    }
    std::int64_t bytes = program_.bases[w.base].bytes;
    if (!empty && (overflow || first < 0 || last > bytes)) {
        fail("view " + quoted(w.word) + " lies outside its base of " + std::to_string(bytes) +
             " bytes");
    }
}

Written Parser::view(std::string_view word) const {
    Cursor cursor{word};
    Written out;
    out.word = word;
    out.base = base(cursor.until("[:"));
    const BaseInfo& info_of = program_.bases[out.base];
    out.dtype = info_of.dtype;
    std::int64_t unit = itemsize(out.dtype);
    if (cursor.rest.empty()) {
        out.shape.push_back(info_of.bytes / unit);
        out.strides.push_back(unit);
        return out;
    }
    if (cursor.take(":")) {
        out.dtype = dtype(cursor.until("@"));
        if (!cursor.take("@")) fail("bad view " + quoted(word) + ": " + kViewForms);
        unit = 1;
    }
    if (!cursor.take("[")) fail("bad view " + quoted(word) + ": " + kViewForms);
    dimensions(cursor, unit, out);
    check_bounds(out);
    return out;
}

Written Parser::operand(std::string_view word) const {
    std::string_view number = word.substr(0, word.find(':'));
    std::optional<Literal> literal = parse_literal(number);
    if (!literal) return view(word);
    Written out;
    out.word = word;
    out.is_literal = true;
    out.literal = *literal;
    if (number.size() < word.size()) out.suffix = dtype(word.substr(number.size() + 1));
    return out;
}

// Splits the outputs at the commas outside brackets.
std::vector<Written> Parser::output_views(std::string_view word) const {
    std::vector<Written> outputs;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t k = 0; k < word.size(); ++k) {
        depth += (word[k] == '[') - (word[k] == ']');
        if (word[k] != ',' || depth != 0) continue;
        outputs.push_back(view(word.substr(begin, k - begin)));
        begin = k + 1;
    }
    outputs.push_back(view(word.substr(begin)));
    return outputs;
}

}  // namespace hassium
