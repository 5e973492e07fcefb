// Random numbers of NumPy's bit generators: what the bindings may use of exec/draws.hpp.
#pragma once

#include "exec/draws.hpp"
