// Binds functions on text programs (dumps of every stage, partitions and results) for tests and the
// command line.
#include <pybind11/stl.h>

#include "bind/module/host.hpp"
#include "bind/module/module.hpp"
#include "engine/flush/text_generators.hpp"
#include "engine/flush/text_program.hpp"

namespace py = pybind11;

namespace hassium {

py::dict to_dict(const Description& description) {
    py::list forbidden;
    for (const ForbiddenEdge& e : description.forbidden) {
        forbidden.append(
            py::make_tuple(e.a, e.b, e.instruction_a, e.instruction_b, py::str(e.reason)));
    }
    py::dict d;
    d["reads"] = description.reads;
    d["writes"] = description.writes;
    d["contracted"] = description.contracted;
    d["dependencies"] = description.dependencies;
    d["forbidden"] = forbidden;
    d["touched"] = description.touched;
    d["moved"] = description.moved;
    return d;
}

namespace {

py::dict wsp_partition(const std::string& text, const PartitionSource& source,
                       const std::string& cost_model, const std::string& unit,
                       const std::string& legality, double time_limit, bool described) {
    return translated([&] {
        FuseOptions options{"", cost_model, find_unit(unit), find_legality(legality), time_limit};
        TextPartition result = [&] {
            py::gil_scoped_release release;
            return partition_text(text, source, options, described);
        }();
        const Partition& p = result.partition;
        py::list blocks;
        for (const Block& block : p.blocks) {
            py::list members;
            for (std::uint32_t m : block.members) members.append(m);
            blocks.append(members);
        }
        py::dict d;
        d["cost"] = p.cost;
        d["blocks"] = blocks;
        d["optimal"] = p.optimal;
        d["bound"] = p.bound;
        d["seconds"] = result.seconds;
        if (result.description) d["description"] = to_dict(*result.description);
        return d;
    });
}

py::dict wsp_instance(const std::string& text, const std::string& cost_model,
                      const std::string& unit, const std::string& legality) {
    return translated([&] {
        FuseOptions options{"", cost_model, find_unit(unit), find_legality(legality)};
        Instance instance = instance_text(text, options);
        py::dict d;
        d["size"] = instance.size;
        d["dependencies"] = instance.dependencies;
        d["forbidden"] = instance.forbidden;
        d["constant"] = instance.constant;
        d["nets"] = instance.nets;
        return d;
    });
}

py::dict program_dump(const std::string& text, const PartitionSource& source,
                      const std::string& cost_model) {
    return translated([&] {
        TextDump dump = dump_text(text, source, cost_model);
        py::dict d;
        d["program"] = dump.program;
        d["partition"] = dump.partition;
        d["plan"] = dump.plan;
        return d;
    });
}

py::tuple program_run(const std::string& text, const PartitionSource& source,
                      const std::string& cost_model, const std::string& executor) {
    return translated([&] {
        TextRun run = run_text(text, source, cost_model, executor);
        py::dict d;
        for (const BaseContents& base : run.bases) {
            d[py::str(base.name)] = py::make_tuple(std::string(info(base.dtype).name),
                                                   py::bytes(base.bytes.data(), base.bytes.size()));
        }
        return py::make_tuple(d, run.seconds);
    });
}

py::dict generator_phases(const std::string& text, const std::string& segmentation,
                          const std::vector<std::vector<std::int64_t>>& tiles) {
    return translated([&] {
        py::dict d;
        for (const auto& [name, dump] : dump_generators(text, segmentation, tiles)) {
            d[py::str(name)] = dump;
        }
        return d;
    });
}

py::list piecewise_writes(const std::string& text) {
    return translated([&] {
        py::list found;
        for (const TextPieces& pieces : find_pieces(text)) {
            py::dict d;
            d["base"] = pieces.base;
            d["instructions"] = pieces.instructions;
            d["strides"] = pieces.strides;
            d["generators"] = pieces.set;
            found.append(d);
        }
        return found;
    });
}

}  // namespace

void bind_debug(py::module_& m) {
    m.def("wsp_partition", &wsp_partition, py::arg("text"), py::arg("source"),
          py::arg("cost_model"), py::arg("unit"), py::arg("legality"), py::arg("time_limit"),
          py::arg("described"));
    m.def("wsp_instance", &wsp_instance, py::arg("text"), py::arg("cost_model"), py::arg("unit"),
          py::arg("legality"));
    m.def("program_dump", &program_dump, py::arg("text"), py::arg("source"), py::arg("cost_model"));
    m.def("program_run", &program_run, py::arg("text"), py::arg("source"), py::arg("cost_model"),
          py::arg("executor"));
    m.def("generator_phases", &generator_phases, py::arg("text"), py::arg("segmentation"),
          py::arg("tiles"));
    m.def("piecewise_writes", &piecewise_writes, py::arg("text"));
}

}  // namespace hassium
