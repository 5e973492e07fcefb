// The table of kernels in use, for calls so short that looking it up by its setting would cost more
// than they do.
#pragma once

#include "simd/tables/kernels.hpp"

namespace hassium {

// What kernels() returns; looked up again when a setting has changed.
const KernelTable& current_kernels();

}  // namespace hassium
