#include "base/error.hpp"

namespace hassium {

void fail_check(const char* file, int line, const std::string& sentence) {
    throw InternalError(sentence + " (" + file + ":" + std::to_string(line) + ")");
}

}  // namespace hassium
