// Objects of the program that graphs keep alive.
#pragma once

#include <cuda_runtime_api.h>

namespace cudash::virtual_gpu::runtime {

class Gpu;
/// Drops references; the last one calls the object's destructor.
void release_user_object(Gpu& gpu, cudaUserObject_t object, unsigned references);

}  // namespace cudash::virtual_gpu::runtime
