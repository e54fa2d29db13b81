// What observers see of a running kernel: plain records. The executor makes them only while a block is observed; what
// an observer does changes nothing that the kernel computes.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction.h"

namespace cudash::virtual_gpu {

enum class AccessKind : std::uint8_t { load, store, atomic };

/// An instruction that lanes of a warp execute together. `instruction` may be any form of it: Code::index_of.
struct PlaceRecord {
    const Code* code = nullptr;
    const Instruction* instruction = nullptr;
    std::uint64_t block = 0;  ///< its number in the grid
    std::uint32_t warp = 0;
    std::uint32_t mask = 0;  ///< lanes that take part
};

/// An access that was checked and is about to be made.
struct AccessRecord : PlaceRecord {
    /// 32 addresses; those of lanes outside `mask` mean nothing. nullptr: lane l of half h accesses
    /// first[h] + (l % 16) * step.
    const std::uint64_t* addresses = nullptr;
    std::uint64_t first[2] = {0, 0};
    std::int64_t step = 0;
    /// Where the bytes are: address + bias, or, if given, a pointer for each lane.
    std::uint64_t bias = 0;
    std::byte* const* pointers = nullptr;
    /// What a store writes: a register of `value_bytes` per lane; nullptr: several, or none.
    const std::byte* values = nullptr;
    std::uint32_t value_bytes = 0;
    std::uint32_t size = 0;               ///< bytes per lane
    ptx::Space space = ptx::Space::none;  ///< as written; none: generic
    AccessKind kind = AccessKind::load;

    std::uint64_t address(unsigned lane) const {
        return addresses ? addresses[lane]
                         : first[lane / 16] + static_cast<std::uint64_t>(static_cast<std::int64_t>(lane % 16) * step);
    }
    const std::byte* bytes(unsigned lane) const {
        return pointers ? pointers[lane] : reinterpret_cast<const std::byte*>(address(lane) + bias);
    }
};

/// A collective that names lanes: __syncwarp, shuffles, votes, matches.
struct CollectiveRecord : PlaceRecord {
    std::uint32_t members = 0;             ///< as the lowest lane names them
    const std::uint32_t* named = nullptr;  ///< by lane: what each one names; nullptr: `members`
    std::uint32_t live = 0;                ///< lanes of the warp that have not exited
};

/// Lane `lane` of a shuffle reads a lane that takes no part in it.
struct ShuffleRecord : PlaceRecord {
    unsigned lane = 0, source = 0;
};

enum class AsyncCopy : std::uint8_t { commit, wait };

struct Launch;
class ExecutionCounts;

/// An access of warps `first_warp` to `last_warp` of a block, which execute the instruction together: lane l of half h
/// of warp k accesses first + k * warp + h * half + l % 16 * step.
struct BlockAccessRecord {
    const Code* code = nullptr;
    const Instruction* instruction = nullptr;
    std::uint64_t block = 0;
    std::uint32_t first_warp = 0, last_warp = 0;
    const std::uint32_t* masks = nullptr;  ///< by warp: lanes that take part; nullptr: all
    std::uint64_t first = 0;
    std::int64_t step = 0, half = 0, warp = 0;
    std::uint32_t size = 0;  ///< bytes per lane
    ptx::Space space = ptx::Space::none;
    AccessKind kind = AccessKind::load;
};

/// Addresses low..high, high being the last access's first byte.
struct UnobservedRange {
    std::uint64_t begin = 1, end = 0;
    bool holds(std::uint64_t low, std::uint64_t high) const { return low >= begin && high < end; }
};

class Observer {
public:
    virtual ~Observer() = default;

    /// By access site (Instruction::cache): loads from there that nobody needs to be told of.
    std::vector<UnobservedRange> unobserved;
    std::uint64_t unobserved_accesses = 0;  ///< that it was not told of
    bool is_unobserved(const Instruction* i, AccessKind kind, std::uint64_t low, std::uint64_t high) {
        const bool holds =
            kind == AccessKind::load && i->cache < unobserved.size() && unobserved[i->cache].holds(low, high);
        unobserved_accesses += holds;
        return holds;
    }

    /// Takes block_access, which saves the records of single warps.
    bool takes_blocks = false;
    /// The observer of the blocks that a host thread runs, if each has its own; asked when a launch begins, on that
    /// thread. nullptr: all blocks are this one's.
    virtual Observer* for_worker(std::size_t) { return nullptr; }
    /// Where its blocks' instructions are to be counted; nullptr: nowhere.
    virtual ExecutionCounts* execution_counts() { return nullptr; }

    virtual void launch_begins(const Launch& launch) = 0;
    /// Asked for after launch_begins, of launches whose blocks have no way to wait for each other: who is told of the
    /// second half of the blocks, from another thread. nullptr: this one, of all.
    virtual Observer* second_half() { return nullptr; }
    /// What was found, in the order in which it is to be told.
    virtual std::vector<Diagnostic> launch_ends() = 0;

    /// Whether that block is to be observed: asked before it begins, and while it runs. Once false, it stays false, for
    /// this block and for those behind it that the same observer is asked about.
    virtual bool wants_block(std::uint64_t block) = 0;
    /// How many it will want from block `next` on, if they are like those that have ended; nullopt: all, or nobody can
    /// tell.
    virtual std::optional<std::uint64_t> blocks_left(std::uint64_t /*next*/) { return std::nullopt; }
    virtual void block_begins(std::uint64_t block, std::uint32_t warps, std::uint32_t shared_bytes) = 0;
    /// `detached`: it goes on unobserved.
    virtual void block_ends(std::uint64_t block, bool detached) = 0;

    virtual void access(const AccessRecord& record) = 0;
    /// Only if takes_blocks.
    virtual void block_access(const BlockAccessRecord&) {}
    /// Threads have come to a barrier (bar.sync, bar.arrive); `waits`: and go on when it is complete.
    virtual void arrives(const PlaceRecord& record, unsigned barrier, bool waits) = 0;
    virtual void barrier_completes(std::uint64_t block, unsigned barrier) = 0;
    /// All warps of the block have passed barrier 0.
    virtual void all_pass_barrier(std::uint64_t block) = 0;
    /// The cluster's barrier is complete: told of each of its blocks that has not ended.
    virtual void cluster_passes(std::uint64_t block) { all_pass_barrier(block); }
    virtual void collective(const CollectiveRecord& record) = 0;
    virtual void shuffle_from_outside(const ShuffleRecord& record) = 0;
    virtual void fence(const PlaceRecord& record) = 0;
    /// cp.async.commit_group; cp.async.wait_group, after which at most `pending` groups are not complete.
    virtual void async_copy(const PlaceRecord& record, AsyncCopy what, std::uint64_t pending) = 0;
    /// Device code has got memory from the heap. What happened to these bytes earlier was to other memory: whoever
    /// freed it comes before.
    virtual void heap_memory_begins(std::uint64_t /*block*/, std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
};

}  // namespace cudash::virtual_gpu
