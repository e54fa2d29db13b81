// Plain loads that only begin a loop of atom.cas, as the Programming Guide writes an atomic operation of one's own:
//
//     old = *address;
//     do { assumed = old; old = atomicCAS(address, assumed, f(assumed)); } while (assumed != old);
//
// A stale value costs such a loop one more round and nothing else: the load races with no one.
#pragma once

#include <cstdint>

#include "runtime_wrappers/virtual_gpu/isa/instruction.h"

namespace cudash::virtual_gpu {

/// Whether what instruction `load` of the code loads reaches nothing but the compared and the new value of atom.cas at
/// the same place, until one of those has succeeded. False also where that is not clear.
bool only_begins_cas(const Code& code, std::uint32_t load);

}  // namespace cudash::virtual_gpu
