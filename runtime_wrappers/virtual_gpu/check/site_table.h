// What the memory instructions of a program mean to the order of accesses, found out once for each.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/observer.h"

namespace cudash::virtual_gpu {

/// PTX ISA, "Operation types": accesses that say .volatile, .relaxed or more, and atomics, are strong.
enum class Strength : std::uint8_t { weak, volatile_, strong };

struct AccessSite {
    const Code* code = nullptr;
    const Instruction* instruction = nullptr;
    std::uint32_t number = 0;
    Strength strength = Strength::weak;
    bool releases = false, acquires = false;  ///< says so itself, without a fence
    bool async_copy = false;                  ///< cp.async: complete only when waited for
    bool bulk_copy = false;
    bool begins_cas = false;  ///< check/cas_seed.h
    /// Of one of Code::indexed_stores: what its place follows from.
    bool by_thread = false, by_block = false;
    bool parameter = false;  ///< of a call: copied unseen
    bool mbarrier = false, mbarrier_init = false;
    bool of_library = false;  ///< in a function of Thrust's or CUB's
};

class SiteTable {
public:
    /// For a launch of another program.
    void clear();
    const AccessSite& find(const PlaceRecord& record) {
        const std::uint32_t key = record.instruction->cache;
        if (key < by_cache_.size() && by_cache_[key].instruction == record.instruction) return *by_cache_[key].site;
        return find_slowly(record);
    }
    const AccessSite* at(std::uint32_t number) const { return number < sites_.size() ? &sites_[number] : nullptr; }

private:
    struct Entry {
        const Instruction* instruction = nullptr;
        const AccessSite* site = nullptr;
    };
    const AccessSite& find_slowly(const PlaceRecord& record);

    std::vector<Entry> by_cache_;
    std::map<std::pair<const Code*, std::uint32_t>, const AccessSite*> known_;
    std::deque<AccessSite> sites_;
};

}  // namespace cudash::virtual_gpu
