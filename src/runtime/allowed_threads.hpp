// How many threads the process may keep busy.
#pragma once

namespace hassium {

// Processors of the affinity mask, or fewer where a control group has a quota; one at least. Reads
// files: some 100 us.
int allowed_threads();

}  // namespace hassium
