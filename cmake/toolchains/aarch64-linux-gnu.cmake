# Compiles for aarch64 Linux with Debian's cross compiler, and runs what it has made in qemu.
#
#   cmake --preset release --toolchain cmake/toolchains/aarch64-linux-gnu.cmake
#
# The module needs headers of a Python and of a NumPy of that architecture: Python_INCLUDE_DIR and
# its kin name them, as .ci/emulate does. HASSIUM_AARCH64_ROOT is the folder with the loader and the C
# and C++ libraries: those of the cross compiler, or of a whole system.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

if(NOT DEFINED HASSIUM_AARCH64_ROOT)
    set(HASSIUM_AARCH64_ROOT /usr/aarch64-linux-gnu)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES HASSIUM_AARCH64_ROOT)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L "${HASSIUM_AARCH64_ROOT}")

