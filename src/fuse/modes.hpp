// Words for options of fusion, besides the names in the two tables.
#pragma once

#include <cstdint>
#include <string_view>

namespace hassium {

// Unit in which the sizes of views are counted.
enum class CostUnit : std::uint8_t { Bytes, Elements };

// Which rules of legal.hpp apply.
enum class LegalityMode : std::uint8_t {
    Full,   // all that planning can lower
    Paper,  // Def. 12 plus equal shapes
};

// Find a value by name; UserError (Value) with the known words.
CostUnit find_unit(std::string_view name);
LegalityMode find_legality(std::string_view name);

}  // namespace hassium
