// Random numbers of NumPy's bit generators: what the bindings may use of exec/random/sampling.hpp.
#pragma once

#include "exec/random/sampling.hpp"
