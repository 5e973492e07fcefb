# tests/cpp/**/test_*.cpp: one executable a file. test_math_*.cpp are compiled per instruction-set level
# with the flags of a kernel unit, because what they test is inline code of that level.

enable_testing()

file(GLOB_RECURSE hs_cpp_tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/cpp/test_*.cpp")

# An archive, so that a test links only what it calls: three levels of kernels in every executable
# would take longer to link than to run.
get_property(hs_objects GLOBAL PROPERTY hs_objects)
add_library(hs_all STATIC)
target_link_libraries(hs_all PUBLIC ${hs_objects})

function(hassium_cpp_test name source)
    add_executable(${name} "${source}")
    target_include_directories(${name} PRIVATE
        "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests/cpp")
    target_link_libraries(${name} PRIVATE hs_all hs_warnings ${CMAKE_DL_LIBS})
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/cpp_tests")
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
endfunction()

foreach(level IN LISTS HASSIUM_SIMD_LEVELS)
    list(GET hs_level_${level} 0 number)
    add_library(hs_guard_${level} OBJECT tests/cpp/support/level_guard.cpp)
    target_compile_definitions(hs_guard_${level} PRIVATE HS_SIMD_LEVEL=${number})
    target_link_libraries(hs_guard_${level} PRIVATE hs_warnings)
endforeach()

foreach(source IN LISTS hs_cpp_tests)
    cmake_path(GET source STEM stem)
    if(stem MATCHES "^test_math_")
        foreach(level IN LISTS HASSIUM_SIMD_LEVELS)
            set(name ${stem}_${level})
            hassium_cpp_test(${name} "${source}")
            target_link_libraries(${name} PRIVATE hs_xsimd hs_guard_${level})
            hassium_unit_flags(${name} ${level} ${level})
            # What the guard returns where the processor lacks the level.
            set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
        endforeach()
    else()
        hassium_cpp_test(${stem} "${source}")
    endif()
endforeach()
