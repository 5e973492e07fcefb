// Runs programs in text form outside of any queue: for the command line, tests and fuzzing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fuse/describe.hpp"
#include "fuse/fuse.hpp"
#include "program/program.hpp"

namespace hassium {

// A partitioner by name, or a partition: lists of instruction numbers in execution order. An
// illegal one is a UserError (Value).
using PartitionSource = std::variant<std::string, std::vector<std::vector<std::uint32_t>>>;

struct TextPartition {
    Partition partition;
    double seconds;                          // of the partitioner alone
    std::optional<Description> description;  // on request
};
// Parses, verifies and partitions a program exactly as written, and verifies the result. `source`
// overrides the partitioner of `options`.
TextPartition partition_text(const std::string& text, const PartitionSource& source,
                             FuseOptions options, bool described = false);
Instance instance_text(const std::string& text, const FuseOptions& options);

// Dumps of every stage for one program.
struct TextDump {
    std::string program, partition, plan;
};
TextDump dump_text(const std::string& text, const PartitionSource& source,
                   std::string_view cost_model);

// Final bytes of every base that the program does not delete.
struct BaseContents {
    std::string name;
    DType dtype;
    std::vector<char> bytes;
};
struct TextRun {
    std::vector<BaseContents> bases;
    double seconds;  // of the blocks alone, without compilation
};
// Fills input bases from their names. `executor` is a value of that setting.
TextRun run_text(const std::string& text, const PartitionSource& source,
                 std::string_view cost_model, std::string_view executor);

}  // namespace hassium
