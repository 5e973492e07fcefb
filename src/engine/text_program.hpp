// Programs in text form, run apart from any queue: for the command line, tests and fuzzing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuse/partition.hpp"
#include "program/program.hpp"

namespace hassium {

// Parsed, verified, partitioned exactly as written.
Partition partition_text(const std::string& text, std::string_view partitioner,
                         std::string_view cost_model);

// Dumps of every stage for one program.
struct TextDump {
    std::string program, partition, plan;
};
TextDump dump_text(const std::string& text, std::string_view partitioner,
                   std::string_view cost_model);

// Final bytes of every base that the program does not delete.
struct BaseContents {
    std::string name;
    DType dtype;
    std::vector<char> bytes;
};
// Input bases are filled from their names. `executor` is a choice of that setting.
std::vector<BaseContents> run_text(const std::string& text, std::string_view partitioner,
                                   std::string_view cost_model, std::string_view executor);

}  // namespace hassium
