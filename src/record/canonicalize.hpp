// The canonical form of a request: the cheapest row that computes the same bits.
//
// Division and remainder of integers by a power of two become shifts and masks, division of floats
// by a power of two a product; powers with exponent 2, 1, 1/2, 0 and -1 the row that NumPy uses;
// tests of integers, such as `isnan`, a constant. These depend on the values of constants, which
// are not part of a program's identity, so they are decided while recording. Rewrites that depend
// on structure and geometry alone are passes (src/rewrite/passes.def).
#pragma once

#include "record/queue.hpp"

namespace hassium {

// Returns whether the row has cheaper forms.
inline bool may_be_cheaper(const Request& request) {
    if (request.method != Method::Call) return false;
    const OpInfo& row = info(request.op);
    if (row.has(kNumberTest)) return true;
    const bool known = row.is_power() || row.has(kWholeDivision) || row.has(kQuotient);
    return known && !request.in[1].view;
}

// Changes row and inputs of a request to its canonical form. Floating-point conditions are still
// reported for the original power or quotient.
void canonicalize(Request& request);

}  // namespace hassium
