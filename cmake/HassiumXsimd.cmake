# Finds the xsimd headers and offers them as the target hs_xsimd.
#
# First HASSIUM_XSIMD_INCLUDE_DIR, then the headers inside the Python package pythran, then a
# system xsimd >= 13. Not kept in the cache: an isolated build has its packages in another
# directory every time.

set(HASSIUM_XSIMD_INCLUDE_DIR "" CACHE PATH "Directory that contains xsimd/xsimd.hpp")

function(hassium_find_xsimd result)
    if(HASSIUM_XSIMD_INCLUDE_DIR)
        set(${result} "${HASSIUM_XSIMD_INCLUDE_DIR}" PARENT_SCOPE)
        return()
    endif()
    execute_process(
        COMMAND "${Python_EXECUTABLE}" -c
            "from importlib.util import find_spec; print(find_spec('pythran').submodule_search_locations[0])"
        OUTPUT_VARIABLE pythran OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed AND EXISTS "${pythran}/xsimd/xsimd.hpp")
        set(${result} "${pythran}" PARENT_SCOPE)
        return()
    endif()
    find_path(system_xsimd xsimd/xsimd.hpp NO_CACHE)
    if(NOT system_xsimd)
        message(FATAL_ERROR "xsimd headers not found: install the Python package pythran, or "
            "xsimd >= 13, or set HASSIUM_XSIMD_INCLUDE_DIR")
    endif()
    set(${result} "${system_xsimd}" PARENT_SCOPE)
endfunction()

hassium_find_xsimd(hs_xsimd_dir)
file(STRINGS "${hs_xsimd_dir}/xsimd/config/xsimd_config.hpp" hs_xsimd_major
    REGEX "define XSIMD_VERSION_MAJOR" LIMIT_COUNT 1)
string(REGEX MATCH "[0-9]+" hs_xsimd_major "${hs_xsimd_major}")
if(hs_xsimd_major LESS 13)
    message(FATAL_ERROR "xsimd in ${hs_xsimd_dir} is version ${hs_xsimd_major}, needed is >= 13")
endif()
message(STATUS "xsimd ${hs_xsimd_major} in ${hs_xsimd_dir}")

# The copy has the folder `xsimd` alone: pythran's own directory holds folders such as `types` and
# `boost`, which must not shadow other headers.
hassium_copy_headers("${hs_xsimd_dir}" xsimd hs_xsimd_dir)
add_library(hs_xsimd INTERFACE)
target_include_directories(hs_xsimd SYSTEM INTERFACE "${hs_xsimd_dir}")
