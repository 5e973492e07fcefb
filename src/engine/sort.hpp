// Sorting of memory that is ready, and on how many threads: what the bindings may use of exec.
#pragma once

#include "exec/routines/sort.hpp"
#include "runtime/thread_pool.hpp"
