// Loops as a patient programmer would write them: everything fused, nothing stored twice, the
// compiler's vectors, OpenMP threads. Each function takes the inputs and then the buffers that
// race/*.py names, and the extents of the first input.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#define HS_NATIVE(name) \
    extern "C" void name(void* const* p, const std::int64_t* n, [[maybe_unused]] int threads)

using Index = std::int64_t;

inline const double* in(void* const* p, int k) { return static_cast<const double*>(p[k]); }
inline double* out(void* const* p, int k) { return static_cast<double*>(p[k]); }
