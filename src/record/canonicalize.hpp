// The canonical form of a request: the cheapest row that computes the same bits.
//
// Quotients and remainders of integers by a power of two become shifts and masks; powers by 2, 1,
// 1/2, 0 and -1 what NumPy makes of them; tests of integers, such as `isnan`, a constant. These
// depend on the values of constants, which are no part of the identity of a program: so they are
// decided while recording. What depends on structure and geometry alone is a pass
// (src/rewrite/passes.def).
#pragma once

#include "record/queue.hpp"

namespace hassium {

// Whether the row has cheaper forms.
inline bool may_be_cheaper(const Request& request) {
    const OpInfo& row = info(request.op);
    const bool known = row.is_power() || row.has(kWholeDivision) || row.has(kNumberTest);
    return known && request.method == Method::Call;
}

// Changes row and inputs of a request to its canonical form. Floating-point conditions of a power
// are still reported as those of a power.
void canonicalize(Request& request);

}  // namespace hassium
