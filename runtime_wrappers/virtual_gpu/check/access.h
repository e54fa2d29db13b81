// What observers see of a memory access. The executor makes a record only while someone observes.
#pragma once

#include <cstdint>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction.h"

namespace cudash::virtual_gpu {

enum class AccessKind : std::uint8_t { load, store, atomic };

struct AccessRecord {
    const Code* code = nullptr;
    const Instruction* instruction = nullptr;
    Dim3 block;
    std::uint32_t warp = 0;
    std::uint32_t mask = 0;                    ///< lanes that take part
    const std::uint64_t* addresses = nullptr;  ///< 32 generic addresses; those of lanes outside `mask` mean nothing
    std::uint32_t size = 0;                    ///< bytes per lane
    ptx::Space space = ptx::Space::none;       ///< as written; none: generic
    AccessKind kind = AccessKind::load;
};

class AccessObserver {
public:
    virtual ~AccessObserver() = default;
    virtual void access(const AccessRecord& record) = 0;
};

}  // namespace cudash::virtual_gpu
