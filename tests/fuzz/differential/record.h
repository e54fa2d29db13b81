// Records what random kernels give on a device.
#pragma once

#include <cstdint>
#include <string>

#include "tests/fuzz/differential/device.h"

namespace cudash::fuzz {

struct RecordRange {
    std::uint64_t first = 1, count = 1000;  ///< seeds
    std::uint64_t from = 0;                 ///< seeds below are left out, though their modules are made
};

/// Writes the record of these seeds. The kernels run in processes of their own, for a kernel that fails takes the
/// device from its process. On a GPU each runs twice, assembled with and without optimisation: one that then gives two
/// results can judge nothing, and stands in the record as a comment. The exit code.
int record(const std::string& file, const std::string& device_name, const Device& device, const RecordRange& range);

/// What such a process does: lines of a record on standard output, up to the first kernel that fails when it runs.
int record_part(Device& device, const RecordRange& range);

}  // namespace cudash::fuzz
