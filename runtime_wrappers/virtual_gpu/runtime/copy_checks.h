// Copies and fills of the virtual GPU as host_check looks at them.
#pragma once

#include "runtime_wrappers/virtual_gpu/runtime/task.h"

namespace cudash::virtual_gpu::runtime {

void look_at_copy(Gpu& gpu, CopyTask& task, const Side& to, const Side& from);
void look_at_fill(Gpu& gpu, const FillTask& task, const Side& to);

}  // namespace cudash::virtual_gpu::runtime
