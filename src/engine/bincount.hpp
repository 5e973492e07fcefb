// Counts of numbers in memory that is ready: what the bindings may use of exec.
#pragma once

#include "exec/routines/bincount.hpp"
