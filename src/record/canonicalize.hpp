// The canonical form of a request: the cheapest row that computes the same bits.
//
// Quotients and remainders of integers by a power of two become shifts and masks, quotients of
// floats by one a product; powers by 2, 1, 1/2, 0 and -1 what NumPy makes of them; tests of
// integers, such as `isnan`, a constant. These
// depend on the values of constants, which are no part of the identity of a program: so they are
// decided while recording. What depends on structure and geometry alone is a pass
// (src/rewrite/passes.def).
#pragma once

#include "record/queue.hpp"

namespace hassium {

// Whether the row has cheaper forms.
inline bool may_be_cheaper(const Request& request) {
    if (request.method != Method::Call) return false;
    const OpInfo& row = info(request.op);
    if (row.has(kNumberTest)) return true;
    const bool known = row.is_power() || row.has(kWholeDivision) || row.has(kQuotient);
    return known && !request.in[1].view;
}

// Changes row and inputs of a request to its canonical form. Floating-point conditions are still
// reported as those of the power or the quotient.
void canonicalize(Request& request);

}  // namespace hassium
