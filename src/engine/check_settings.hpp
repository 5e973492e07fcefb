// Checks of settings that depend on the build and the machine, which src/base does not know.
#pragma once

namespace hassium {

// Throws UserError when a setting names what this build or this machine does not have.
void check_settings();

// Returns the instruction set of the kernels that the settings choose.
const char* simd_level();

}  // namespace hassium
