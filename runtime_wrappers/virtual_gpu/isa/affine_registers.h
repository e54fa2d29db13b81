// Which registers of a kernel can be kept as arithmetic progressions over the lanes (exec/affine.h), found at decode
// time. The analysis assumes that all lanes of a warp run together; where they do not, the handlers notice.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/affine_form.h"
#include "runtime_wrappers/virtual_gpu/isa/control_flow.h"
#include "runtime_wrappers/virtual_gpu/isa/register_allocation.h"

namespace cudash::virtual_gpu {

inline constexpr std::uint32_t affine_slot_bytes = 32;
/// Registers that may be affine have places of their own; kernels with more of them do without.
inline constexpr std::size_t most_affine_registers = 512;

/// What the decoder found out, by register.
struct AffineRegisters {
    std::vector<Shape> shapes;
    std::vector<bool> mirrored;  ///< somebody reads its lanes: they are written too
    std::vector<bool> local;     ///< every value is read in the basic block that wrote it
    std::vector<bool> steady;    ///< the same in every block of a launch: computed once (isa/steady_registers.cpp)
    std::size_t count = 0;       ///< of those that are kept affine
    bool is_affine(std::uint32_t r) const { return shapes[r] == Shape::uniform || shapes[r] == Shape::affine; }
};

/// Registers whose values never leave the basic block that wrote them. Blocks for which `interrupted` says that other
/// lanes may run in their midst have none.
std::vector<bool> block_local_registers(std::size_t registers, const std::vector<RegisterUse>& uses,
                                        const std::vector<FlowBlock>& blocks, const std::vector<bool>& interrupted);

}  // namespace cudash::virtual_gpu
