#include "bind/module.hpp"

#include "bind/array.hpp"
#include "bind/host.hpp"

PYBIND11_MODULE(_core, m) {
    m.attr("__version__") = HS_VERSION;
    hassium::install_host();
    hassium::bind_ops(m);
    hassium::bind_engine(m);
    if (!hassium::init_array(m.ptr())) throw pybind11::error_already_set();
}
