// Constants as text: `True`, `3`, `0.5`, `nan`, `-inf`, `1+2j`. The text reads back bit for bit,
// except for the payload of a NaN. 128-bit patterns stored as a complex number (a random
// generator's integer) are `0x` and 32 digits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/types.hpp"
#include "program/program.hpp"

namespace hassium {

// A number as written, before it has a dtype.
struct Literal {
    DTypeKind kind;               // Bool, Signed (an integer), Float or Complex
    bool negative = false;        // of an integer
    std::uint64_t magnitude = 0;  // of a bool or an integer
    double real = 0, imaginary = 0;
};

std::optional<Literal> parse_literal(std::string_view text);
// Returns none if the dtype cannot hold it: an integer out of range, a fraction for an integer
// dtype.
std::optional<Constant> to_constant(const Literal& literal, DType dtype);
std::string format_constant(const Constant& value, DType dtype);
std::string format_bits(const Constant& value);

}  // namespace hassium
