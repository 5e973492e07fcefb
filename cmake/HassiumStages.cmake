# One object library per folder of src, and the Python module made of them all.

# hassium_stage(<folder> [USES <folder>...]): the library hs_<folder>.
function(hassium_stage name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "USES")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
    list(FILTER sources EXCLUDE REGEX "/unit_[^/]*$")
    if(NOT sources)
        # A folder of headers alone still is a target that others can name.
        set(sources "${CMAKE_BINARY_DIR}/empty/${name}.cpp")
        file(CONFIGURE OUTPUT "${sources}" CONTENT "// ${name} has headers only.\n")
    endif()
    add_library(hs_${name} OBJECT ${sources})
    target_include_directories(hs_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src")
    list(TRANSFORM arg_USES PREPEND hs_ OUTPUT_VARIABLE uses)
    target_link_libraries(hs_${name} PUBLIC ${uses} Threads::Threads PRIVATE hs_warnings)
    hassium_precompile_standard(hs_${name})
    if(name STREQUAL "simd")
        target_link_libraries(hs_simd PRIVATE hs_xsimd)
    endif()
    set_property(GLOBAL APPEND PROPERTY hs_objects hs_${name})
endfunction()

function(hassium_python_module)
    if(NOT pybind11_DIR)
        execute_process(COMMAND "${Python_EXECUTABLE}" -m pybind11 --cmakedir
            OUTPUT_VARIABLE pybind11_hint OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endif()
    set(PYBIND11_FINDPYTHON ON)
    find_package(pybind11 3 CONFIG REQUIRED HINTS "${pybind11_hint}")
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/bind/*.cpp")
    # NO_EXTRAS: link-time optimisation would see the bindings alone and only cost time.
    pybind11_add_module(_core MODULE NO_EXTRAS ${sources})
    get_property(objects GLOBAL PROPERTY hs_objects)
    target_link_libraries(_core PRIVATE ${objects} Python::NumPy hs_warnings ${CMAKE_DL_LIBS})
    hassium_precompile(_core <Python.h> ${hs_standard_headers})
    target_compile_definitions(_core PRIVATE HS_VERSION="${HS_VERSION}")
    target_link_options(_core PRIVATE $<$<CONFIG:Release>:-s>)
    if(HASSIUM_IN_PLACE)
        set_target_properties(_core PROPERTIES
            LIBRARY_OUTPUT_DIRECTORY "${PROJECT_SOURCE_DIR}/python/hassium")
    endif()
    install(TARGETS _core DESTINATION hassium)
endfunction()
