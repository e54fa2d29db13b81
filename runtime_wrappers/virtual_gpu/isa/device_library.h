// Functions that device code calls without defining them: vprintf, __assertfail, malloc, free.
#pragma once

#include <string_view>

#include "runtime_wrappers/virtual_gpu/isa/instruction.h"

namespace cudash::virtual_gpu {

/// The handler of a call to `name`, or nullptr if it is none of them. Notes in `program` what the call implies.
Handler select_library_function(std::string_view name, Program& program);

}  // namespace cudash::virtual_gpu
