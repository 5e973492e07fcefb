#include "fuse/modes.hpp"

#include <string>

#include "base/error.hpp"

namespace hassium {
namespace {

bool is_second(const char* what, std::string_view name, std::string_view first,
               std::string_view second) {
    if (name == first || name == second) return name == second;
    throw UserError(ErrorKind::Value, "[partition] unknown " + std::string(what) + " '" +
                                          std::string(name) + "': must be one of " +
                                          std::string(first) + ", " + std::string(second));
}

}  // namespace

CostUnit find_unit(std::string_view name) {
    return is_second("unit", name, "bytes", "elements") ? CostUnit::Elements : CostUnit::Bytes;
}

LegalityMode find_legality(std::string_view name) {
    return is_second("legality", name, "full", "paper") ? LegalityMode::Paper : LegalityMode::Full;
}

}  // namespace hassium
