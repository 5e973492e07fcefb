# Precompiled headers: those of the standard library, of Python and of xsimd, never our own, so that
# they are read once a build and again when the compiler or a package changes. To read them takes
# about a second a file, three with xsimd. A file still includes what it names: `-DHASSIUM_PRECOMPILE=OFF`
# shows whether it does.

set(hs_standard_headers
    <algorithm> <array> <atomic> <bit> <chrono> <cstdint> <cstring> <functional> <limits> <memory>
    <mutex> <numeric> <optional> <span> <string> <string_view> <type_traits> <unordered_map>
    <utility> <vector>)

# The standard headers for a target that is not a kernel's: hs_base has them made, others use them.
function(hassium_precompile_standard target)
    if(NOT HASSIUM_PRECOMPILE)
        return()
    elseif(target STREQUAL "hs_base")
        target_precompile_headers(hs_base PRIVATE ${hs_standard_headers})
    else()
        target_precompile_headers(${target} REUSE_FROM hs_base)
    endif()
endfunction()

# Own precompiled headers for a target whose flags or packages are its own.
function(hassium_precompile target)
    if(HASSIUM_PRECOMPILE)
        target_precompile_headers(${target} PRIVATE ${ARGN})
    endif()
endfunction()
