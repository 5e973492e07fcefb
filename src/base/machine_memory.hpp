// How much memory there is for this process, and the control groups that say so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hassium {

// Folders of this process's control group and of those above it, where `controller` ("cpu",
// "memory") has its files: of version 2, or of version 1.
std::vector<std::string> control_groups(std::string_view controller);

// Bytes of the machine's memory, or of what the control groups allow of it.
std::int64_t machine_memory();
// More bytes than an array can have: memory and swap space, or the limit on addresses in force.
std::int64_t most_allocatable();

}  // namespace hassium
