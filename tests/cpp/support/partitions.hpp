// Partitions that have been verified.
#pragma once

#include <string_view>

#include "fuse/fuse.hpp"

namespace hassium {

inline Partition run(const Program& p, std::string_view partitioner) {
    Partition result = partition(p, {partitioner, "bohrium"});
    result.verify(p);
    return result;
}

}  // namespace hassium
