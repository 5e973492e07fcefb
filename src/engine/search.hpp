// Positions in sorted vectors, and lines between their points, of memory that is ready: what the
// bindings may use of exec/routines/search.hpp.
#pragma once

#include "exec/routines/search.hpp"
