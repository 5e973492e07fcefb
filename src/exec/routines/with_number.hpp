// Dispatch on the type of elements that are plain C++ numbers.
#pragma once

#include <type_traits>

#include "base/types.hpp"

namespace hassium {

// Returns visit(T{}) for the element type T; false for bools, float16 and complex numbers.
template <class Visit>
bool with_number(DType dtype, Visit visit) {
    switch (dtype) {
#define HS_DTYPE(id, name, type, kind, code, bytes)                                \
    case DType::id:                                                                \
        if constexpr (std::is_arithmetic_v<type> && !std::is_same_v<type, bool>) { \
            return visit(type{});                                                  \
        }                                                                          \
        break;
#include "base/dtypes.def"
#undef HS_DTYPE
    }
    return false;
}

}  // namespace hassium
