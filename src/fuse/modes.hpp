// Words that callers of fusion choose by, beside the names in the two tables.
#pragma once

#include <cstdint>
#include <string_view>

namespace hassium {

// What the sizes of views are counted in.
enum class CostUnit : std::uint8_t { Bytes, Elements };

// Which rules of legal.hpp hold.
enum class LegalityMode : std::uint8_t {
    Full,   // all: what plan lowers
    Paper,  // Def. 12 plus equal shapes
};

// By name; UserError (Value) with the words that there are.
CostUnit find_unit(std::string_view name);
LegalityMode find_legality(std::string_view name);

}  // namespace hassium
