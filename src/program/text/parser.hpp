// Parser of the text form of programs, line by line. Internal to this folder: parser.cpp reads
// statements, parser_operands.cpp their operands.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "program/program.hpp"
#include "program/text/cursor.hpp"
#include "program/text/literal.hpp"

namespace hassium {

// An operand as written: a view before broadcasting, or a literal before it has a dtype.
struct Written {
    std::string_view word;
    bool is_literal = false;
    Literal literal{};
    std::optional<DType> suffix;  // of a literal
    BaseId base = 0;
    DType dtype = DType::Bool;
    std::int64_t offset = 0;
    Dims shape, strides;
};

class Parser {
  public:
    Program run(std::string_view text);

  private:
    [[noreturn]] void fail(const std::string& message) const {
        throw UserError(ErrorKind::Value,
                        "[program] line " + std::to_string(line_) + ": " + message);
    }
    static std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

    void statement();
    DType dtype(std::string_view word) const;
    void declare();
    BaseId base(std::string_view word) const;
    void system();
    void operation();
    void opcode(std::string_view word);
    Written operand(std::string_view word) const;
    Written view(std::string_view word) const;
    void check_bounds(const Written& w) const;
    void dimensions(Cursor& cursor, std::int64_t unit, Written& out) const;
    std::vector<Written> output_views(std::string_view word) const;
    void axes(std::string_view word);
    void check_counts(std::size_t outputs, std::size_t inputs) const;
    void resolve_compute(const std::vector<Written>& outputs, const std::vector<Written>& inputs);
    void append(const Written& w, std::span<const std::int64_t> shape, bool broadcast);
    void append_input(const Written& w, int k, std::span<const std::int64_t> shape, bool broadcast);

    Program program_;
    std::unordered_map<std::string, BaseId> names_;
    std::vector<bool> deleted_;
    std::vector<std::string_view> words_;
    int line_ = 0;
    // State of the current line.
    Instruction now_{};
    bool suffixed_ = false;
};

}  // namespace hassium
