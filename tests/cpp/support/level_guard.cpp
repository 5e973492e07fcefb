// Ends a test compiled for an instruction-set level with code 77 where the processor lacks it.
// Compiled without the level's flags and run before any code that has them.

#include <unistd.h>

namespace {

bool processor_has_level() {
#if HS_SIMD_LEVEL >= 2
    __builtin_cpu_init();  // its own constructor may run after this one
#endif
#if HS_SIMD_LEVEL == 4
    return __builtin_cpu_supports("x86-64-v4");
#elif HS_SIMD_LEVEL == 3
    return __builtin_cpu_supports("x86-64-v3");
#elif HS_SIMD_LEVEL == 2
    return __builtin_cpu_supports("x86-64-v2");
#else
    return true;
#endif
}

[[gnu::constructor(101)]] void leave_without_level() {
    if (!processor_has_level()) {
        _exit(77);
    }
}

}  // namespace
