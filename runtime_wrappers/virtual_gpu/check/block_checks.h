// What a block does, handed to the checkers that are on.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime_wrappers/virtual_gpu/check/barrier_check.h"
#include "runtime_wrappers/virtual_gpu/check/checkers.h"
#include "runtime_wrappers/virtual_gpu/check/findings.h"
#include "runtime_wrappers/virtual_gpu/check/footprint.h"
#include "runtime_wrappers/virtual_gpu/check/global_races.h"
#include "runtime_wrappers/virtual_gpu/check/launch_written.h"
#include "runtime_wrappers/virtual_gpu/check/read_log.h"
#include "runtime_wrappers/virtual_gpu/check/shared_races.h"
#include "runtime_wrappers/virtual_gpu/check/uses.h"
#include "runtime_wrappers/virtual_gpu/exec/block.h"

namespace cudash::virtual_gpu {

/// A byte that host code used while the kernel was pending, and what the kernel does to it.
struct WatchedByte {
    std::uint64_t address = 0;
    bool read = false, written = false;
    SourceSpot where{};
    ThreadSpot thread{};
};

class BlockChecks : public Observer {
public:
    /// For the next launch.
    std::vector<WatchedByte> watched;

    BlockChecks() : reporter_{findings_, order_, sites_, selection_}, global_(reporter_), barriers_(findings_) {}

    bool wants_block(std::uint64_t block) override {
        if (!wanted_ || selection_.budget == 0 || spent() < for_first_blocks_) return wanted_;
        return spent() < for_begun_blocks_ && running_.contains(block);
    }
    std::optional<std::uint64_t> blocks_left(std::uint64_t) override {
        if (selection_.budget == 0 || ended_ == 0 || spent() < ended_) return std::nullopt;
        return (for_first_blocks_ - std::min(spent(), for_first_blocks_)) / (spent() / ended_);
    }
    void block_begins(std::uint64_t block, std::uint32_t warps, std::uint32_t shared_bytes) override;
    void block_ends(std::uint64_t block, bool detached) override;
    void access(const AccessRecord& record) override;
    void arrives(const PlaceRecord& record, unsigned barrier, bool waits) override;
    void barrier_completes(std::uint64_t block, unsigned barrier) override;
    void all_pass_barrier(std::uint64_t block) override;
    void cluster_passes(std::uint64_t block) override;
    void collective(const CollectiveRecord& record) override;
    void shuffle_from_outside(const ShuffleRecord& record) override;
    void fence(const PlaceRecord& record) override;
    void async_copy(const PlaceRecord& record, AsyncCopy what, std::uint64_t pending) override;
    void heap_memory_begins(std::uint64_t, std::uint64_t address, std::uint64_t bytes) override {
        global_.forget(address, bytes);
    }

    // Of one that sees some of a launch's blocks only.
    void launch_begins(const Launch&) override {}
    std::vector<Diagnostic> launch_ends() override { return {}; }

    /// What is not looked at costs little, but for that blocks run one after the other as long as some are.
    static constexpr std::uint64_t unobserved_per_access = 4;

protected:
    /// What to look at in the blocks of a launch.
    void begin(const Launch& launch, const Selection& selection, DeviceWrittenBytes& written, bool alone);
    void forget_blocks();
    /// Moves what the footprint holds there, with the lines.
    void take_uses(Uses& uses);

    Selection selection_;
    /// Of Selection::budget. Blocks that give each other turns may all read before any of them writes: those that began
    /// in time are looked at for longer.
    std::uint64_t for_first_blocks_ = 0, for_begun_blocks_ = 0;
    bool wanted_ = false;
    std::uint64_t ended_ = 0;  ///< blocks
    bool detached_ = false;
    Findings findings_;
    Order order_;
    SiteTable sites_;
    LaunchWritten written_;
    RaceReporter reporter_;
    GlobalRaces global_;
    std::vector<UnobservedRange> read_only_memory_;
    Footprint footprint_;
    /// How wide the accesses of a site are, at one of its addresses.
    std::vector<std::pair<std::uint64_t, std::uint32_t>> access_sizes_;

    friend class Checks;

private:
    struct BlockState {
        explicit BlockState(const RaceReporter& reporter) : races(reporter) {}
        BlockClock clock;
        SharedRaces races;
        ReadLog reads;
        SmallWrittenBytes shared, local;
        std::array<BarrierPhase, Block::barrier_count> phases;
        std::vector<Actor> shared_actors, global_actors;  ///< by warp, as of their segments
    };
    class Visit;

    std::uint64_t spent() const { return spent_ + unobserved_accesses / unobserved_per_access; }
    BlockState& state_of(std::uint64_t block) {
        if (current_ && current_->clock.number == block) return *current_;
        return find_state(block);
    }
    BlockState& find_state(std::uint64_t block);
    void note_watched(const AccessRecord& record);
    bool reads_unobserved_memory(const AccessRecord& record);
    bool is_only_to_be_logged(const AccessRecord& record, const AccessSite& site, BlockState& block);
    void access_within(const AccessRecord& record, BlockState& block, const AccessSite& site, ptx::Space space,
                       std::uint64_t window);

    std::uint64_t spent_ = 0;
    std::uint64_t program_serial_ = 0;
    bool interleaved_ = false;
    std::uint32_t local_bytes_ = 0;  ///< 0: local memory is not looked at
    BarrierCheck barriers_;
    std::vector<bool> sized_;  ///< by site: access_sizes_ has it

    std::unordered_map<std::uint64_t, std::unique_ptr<BlockState>> running_;
    std::vector<std::unique_ptr<BlockState>> idle_;
    BlockState* current_ = nullptr;
};

}  // namespace cudash::virtual_gpu
