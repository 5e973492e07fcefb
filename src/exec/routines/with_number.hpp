// Work on memory by the type of its elements, where that is a plain number of C++.
#pragma once

#include <type_traits>

#include "base/types.hpp"

namespace hassium {

// What `visit(T{})` returns, T being the type; false for bools, float16 and complex numbers.
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
