// Copies and fills that are made, because CUDA takes them, and can hardly be meant: a size that counts elements, a kind
// that names the wrong side, rows that do not follow the memory's pitch.
#pragma once

#include "runtime_wrappers/virtual_gpu/runtime/task.h"

namespace cudash::virtual_gpu::runtime {

void look_at_copy(Gpu& gpu, const CopyTask& task, const Side& to, const Side& from);
void look_at_fill(Gpu& gpu, const FillTask& task);

}  // namespace cudash::virtual_gpu::runtime
