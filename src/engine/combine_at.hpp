// ufunc.at on memory that is ready: what the bindings may use of exec.
#pragma once

#include "exec/combine_at.hpp"
#include "exec/flags.hpp"
