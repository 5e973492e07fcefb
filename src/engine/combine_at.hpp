// ufunc.at on memory that is ready: what the bindings may use of exec.
#pragma once

#include "exec/flags.hpp"
#include "exec/routines/ufunc_at.hpp"
