// Whether the order of blocks can show in what a kernel's plain accesses to global memory leave behind. Blocks run in
// parallel only where each writes places of its own: where the address of every store depends on the block's index and
// on nothing that was loaded, and nothing is read from an array at other places than the store's own. The analysis goes
// by names and registers and errs towards a fixed order.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/instruction.h"

namespace cudash::virtual_gpu {

/// What a register's value may come from.
struct Provenance {
    std::uint64_t roots = 0;  ///< kernel parameters and module variables, one bit each
    bool block_index = false, thread_index = false;
    bool loaded = false;      ///< read from memory, given by an atomic or a call
    bool own_memory = false;  ///< an address in shared or local memory

    /// True if it grew.
    bool join(const Provenance& other);
};

/// Who goes on in between, where a warp waits for memory.
enum class Turn : std::uint8_t { none, warps, blocks };

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

class OrderOfBlocks {
public:
    explicit OrderOfBlocks(std::size_t registers) : registers_(registers) {}

    Provenance& of(std::uint32_t number) { return registers_[number]; }
    /// The bit of a parameter or variable; names beyond 63 share one.
    std::uint64_t root(const std::string& name);
    void add_store(const Provenance& address, std::uint32_t base, std::int64_t offset);
    void add_load(const Provenance& address, std::uint32_t base, std::int64_t offset);

    /// True if blocks must run in a fixed order.
    bool order_shows() const;
    std::uint64_t stored_roots() const { return stored_; }
    std::uint64_t loaded_roots() const { return loaded_; }
    const std::map<std::string, std::uint64_t>& roots() const { return roots_; }

private:
    struct Place {
        std::uint32_t base;
        std::int64_t offset;
        auto operator<=>(const Place&) const = default;
    };
    std::vector<Provenance> registers_;
    std::map<std::string, std::uint64_t> roots_;
    std::set<Place> store_places_;
    std::vector<std::pair<Place, std::uint64_t>> loads_;
    std::uint64_t stored_ = 0, loaded_ = 0;
    bool shared_places_ = false;  ///< a store that several blocks may do at one place
};

}  // namespace cudash::virtual_gpu
