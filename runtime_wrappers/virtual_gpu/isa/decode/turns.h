// Where a warp waits for memory so long that the others of its block go on (turns.cpp).
#pragma once

#include <cstdint>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/decode/access_order.h"
#include "runtime_wrappers/virtual_gpu/isa/decode/affine_registers.h"

namespace cudash::virtual_gpu {

/// Who goes on in between.
enum class Turn : std::uint8_t { none, warps, blocks };

struct TurnPlaces {
    std::vector<Turn> before, after;  ///< by item
};
TurnPlaces find_turns(const FlowGraph& graph, const AccessOrder& order, const AffineRegisters& affine);

}  // namespace cudash::virtual_gpu
