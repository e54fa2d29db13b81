// Which of a function's accesses may be to one place, and whether an order of theirs can show. Blocks run in parallel
// only where each writes places of its own: where the address of every store depends on the block's index and on
// nothing that was loaded, and nothing is read from an array at other places than the store's own. The analysis goes
// by names and registers and errs towards a fixed order.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/decode/flow_graph.h"

namespace cudash::virtual_gpu {

/// What a register's value may come from.
struct Provenance {
    std::uint64_t roots = 0;  ///< kernel parameters and module variables, one bit each
    bool block_index = false, thread_index = false;
    bool loaded = false;      ///< read from memory, given by an atomic or a call
    bool own_memory = false;  ///< an address in shared or local memory

    bool operator==(const Provenance&) const = default;
    /// True if it grew.
    bool join(const Provenance& other);
};

/// A load or a store as far as its order among those of other threads goes.
struct OrderedAccess {
    std::uint32_t item = 0;
    bool stores = false;
    ptx::Space space = ptx::Space::none;
    Provenance address;
    std::uint32_t base = no_index;  ///< register
    std::int64_t offset = 0;

    /// Whether both may be at one place of memory that threads share.
    bool may_meet(const OrderedAccess& other) const;
};

struct AccessOrder {
    std::vector<OrderedAccess> accesses;
    bool of_blocks = false;                  ///< blocks must run in a fixed order
    bool counts_follow_data = false;         ///< Program::counts_follow_data
    std::vector<PointerParameter> pointers;  ///< of a kernel
};
AccessOrder find_access_order(const FlowGraph& graph);

/// Whether the order of a block's warps shows in shared memory where they are not in lockstep (warp_order.cpp). Of code
/// that is compared with warps that run one by one (FlowGraph::unstopped), in global memory too.
bool warp_order_shows(const FlowGraph& graph, const AccessOrder& order);
/// The same in global memory, of any code.
bool shows_in_global_memory(const AccessOrder& order);

}  // namespace cudash::virtual_gpu
