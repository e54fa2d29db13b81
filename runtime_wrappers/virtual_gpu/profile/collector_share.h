// What one host thread sees of a launch that is counted (profile/collector.h).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/execution_counts.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"
#include "runtime_wrappers/virtual_gpu/profile/access_patterns.h"
#include "runtime_wrappers/virtual_gpu/profile/collector.h"
#include "runtime_wrappers/virtual_gpu/profile/line_trace.h"
#include "runtime_wrappers/virtual_gpu/profile/traffic.h"

namespace cudash::virtual_gpu {

/// An instruction as one kind of access to one space; `index`: of its plain form.
struct SiteKey {
    const Code* code = nullptr;
    std::uint32_t index = 0;
    MemorySpace space = MemorySpace::global;
    AccessKind kind = AccessKind::load;
    std::uint32_t size = 0;
    friend bool operator==(const SiteKey&, const SiteKey&) = default;
    friend auto operator<=>(const SiteKey&, const SiteKey&) = default;
};

struct SiteTraffic {
    SiteKey key;
    Traffic traffic;
    std::uint64_t worst_cost = 0;
    WarpAccess worst;
    AccessOrigin worst_at;
};

/// Keeps the one that costs more, of equals the first.
inline void keep_worse(SiteTraffic& site, std::uint64_t cost, const WarpAccess& access, const AccessOrigin& origin) {
    if (cost < site.worst_cost || (cost == site.worst_cost && !origin.is_before(site.worst_at))) return;
    site.worst_cost = cost;
    site.worst = access;
    site.worst_at = origin;
}

/// What one host thread sees.
class Collector::Share final : public Observer {
public:
    explicit Share(Collector& collector)
        : collector_(collector), patterns_([this](const AccessPatterns::Pattern& pattern) { price(pattern); }) {
        takes_blocks = true;
    }

    /// For another launch.
    void begin(const Launch& launch, std::uint64_t l1_bytes) {
        launch_ = &launch;
        device_ = launch.profile;
        l1_bytes_ = l1_bytes;
        begin_trace();
        first_trace_.reset();
        until_ = collector_.until_;
        decided_ = collector_.planned_;
        ended_ = 0;
        of_first_blocks_ = 0;
        counts_ = {};
        by_cache_.clear();
        known_.clear();
        sites_.clear();
        used_ = true;
    }
    /// False: no blocks of this launch.
    bool used() const { return used_; }

    void finish() {
        patterns_.flush();
        used_ = false;
    }
    std::deque<SiteTraffic>& sites() { return sites_; }
    const ExecutionCounts& counts() const { return counts_; }
    const LineTrace& trace() const { return trace_; }
    /// Of the blocks before the others, of a launch that is counted in part.
    const LineTrace* first_trace() const { return first_trace_ ? &*first_trace_ : nullptr; }
    std::uint64_t of_first_blocks() const { return of_first_blocks_; }  ///< instructions of warps

    ExecutionCounts* execution_counts() override { return &counts_; }
    void launch_begins(const Launch&) override {}
    std::vector<Diagnostic> launch_ends() override { return {}; }
    bool wants_block(std::uint64_t block) override { return !until_ || block < *until_; }
    std::optional<std::uint64_t> blocks_left(std::uint64_t next) override;
    void block_begins(std::uint64_t block, std::uint32_t, std::uint32_t) override {
        number_ = 0;
        trace_.block_begins(block);
    }
    void block_ends(std::uint64_t block, bool) override {
        if (!decided_) decide(block);
    }
    void access(const AccessRecord& record) override;
    void block_access(const BlockAccessRecord& record) override;
    void arrives(const PlaceRecord&, unsigned, bool) override {}
    void barrier_completes(std::uint64_t, unsigned) override {}
    void all_pass_barrier(std::uint64_t) override {}
    void collective(const CollectiveRecord&) override {}
    void shuffle_from_outside(const ShuffleRecord&) override {}
    void fence(const PlaceRecord&) override {}
    void async_copy(const PlaceRecord&, AsyncCopy, std::uint64_t) override {}

private:
    static constexpr std::uint32_t not_counted = ~0u, most_direct = 1 << 16;
    struct Entry {
        const Instruction* instruction = nullptr;
        SiteKey key;
        std::uint32_t site = not_counted;
    };

    static MemorySpace space_at(ptx::Space written, std::uint64_t address) {
        if (written == ptx::Space::shared) return MemorySpace::shared;
        if (written == ptx::Space::local) return MemorySpace::local;
        if (written == ptx::Space::none) {
            if (in_window(address, shared_window)) return MemorySpace::shared;
            if (in_window(address, local_window)) return MemorySpace::local;
        }
        return MemorySpace::global;
    }

    template <class Record>
    std::uint32_t site_of(const Record& record, MemorySpace space) {
        const std::uint32_t direct = record.instruction->cache;
        if (direct < by_cache_.size()) {
            const Entry& known = by_cache_[direct];
            if (known.instruction == record.instruction && known.key.space == space && known.key.kind == record.kind &&
                known.key.size == record.size)
                return known.site;
        }
        return find_site(*record.code, record.instruction, {nullptr, 0, space, record.kind, record.size});
    }
    std::uint32_t find_site(const Code& code, const Instruction* instruction, SiteKey key);
    /// Lanes of `mask` access one space.
    void access_within(const AccessRecord& record, std::uint32_t mask, MemorySpace space);
    void price(const AccessPatterns::Pattern& pattern);
    void decide(std::uint64_t block);
    void begin_trace() { trace_.begin(l1_bytes_, device_->cc_major < 5); }

    Collector& collector_;
    AccessPatterns patterns_;
    LineTrace trace_;
    std::optional<LineTrace> first_trace_;
    const Launch* launch_ = nullptr;
    std::uint64_t l1_bytes_ = 0;
    bool decided_ = true;                 ///< which blocks are counted
    std::optional<std::uint64_t> until_;  ///< those before that one; nullopt: all
    std::uint64_t ended_ = 0;             ///< blocks, until it is decided
    std::uint64_t of_first_blocks_ = 0;
    const Profile* device_ = nullptr;
    bool used_ = false;
    ExecutionCounts counts_;
    std::uint64_t number_ = 0;
    std::vector<Entry> by_cache_;
    std::map<SiteKey, std::uint32_t> known_;
    std::deque<SiteTraffic> sites_;
};

}  // namespace cudash::virtual_gpu
