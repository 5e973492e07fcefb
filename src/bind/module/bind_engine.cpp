// Binds the engine: flush, counters, settings, capture, cache.
#include <pybind11/stl.h>

#include <utility>

#include "base/counters.hpp"
#include "base/error.hpp"
#include "base/settings.hpp"
#include "bind/module/call_sites.hpp"
#include "bind/module/host.hpp"
#include "bind/module/module.hpp"
#include "bind/ufunc/ufunc.hpp"
#include "engine/check_settings.hpp"
#include "engine/engine.hpp"

namespace py = pybind11;

namespace hassium {
namespace {

py::dict stats() {
    translated([] { return Engine::instance().await_background_flush(), 0; });
    py::dict out;
    Engine::Memory memory = Engine::instance().memory();  // first: it updates its counters
    for (int c = 0; c < kCounterCount; ++c) {
        out[py::str(kCounters[c].name)] = counters().get(static_cast<Counter>(c));
    }
    py::dict seconds;
    for (int s = 0; s < kStageCount; ++s) {
        seconds[py::str(kStageNames[s])] =
            static_cast<double>(counters().nanoseconds[s].load()) * 1e-9;
    }
    out["seconds"] = seconds;
    out["eager"] = py::reinterpret_steal<py::dict>(eager_counts());
    out["fallbacks"] = py::reinterpret_steal<py::dict>(fallback_counts());
    out["bytes_held"] = memory.held;
    out["bytes_kept"] = memory.kept;
    out["bytes_peak"] = memory.peak;
    return out;
}

py::list counters_table() {
    py::list rows;
    for (const CounterInfo& counter : kCounters) {
        py::dict d;
        d["name"] = py::str(counter.name);
        d["group"] = py::str(counter.group);
        d["main"] = counter.main;
        d["meaning"] = py::str(counter.meaning);
        rows.append(d);
    }
    return rows;
}

void reset_stats() {
    translated([] { return Engine::instance().await_background_flush(), 0; });
    Engine::instance().reset_peak();
    counters().reset();
    reset_site_counts();
}

// Sets a setting. Pending work runs first, under the old settings, unless `later`: a new process
// has its parent's pending work. With `back`, which restores a value, the setting is set even if
// that work fails; the error is raised then. A value that this machine cannot serve is refused: it
// would fail every flush, including the one before the next change.
void set_setting(const std::string& name, const std::string& text, bool back, bool later) {
    translated([&] {
        try {
            if (!later) Engine::instance().run_pending();
        } catch (...) {
            if (back) settings().set(name, text);
            throw;
        }
        std::string before;
        for (int k = 0; k < kSettingCount; ++k) {
            auto setting = static_cast<Setting>(k);
            if (info(setting).name == name) before = settings().text(setting);
        }
        settings().set(name, text);
        try {
            check_settings();
        } catch (const UserError&) {
            settings().set(name, before);
            throw;
        }
        return 0;
    });
}

py::list settings_table() {
    py::list rows;
    for (int k = 0; k < kSettingCount; ++k) {
        const SettingInfo& row = info(static_cast<Setting>(k));
        py::dict d;
        d["name"] = py::str(row.name);
        d["default"] = py::str(row.fallback);
        d["allowed"] = py::str(row.allowed);
        d["meaning"] = py::str(row.meaning);
        d["value"] = settings().text(static_cast<Setting>(k));
        rows.append(d);
    }
    return rows;
}

// Returns "file:line".
py::object line_of(std::uint32_t site) {
    const std::string text = site_text(site);
    return py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

py::list stop_capture() {
    py::list flushes;
    for (const Captured& c : Engine::instance().stop_capture()) {
        py::dict d;
        d["program"] = c.program;
        d["partition"] = c.partition;
        d["plan"] = c.plan;
        py::list rewrites;
        for (const RewriteDump& dump : c.rewrites) {
            rewrites.append(py::make_tuple(dump.pass, dump.program));
        }
        d["rewrites"] = rewrites;
        d["cache_hit"] = c.cache_hit;
        py::list sites;
        for (std::uint32_t site : c.sites) sites.append(line_of(site));
        d["sites"] = sites;
        d["cause"] = py::str(kFlushCauses[static_cast<int>(c.cause)]);
        d["site"] = line_of(c.site);
        d["count"] = c.count;
        d["seconds"] = c.seconds;
        d["bytes"] = c.bytes;
        d["planning"] = c.planning;
        d["bytes_saved"] = c.bytes_saved;
        d["blocks"] = c.blocks;
        d["description"] = to_dict(c.description);
        flushes.append(d);
    }
    return flushes;
}

py::dict cache_info() {
    Engine::CacheInfo info = Engine::instance().cache_info();
    py::dict d;
    d["hits"] = info.hits;
    d["misses"] = info.misses;
    d["symbolic_hits"] = info.symbolic_hits;
    d["entries"] = info.entries;
    d["families"] = info.families;
    return d;
}

}  // namespace

void bind_engine(py::module_& m) {
    m.def(
        "flush", [] { translated([] { return Engine::instance().flush(), 0; }); },
        "Runs everything this thread has recorded.");
    m.def("set_warnings_at_call", &set_warnings_at_call, py::arg("at_call"));
    m.def("flush_reports",
          [] { translated([] { return Engine::instance().flush_reports(), 0; }); });
    m.def("stats", &stats);
    m.def("counters_table", &counters_table);
    m.def(
        "trim", [] { Engine::instance().trim(); },
        "Returns the freed memory that is kept for the next arrays to the system.");
    m.def("reset_stats", &reset_stats, "Sets the counters of `stats` to zero.");
    m.def("set_setting", &set_setting, py::arg("name"), py::arg("text"), py::arg("back") = false,
          py::arg("later") = false);
    m.def("settings_table", &settings_table);
    m.def("simd_level", &simd_level);
    m.def(
        "start_capture",
        [](bool merged) {
            translated([merged] { return Engine::instance().start_capture(merged), 0; });
        },
        py::arg("merged") = false);
    m.def("stop_capture", &stop_capture);
    m.def("cache_info", &cache_info);
    m.def("cache_clear", [] { Engine::instance().cache_clear(); });
    m.def("await_background_flush",
          [] { translated([] { return Engine::instance().await_background_flush(), 0; }); });
    m.def(
        "count_fallback", [](const std::string& name) { count_fallback(name.c_str()); },
        py::arg("name"));
    // Python creates another module object when it imports the package again.
    m.def("is_first_load", [] {
        static bool loaded = false;
        return !std::exchange(loaded, true);
    });
    m.def("before_fork", [] { translated([] { return Engine::instance().before_fork(), 0; }); });
}

}  // namespace hassium
