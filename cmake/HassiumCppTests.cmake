# tests/cpp/*.cpp: one executable a file. test_math_*.cpp are compiled per instruction-set level
# with the flags of a kernel unit, because what they test is inline code of that level.

enable_testing()

file(GLOB hs_cpp_tests CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/cpp/test_*.cpp")
get_property(hs_objects GLOBAL PROPERTY hs_objects)

function(hassium_cpp_test name source)
    add_executable(${name} "${source}")
    target_include_directories(${name} PRIVATE
        "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests/cpp")
    target_link_libraries(${name} PRIVATE ${hs_objects} hs_warnings ${CMAKE_DL_LIBS})
    set_target_properties(${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/cpp_tests")
    add_test(NAME ${name} COMMAND ${name})
    # 77: the processor lacks the level.
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()

foreach(source IN LISTS hs_cpp_tests)
    cmake_path(GET source STEM stem)
    if(stem MATCHES "^test_math_")
        foreach(level IN LISTS HASSIUM_SIMD_LEVELS)
            hassium_cpp_test(${stem}_${level} "${source}")
            target_link_libraries(${stem}_${level} PRIVATE hs_xsimd)
            hassium_unit_flags(${stem}_${level} ${level})
            set_property(SOURCE "${source}" PROPERTY COMPILE_OPTIONS -ffp-contract=fast)
        endforeach()
    else()
        hassium_cpp_test(${stem} "${source}")
    endif()
endforeach()
