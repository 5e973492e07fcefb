// What a setting may ask for depends on the build and the machine, which base does not know.
#pragma once

namespace hassium {

// Throws UserError when a setting names what this build or this machine does not have.
void check_settings();

// The instruction set of the kernels that the settings choose.
const char* simd_level();

}  // namespace hassium
