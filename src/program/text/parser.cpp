// Program from text; docs/bytecode.md describes the form, text.cpp writes it.
#include "program/text/parser.hpp"

#include <algorithm>
#include <cctype>
#include <limits>

#include "program/text/text_types.hpp"

namespace hassium {

Program Parser::run(std::string_view text) {
    while (!text.empty()) {
        ++line_;
        take_line(text, words_);
        if (!words_.empty()) statement();
    }
    return std::move(program_);
}

void Parser::statement() {
    if (words_[0] == "base") {
        declare();
    } else if (words_[0] == "del" || words_[0] == "sync") {
        system();
    } else {
        operation();
    }
}

DType Parser::dtype(std::string_view word) const {
    std::optional<DType> found = find_dtype(word);
    if (found) return *found;
    std::string names;
    for (const DTypeInfo& row : kDTypes) {
        names += (names.empty() ? "" : ", ") + std::string(row.name);
    }
    fail("unknown dtype " + quoted(word) + ": must be one of " + names);
}

void Parser::declare() {
    if (words_.size() < 4 || words_.size() > 5) fail("must be base NAME DTYPE COUNT [input]");
    std::string name(words_[1]);
    bool letter = std::isalpha(static_cast<unsigned char>(name[0])) || name[0] == '_';
    for (char c : name) {
        letter = letter && (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.');
    }
    if (!letter || parse_literal(name)) {
        fail("bad base name " + quoted(name) +
             ": letters, digits, _ and ., not a number, beginning with a letter or _");
    }
    BaseId number = static_cast<BaseId>(program_.bases.size());
    if (!names_.emplace(name, number).second) fail("base " + quoted(name) + " exists already");
    DType type = dtype(words_[2]);
    std::int64_t count = 0;
    Cursor cursor{words_[3]};
    bool good = cursor.integer(count) && cursor.rest.empty() && count >= 0 &&
                count <= std::numeric_limits<std::int64_t>::max() / 16;
    if (!good) fail("bad count " + quoted(words_[3]) + ": must be a number of elements");
    bool input = words_.size() == 5;
    if (input && words_[4] != "input") {
        fail("unexpected " + quoted(words_[4]) + ": only `input` may follow the count");
    }
    program_.bases.push_back({count * itemsize(type), type, static_cast<std::uint8_t>(input)});
    program_.names.push_back(name);
    deleted_.push_back(false);
}

BaseId Parser::base(std::string_view word) const {
    auto found = names_.find(std::string(word));
    if (found == names_.end()) {
        fail("unknown base " + quoted(word) + ": declare it by `base NAME DTYPE COUNT` first");
    }
    if (deleted_[found->second]) fail("base " + quoted(word) + " is used after its del");
    return found->second;
}

void Parser::system() {
    const bool dels = words_[0] == "del";
    if (words_.size() != 2) fail(dels ? "must be del NAME" : "must be sync NAME or sync VIEW");
    if (dels) {
        const BaseId number = base(words_[1]);
        append_del(program_, number);
        deleted_[number] = true;
    } else if (words_[1].find_first_of(":[") == std::string_view::npos) {
        append_sync(program_, append_bytes(program_, base(words_[1])));
    } else {
        const Written wanted = view(words_[1]);
        append_sync(program_, append_view(program_, wanted.base, wanted.dtype, wanted.offset,
                                          wanted.shape, wanted.strides));
        const std::string fault = program_.fault(program_.instructions.size() - 1);
        if (!fault.empty()) fail(fault);
    }
}

struct NamedMethod {
    std::string_view name;
    Method method;
};
constexpr NamedMethod kMethods[] = {{"reduce", Method::Reduce},
                                    {"accumulate", Method::Accumulate},
                                    {"reduceat", Method::Reduceat},
                                    {"at", Method::At}};

void Parser::opcode(std::string_view word) {
    Cursor cursor{word};
    std::string_view name = cursor.until(".:");
    std::optional<Op> op = find_op(name);
    if (!op) {
        fail("unknown opcode " + quoted(name) +
             ": must be base, del, sync or the NumPy name of an operation, such as add");
    }
    now_ = Instruction{};
    now_.op = *op;
    now_.method = Method::Call;
    if (cursor.take(".")) {
        std::string_view method = cursor.until(":");
        const auto* known = std::ranges::find(kMethods, method, &NamedMethod::name);
        if (known == std::end(kMethods)) {
            fail("unknown method " + quoted(method) +
                 ": must be reduce, accumulate, reduceat or at");
        }
        now_.method = known->method;
        if (!(now_.method == Method::At ? has_at(*op) : info(*op).has(kReducible))) {
            fail(quoted(name) + " has no method " + std::string(method));
        }
    }
    suffixed_ = cursor.take(":");
    if (!suffixed_) return;
    now_.compute = dtype(cursor.rest);
    if (!info(*op).is_opaque() && !loop_of(*op, now_.compute)) {
        fail(quoted(name) + " has no loop in " + std::string(cursor.rest));
    }
}

void Parser::axes(std::string_view word) {
    Cursor cursor{word};
    cursor.take("axis=");
    do {
        std::int64_t axis = -1;
        if (!cursor.integer(axis) || axis < 0 || axis >= kMaxDims) {
            fail("bad axis in " + quoted(word) + ": must be axis=N,N,... counted from 0");
        }
        now_.axes |= std::uint64_t{1} << axis;
    } while (cursor.take(","));
    if (!cursor.rest.empty()) fail("bad axis in " + quoted(word) + ": must be axis=N,N,...");
}

void Parser::check_counts(std::size_t outputs, std::size_t inputs) const {
    const OpInfo& row = info(now_.op);
    auto expected = static_cast<std::size_t>(input_count(now_.op, now_.method));
    if (outputs == row.nout && inputs == expected) return;
    fail(quoted(words_[0]) + " takes " + std::to_string(row.nout) + " output(s) and " +
         std::to_string(expected) + " input(s), not " + std::to_string(outputs) + " and " +
         std::to_string(inputs));
}

void Parser::resolve_compute(const std::vector<Written>& outputs,
                             const std::vector<Written>& inputs) {
    if (suffixed_) return;
    SmallVec<OperandType, 3> ins;
    bool all_constant = !inputs.empty();
    for (const Written& in : inputs) {
        all_constant = all_constant && in.is_literal;
        ins.push_back(in.is_literal ? literal_type(in.suffix ? kind(*in.suffix) : in.literal.kind)
                                    : OperandType{in.dtype});
    }
    auto compute = implied_compute(now_.op, now_.method, ins, all_constant, outputs[0].dtype);
    if (!compute) {
        fail(quoted(words_[0]) + " has no loop for these dtypes: name one, as in " +
             std::string(words_[0]) + ":float64");
    }
    now_.compute = *compute;
}

void Parser::append(const Written& w, std::span<const std::int64_t> shape, bool broadcast) {
    if (!broadcast) {
        append_view(program_, w.base, w.dtype, w.offset, w.shape, w.strides);
        return;
    }
    Dims strides(shape.size(), 0);
    std::size_t missing = shape.size() - w.shape.size();
    bool fits = w.shape.size() <= shape.size();
    for (std::size_t k = 0; fits && k < w.shape.size(); ++k) {
        bool same = w.shape[k] == shape[missing + k];
        fits = same || w.shape[k] == 1;
        if (same) strides[missing + k] = w.strides[k];
    }
    if (!fits) fail("cannot broadcast " + quoted(w.word) + " to the shape of the operation");
    append_view(program_, w.base, w.dtype, w.offset, shape, strides);
}

void Parser::append_input(const Written& w, int k, std::span<const std::int64_t> shape,
                          bool broadcast) {
    if (!w.is_literal) return append(w, shape, broadcast);
    DType type = w.suffix ? *w.suffix : input_dtype(now_.op, now_.method, now_.compute, k);
    std::optional<Constant> value = to_constant(w.literal, type);
    if (!value) fail(quoted(w.word) + " is no value of dtype " + std::string(info(type).name));
    append_constant(program_, type, *value);
}

void Parser::operation() {
    opcode(words_[0]);
    std::size_t at = 1;
    if (at < words_.size() && words_[at].starts_with("axis=")) axes(words_[at++]);
    std::vector<Written> outputs, inputs;
    if (at < words_.size()) outputs = output_views(words_[at++]);
    std::optional<Written> mask;
    for (; at < words_.size(); ++at) {
        if (mask) fail("unexpected " + quoted(words_[at]) + ": where=VIEW is the last word");
        if (words_[at].starts_with("where=")) {
            mask = view(words_[at].substr(6));
        } else {
            inputs.push_back(operand(words_[at]));
        }
    }
    check_counts(outputs.size(), inputs.size());
    resolve_compute(outputs, inputs);
    if (mask && mask->dtype != DType::Bool) fail("the mask " + quoted(mask->word) + " is not bool");
    now_.nout = static_cast<std::uint8_t>(outputs.size());
    now_.nin = static_cast<std::uint8_t>(inputs.size());
    now_.masked = mask.has_value();
    now_.operands = static_cast<std::uint32_t>(program_.operands.size());
    bool is_map = now_.method == Method::Call && info(now_.op).is_elementwise();
    const Dims& shape = !iterates_over_input(now_.method) || inputs[0].is_literal ? outputs[0].shape
                                                                                  : inputs[0].shape;
    for (const Written& out : outputs) append(out, {}, false);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        append_input(inputs[k], static_cast<int>(k), shape, is_map);
    }
    if (mask) append(*mask, shape, true);
    program_.instructions.push_back(now_);
    program_.origins.push_back({});
    std::string fault = program_.fault(program_.instructions.size() - 1);
    if (!fault.empty()) fail(fault);
}

Program Program::parse(const std::string& text) { return Parser().run(text); }

}  // namespace hassium
