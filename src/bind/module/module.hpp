// The functions that module.cpp calls to register the module's contents, one for each topic.
#pragma once

#include <pybind11/pybind11.h>

#include "bind/module/host.hpp"

namespace hassium {

// Runs `body`; a C++ exception becomes the Python exception that NumPy would raise.
template <class Body>
auto translated(Body&& body) {
    try {
        return body();
    } catch (const pybind11::error_already_set&) {
        throw;
    } catch (...) {
        raise_current_exception();
        throw pybind11::error_already_set();
    }
}

void bind_engine(pybind11::module_& m);  // flush, stats, settings, capture, cache
void bind_ops(pybind11::module_& m);     // table of operations, dtype rules
void bind_debug(pybind11::module_& m);   // text programs: parse, partition, run

pybind11::dict to_dict(const Description& description);

}  // namespace hassium
