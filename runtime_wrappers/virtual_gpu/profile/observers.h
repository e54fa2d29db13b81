// Several observers of one launch.
#pragma once

#include <memory>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/observer.h"

namespace cudash::virtual_gpu {

/// Tells each of them all that it wants to know. Blocks are not spread over more host threads than the most demanding
/// of them allows: one, or two where all can be told of the launch's halves.
class Observers final : public Observer {
public:
    explicit Observers(std::vector<Observer*> observers);

    Observer* second_half() override;
    ExecutionCounts* execution_counts() override;
    void launch_begins(const Launch& launch) override;
    std::vector<Diagnostic> launch_ends() override;
    bool wants_block(std::uint64_t block) override;
    std::optional<std::uint64_t> blocks_left(std::uint64_t next) override;
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
    void heap_memory_begins(std::uint64_t block, std::uint64_t address, std::uint64_t bytes) override;

private:
    struct Listener {
        Observer* whole = nullptr;   ///< of the launch
        Observer* blocks = nullptr;  ///< of its blocks: its own for a host thread, if it has such
        std::vector<std::uint64_t> running;
    };
    template <class Tell>
    void tell(std::uint64_t block, Tell&& tell);

    std::vector<Listener> observers_;
    std::unique_ptr<Observers> second_;
};

}  // namespace cudash::virtual_gpu
