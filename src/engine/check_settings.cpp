#include "engine/check_settings.hpp"

#include "simd/tables/kernels.hpp"

namespace hassium {

void check_settings() { (void)kernels(); }
const char* simd_level() { return kernels().level; }

}  // namespace hassium
