// The functions of the driver API that the virtual GPU has of its own: the rows of api/driver_calls.def.
#pragma once

#include <string_view>

namespace cudash::virtual_gpu::runtime {

/// Such a function, for a libcuda and for code that has none: cells, and programs that ask cudaGetDriverEntryPoint for
/// it. nullptr for other names.
const void* driver_function(std::string_view name);

}  // namespace cudash::virtual_gpu::runtime
