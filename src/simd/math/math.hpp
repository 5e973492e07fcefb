#pragma once

// All math functions of batches; base.hpp states the rules they follow.

#include "simd/math/arc.hpp"
#include "simd/math/base.hpp"
#include "simd/math/bits.hpp"
#include "simd/math/complex.hpp"
#include "simd/math/complex_exp.hpp"
#include "simd/math/exp.hpp"
#include "simd/math/hyperbolic.hpp"
#include "simd/math/log.hpp"
#include "simd/math/logadd.hpp"
#include "simd/math/minmax.hpp"
#include "simd/math/power.hpp"
#include "simd/math/roots.hpp"
#include "simd/math/round.hpp"
#include "simd/math/trig.hpp"
