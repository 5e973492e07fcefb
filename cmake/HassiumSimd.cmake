# Kernel units: src/simd/unit_*.cpp, each compiled once per instruction-set level.
#
# A unit gets HS_SIMD_NS (the namespace everything in it must live in), HS_SIMD_LEVEL and
# HS_SIMD_ARCH. A unit with a line `// HS_DTYPES: f64 f32 ...` is compiled once more per dtype
# named there, with HS_UNIT_DTYPE set, so that a heavy template spreads over the cores. Of a line
# `// HS_OPTIONS: ...` it gets what the compiler knows.

include(CheckCXXCompilerFlag)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(hs_default_levels v2 v3 v4)
else()
    set(hs_default_levels baseline)
endif()
set(HASSIUM_SIMD_LEVELS "${hs_default_levels}" CACHE STRING
    "Instruction-set levels to compile kernels for: of v2;v3;v4 on x86-64, else baseline")

set(hs_level_v2 2 xsimd::sse4_2 -march=x86-64-v2)
set(hs_level_v3 3 "xsimd::fma3<xsimd::avx2>" -march=x86-64-v3)
# g++ 12 sees uninitialised values inside its own AVX-512 intrinsics.
set(hs_level_v4 4 xsimd::avx512bw -march=x86-64-v4 -Wno-uninitialized -Wno-maybe-uninitialized)
set(hs_level_baseline 0 xsimd::default_arch)

foreach(level IN LISTS HASSIUM_SIMD_LEVELS)
    if(NOT DEFINED hs_level_${level})
        message(FATAL_ERROR "HASSIUM_SIMD_LEVELS: unknown level `${level}`, allowed are v2, v3, v4 "
            "and baseline")
    endif()
endforeach()

# The same in every build type, so that debug and sanitizer builds compute the same bits. Integer
# lanes wrap around: where a level has no multiplication of 64 bits, xsimd writes it with the
# operator of signed numbers, whose overflow is undefined otherwise.
set(hs_unit_options -O3 -fwrapv -fno-exceptions -fno-rtti)
if(HASSIUM_SANITIZE)
    # Instrumented, a unit takes minutes to compile at -O3, and checks written out in line double
    # that. No bit depends on it: what -O3 adds to -O2 does not touch floating point.
    list(APPEND hs_unit_options -O2)
    if(HASSIUM_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # Nor is a local watched for after the end of its block: every vector would be a part of
        # the stack, marked at both ends, and units of tiles would take minutes each to compile.
        # Kernels keep no pointers to locals; arrays on the stack stay guarded at their ends.
        list(APPEND hs_unit_options --param=asan-instrumentation-with-call-threshold=0
            -fno-sanitize-address-use-after-scope)
    endif()
endif()

function(hassium_unit_flags target level)
    list(POP_FRONT hs_level_${level} number arch)
    target_compile_definitions(${target} PRIVATE
        HS_SIMD_NS=${level} HS_SIMD_LEVEL=${number} HS_SIMD_ARCH=${arch} NDEBUG)
    target_compile_options(${target} PRIVATE ${hs_unit_options} ${hs_level_${level}})
endfunction()

# Sources of one unit at one level: itself, or a wrapper per dtype in the build tree.
function(hassium_unit_sources unit level result)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${unit}")
    file(STRINGS "${unit}" marker REGEX "^// HS_DTYPES:" LIMIT_COUNT 1)
    set(sources "${unit}")
    if(marker)
        string(REGEX REPLACE "^// HS_DTYPES:" "" dtypes "${marker}")
        separate_arguments(dtypes UNIX_COMMAND "${dtypes}")
        cmake_path(GET unit STEM stem)
        cmake_path(GET unit FILENAME file)
        set(sources)
        foreach(dtype IN LISTS dtypes)
            set(wrapper "${CMAKE_BINARY_DIR}/units/${level}/${stem}_${dtype}.cpp")
            file(CONFIGURE OUTPUT "${wrapper}"
                CONTENT "#define HS_UNIT_DTYPE ${dtype}\n#include \"simd/${file}\"\n" @ONLY)
            list(APPEND sources "${wrapper}")
        endforeach()
    endif()
    file(STRINGS "${unit}" marker REGEX "^// HS_OPTIONS:" LIMIT_COUNT 1)
    if(marker)
        string(REGEX REPLACE "^// HS_OPTIONS:" "" options "${marker}")
        separate_arguments(options UNIX_COMMAND "${options}")
        set(known)
        foreach(option IN LISTS options)
            string(MAKE_C_IDENTIFIER "hs_knows_${option}" knows)
            check_cxx_compiler_flag("${option}" ${knows})
            if(${knows})
                list(APPEND known "${option}")
            endif()
        endforeach()
        # Headers compiled before with other options are refused.
        set_source_files_properties(${sources} PROPERTIES
            COMPILE_OPTIONS "${known}" SKIP_PRECOMPILE_HEADERS ON)
    endif()
    set(${result} ${sources} PARENT_SCOPE)
endfunction()

function(hassium_simd_levels)
    file(GLOB units CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/simd/unit_*.cpp")
    foreach(level IN LISTS HASSIUM_SIMD_LEVELS)
        string(TOUPPER ${level} upper)
        target_compile_definitions(hs_simd PUBLIC HS_HAVE_${upper})
        set(sources)
        foreach(unit IN LISTS units)
            hassium_unit_sources("${unit}" ${level} of_unit)
            list(APPEND sources ${of_unit})
        endforeach()
        if(sources)
            add_library(hs_simd_${level} OBJECT ${sources})
            target_include_directories(hs_simd_${level} PRIVATE "${PROJECT_SOURCE_DIR}/src")
            target_link_libraries(hs_simd_${level} PRIVATE hs_warnings hs_xsimd)
            hassium_unit_flags(hs_simd_${level} ${level})
            hassium_precompile(hs_simd_${level} <xsimd/xsimd.hpp> ${hs_standard_headers})
            set_property(GLOBAL APPEND PROPERTY hs_objects hs_simd_${level})
        endif()
    endforeach()
endfunction()
