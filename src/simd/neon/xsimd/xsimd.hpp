// What <xsimd/xsimd.hpp> is where kernels are compiled for NEON: the architecture they use, then
// xsimd's own file. Calls inside xsimd find only overloads that are declared before them.
#pragma once

#include "simd/neon/neon.hpp"

// #include_next is an extension of compilers.
#pragma GCC system_header
#include_next <xsimd/xsimd.hpp>
