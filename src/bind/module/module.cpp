#include "bind/module/module.hpp"

#include "base/settings.hpp"
#include "bind/array/array.hpp"
#include "bind/module/host.hpp"
#include "bind/ufunc/ufunc.hpp"

// A free-threaded Python switches the GIL on for this module, as it does for every one that does
// not declare the contrary (Py_MOD_GIL_NOT_USED): recording relies on it.
PYBIND11_MODULE(_core, m) {
    hassium::settings();  // refuses invalid environment variables
    m.attr("__version__") = HS_VERSION;
    hassium::install_host();
    hassium::bind_ops(m);
    hassium::bind_engine(m);
    hassium::bind_debug(m);
    if (!hassium::init_array(m.ptr()) || !hassium::init_ufunc(m.ptr()) ||
        !hassium::init_dispatcher(m.ptr()) || !hassium::init_exporting(m.ptr()) ||
        !hassium::init_namespace(m.ptr())) {
        throw pybind11::error_already_set();
    }
}
