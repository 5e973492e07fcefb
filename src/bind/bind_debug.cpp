// Text programs: dumps of every stage, partitions and results, for tests and the command line.
#include <pybind11/stl.h>

#include "bind/host.hpp"
#include "bind/module.hpp"
#include "engine/text_program.hpp"

namespace py = pybind11;

namespace hassium {
namespace {

py::dict wsp_partition(const std::string& text, const std::string& partitioner,
                       const std::string& cost_model) {
    return translated([&] {
        Partition p = partition_text(text, partitioner, cost_model);
        py::list blocks;
        for (const Block& block : p.blocks) {
            py::list members;
            for (const BlockMember& m : block.members) members.append(m.instruction);
            blocks.append(members);
        }
        py::dict d;
        d["cost"] = p.cost;
        d["blocks"] = blocks;
        d["optimal"] = p.optimal;
        d["bound"] = p.bound;
        return d;
    });
}

py::dict program_dump(const std::string& text, const std::string& partitioner,
                      const std::string& cost_model) {
    return translated([&] {
        TextDump dump = dump_text(text, partitioner, cost_model);
        py::dict d;
        d["program"] = dump.program;
        d["partition"] = dump.partition;
        d["plan"] = dump.plan;
        return d;
    });
}

py::dict program_run(const std::string& text, const std::string& partitioner,
                     const std::string& cost_model, const std::string& executor) {
    return translated([&] {
        py::dict d;
        for (const BaseContents& base : run_text(text, partitioner, cost_model, executor)) {
            d[py::str(base.name)] = py::make_tuple(std::string(info(base.dtype).name),
                                                   py::bytes(base.bytes.data(), base.bytes.size()));
        }
        return d;
    });
}

}  // namespace

void bind_debug(py::module_& m) {
    m.def("wsp_partition", &wsp_partition, py::arg("text"), py::arg("partitioner"),
          py::arg("cost_model"));
    m.def("program_dump", &program_dump, py::arg("text"), py::arg("partitioner"),
          py::arg("cost_model"));
    m.def("program_run", &program_run, py::arg("text"), py::arg("partitioner"),
          py::arg("cost_model"), py::arg("executor"));
}

}  // namespace hassium
