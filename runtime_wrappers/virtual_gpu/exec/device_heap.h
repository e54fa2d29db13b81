// The heap that malloc() and cudaMalloc() in device code take memory from (cudaLimitMallocHeapSize).
#pragma once

#include <array>

#include "runtime_wrappers/virtual_gpu/exec/warp.h"
#include "runtime_wrappers/virtual_gpu/memory/address_space.h"

namespace cudash::virtual_gpu {

/// 0: there is no room for so much.
Address allocate_on_heap(const Warp& w, const Instruction* i, std::uint64_t size);
/// The active lanes' addresses; 0 is fine. False: a fault was raised, for what is not memory of the heap.
bool release_on_heap(Warp& w, const Instruction* i, const std::array<Address, warp_size>& addresses);

}  // namespace cudash::virtual_gpu
