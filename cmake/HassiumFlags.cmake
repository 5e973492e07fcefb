# Flags of every translation unit. Kernel units add theirs in HassiumSimd.cmake.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Kernels add -O3. Elsewhere it takes longer to compile and has g++ 12 warn of the inside of
# std::string; loops over memory keep what it does for them.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    string(APPEND CMAKE_CXX_FLAGS_RELEASE " -fvect-cost-model=dynamic -funswitch-loops")
endif()
# -O2 in Debug too: at -O0 the random programs of the test suite would take hours.
set(CMAKE_CXX_FLAGS_DEBUG "-O2 -g")

# Bit-equality with NumPy rests on this: no multiply-add is formed but where the code asks for one.
add_compile_options(-ffp-contract=off)

# g++ clears more than 96 bytes by `rep stos`, which takes some 30 cycles to begin: a request of one
# operation is 200 bytes, and is cleared for each.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    add_compile_options(-mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign)
endif()

add_library(hs_warnings INTERFACE)
target_compile_options(hs_warnings INTERFACE -Wall -Wextra -Wpedantic)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 sees overlapping copies inside std::string's own operator+ (GCC bug 105651).
    target_compile_options(hs_warnings INTERFACE -Wno-restrict)
endif()
if(HASSIUM_WERROR)
    target_compile_options(hs_warnings INTERFACE -Werror)
endif()

if(HASSIUM_SANITIZE)
    add_compile_options(-fsanitize=${HASSIUM_SANITIZE} -fno-omit-frame-pointer -g1)
    add_link_options(-fsanitize=${HASSIUM_SANITIZE})
    if(HASSIUM_SANITIZE MATCHES "undefined")
        add_compile_options(-fno-sanitize-recover=undefined)
    endif()
endif()

if(HASSIUM_VERIFY STREQUAL "AUTO")
    add_compile_definitions(HS_VERIFY_DEFAULT="$<IF:$<CONFIG:Debug>,1,0>")
elseif(HASSIUM_VERIFY)
    add_compile_definitions(HS_VERIFY_DEFAULT="1")
else()
    add_compile_definitions(HS_VERIFY_DEFAULT="0")
endif()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module NumPy)
