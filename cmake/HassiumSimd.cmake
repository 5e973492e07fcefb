# Kernel units: src/simd/*/unit_*.cpp, each compiled once per instruction-set level.
#
# A unit gets HS_SIMD_NS (the namespace everything in it must live in), HS_SIMD_LEVEL and
# HS_SIMD_ARCH. A unit with a line `// HS_DTYPES: f64 f32 ...` is compiled once more per dtype
# named there, with HS_UNIT_DTYPE set, so that a heavy template spreads over the cores. Of a line
# `// HS_OPTIONS: ...` it gets what the compiler knows.
#
# Units of tile kernels (unit_tile*.cpp) are a library and a namespace of their own: their stack is
# aligned for registers all the way down (docs/decisions/0016-kernels-find-the-stack-aligned.md), so
# no inline function of theirs may be kept for others to call.

include(CheckCXXCompilerFlag)

# The levels of each architecture, ascending: HS_SIMD_LEVEL, HS_SIMD_ARCH and options of the
# compiler. HS_SIMD_LEVEL is the number of the x86-64 level, whose intrinsics a unit may use then,
# and 0 where a unit has the generic forms alone (docs/decisions/0039-architectures.md).
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(hs_levels v2 v3 v4)
    set(hs_level_v2 2 xsimd::sse4_2 -march=x86-64-v2)
    set(hs_level_v3 3 "xsimd::fma3<xsimd::avx2>" -march=x86-64-v3)
    # g++ 12 sees uninitialised values inside its own AVX-512 intrinsics.
    set(hs_level_v4 4 xsimd::avx512bw -march=x86-64-v4 -Wno-uninitialized -Wno-maybe-uninitialized)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(hs_levels neon)
    # The folder holds what <xsimd/xsimd.hpp> is at this level. g++ notes where xsimd passes pairs by
    # another convention than before its version 10.
    set(hs_level_neon 0 hassium::Neon "-I${PROJECT_SOURCE_DIR}/src/simd/neon" -Wno-psabi)
else()
    message(FATAL_ERROR "no instruction-set level is known for ${CMAKE_SYSTEM_PROCESSOR}; "
        "docs/porting.md says what a new architecture needs")
endif()
set(HASSIUM_SIMD_LEVELS "${hs_levels}" CACHE STRING
    "Instruction-set levels to compile kernels for: of v2;v3;v4 on x86-64, neon on aarch64")

foreach(level IN LISTS HASSIUM_SIMD_LEVELS)
    if(NOT level IN_LIST hs_levels)
        message(FATAL_ERROR "HASSIUM_SIMD_LEVELS: unknown level `${level}`, allowed are ${hs_levels}")
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

# 64 bytes, for the widest registers; the default elsewhere.
set(hs_tile_options)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(hs_tile_options -mpreferred-stack-boundary=6)
endif()

function(hassium_unit_flags target level namespace)
    list(POP_FRONT hs_level_${level} number arch)
    target_compile_definitions(${target} PRIVATE
        HS_SIMD_NS=${namespace} HS_SIMD_LEVEL=${number} HS_SIMD_ARCH=${arch} NDEBUG)
    target_compile_options(${target} PRIVATE ${hs_unit_options} ${hs_level_${level}} ${ARGN})
endfunction()

# Sources of one unit in one namespace: itself, or a wrapper per dtype in the build tree.
function(hassium_unit_sources unit namespace result)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${unit}")
    file(STRINGS "${unit}" marker REGEX "^// HS_DTYPES:" LIMIT_COUNT 1)
    set(sources "${unit}")
    if(marker)
        string(REGEX REPLACE "^// HS_DTYPES:" "" dtypes "${marker}")
        separate_arguments(dtypes UNIX_COMMAND "${dtypes}")
        cmake_path(GET unit STEM stem)
        cmake_path(RELATIVE_PATH unit BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/src" OUTPUT_VARIABLE file)
        set(sources)
        foreach(dtype IN LISTS dtypes)
            set(wrapper "${CMAKE_BINARY_DIR}/units/${namespace}/${stem}_${dtype}.cpp")
            file(CONFIGURE OUTPUT "${wrapper}"
                CONTENT "#define HS_UNIT_DTYPE ${dtype}\n#include \"${file}\"\n" @ONLY)
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

# The library hs_simd_<namespace> of units at one level; further arguments are options.
function(hassium_unit_library level namespace units)
    set(sources)
    foreach(unit IN LISTS units)
        hassium_unit_sources("${unit}" ${namespace} of_unit)
        list(APPEND sources ${of_unit})
    endforeach()
    set(library hs_simd_${namespace})
    add_library(${library} OBJECT ${sources})
    target_include_directories(${library} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${library} PRIVATE hs_warnings hs_xsimd)
    hassium_unit_flags(${library} ${level} ${namespace} ${ARGN})
    hassium_precompile(${library} <xsimd/xsimd.hpp> ${hs_standard_headers})
    set_property(GLOBAL APPEND PROPERTY hs_objects ${library})
endfunction()

function(hassium_simd_levels)
    file(GLOB units CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/simd/*/unit_*.cpp")
    set(tile_units ${units})
    list(FILTER tile_units INCLUDE REGEX "/unit_tile[^/]*$")
    list(FILTER units EXCLUDE REGEX "/unit_tile[^/]*$")
    foreach(level IN LISTS HASSIUM_SIMD_LEVELS)
        string(TOUPPER ${level} upper)
        target_compile_definitions(hs_simd PUBLIC HS_HAVE_${upper})
        hassium_unit_library(${level} ${level} "${units}")
        hassium_unit_library(${level} ${level}_tiles "${tile_units}" ${hs_tile_options})
    endforeach()
endfunction()
