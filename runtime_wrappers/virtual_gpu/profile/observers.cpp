#include "runtime_wrappers/virtual_gpu/profile/observers.h"

#include <algorithm>

namespace cudash::virtual_gpu {

Observers::Observers(std::vector<Observer*> observers) {
    for (Observer* each : observers) observers_.push_back({each, each, {}});
}

template <class Tell>
void Observers::tell(std::uint64_t block, Tell&& tell) {
    for (Listener& each : observers_)
        if (std::ranges::find(each.running, block) != each.running.end()) tell(*each.blocks);
}

Observer* Observers::second_half() {
    std::vector<Observer*> halves;
    for (Listener& each : observers_) {
        Observer* half = each.whole->second_half();
        if (!half) half = each.whole->for_worker(1);
        if (!half) return nullptr;
        halves.push_back(half);
    }
    second_ = std::make_unique<Observers>(std::move(halves));
    return second_.get();
}

ExecutionCounts* Observers::execution_counts() {
    for (const Listener& each : observers_)
        if (ExecutionCounts* counts = each.blocks->execution_counts()) return counts;
    return nullptr;
}

void Observers::launch_begins(const Launch& launch) {
    for (Listener& each : observers_) {
        each.whole->launch_begins(launch);
        Observer* own = each.whole->for_worker(0);
        each.blocks = own ? own : each.whole;
    }
}

std::vector<Diagnostic> Observers::launch_ends() {
    second_.reset();
    std::vector<Diagnostic> found;
    for (Listener& each : observers_) {
        each.running.clear();
        for (Diagnostic& diagnostic : each.whole->launch_ends()) found.push_back(std::move(diagnostic));
    }
    return found;
}

bool Observers::wants_block(std::uint64_t block) {
    bool any = false;
    for (Listener& each : observers_) {
        if (each.blocks->wants_block(block))
            any = true;
        else if (std::erase(each.running, block) != 0)
            each.blocks->block_ends(block, true);
    }
    return any;
}

std::optional<std::uint64_t> Observers::blocks_left(std::uint64_t next) {
    std::uint64_t most = 0;
    for (Listener& each : observers_) {
        if (!each.blocks->wants_block(next)) continue;
        const auto left = each.blocks->blocks_left(next);
        if (!left) return std::nullopt;
        most = std::max(most, *left);
    }
    return most;
}

void Observers::block_begins(std::uint64_t block, std::uint32_t warps, std::uint32_t shared_bytes) {
    for (Listener& each : observers_) {
        if (!each.blocks->wants_block(block)) continue;
        each.running.push_back(block);
        each.blocks->block_begins(block, warps, shared_bytes);
    }
}

void Observers::block_ends(std::uint64_t block, bool detached) {
    tell(block, [&](Observer& each) { each.block_ends(block, detached); });
    for (Listener& each : observers_) std::erase(each.running, block);
}

void Observers::access(const AccessRecord& record) {
    tell(record.block, [&](Observer& each) { each.access(record); });
}
void Observers::arrives(const PlaceRecord& record, unsigned barrier, bool waits) {
    tell(record.block, [&](Observer& each) { each.arrives(record, barrier, waits); });
}
void Observers::barrier_completes(std::uint64_t block, unsigned barrier) {
    tell(block, [&](Observer& each) { each.barrier_completes(block, barrier); });
}
void Observers::all_pass_barrier(std::uint64_t block) {
    tell(block, [&](Observer& each) { each.all_pass_barrier(block); });
}

void Observers::cluster_passes(std::uint64_t block) {
    tell(block, [&](Observer& each) { each.cluster_passes(block); });
}
void Observers::collective(const CollectiveRecord& record) {
    tell(record.block, [&](Observer& each) { each.collective(record); });
}
void Observers::shuffle_from_outside(const ShuffleRecord& record) {
    tell(record.block, [&](Observer& each) { each.shuffle_from_outside(record); });
}
void Observers::fence(const PlaceRecord& record) {
    tell(record.block, [&](Observer& each) { each.fence(record); });
}
void Observers::async_copy(const PlaceRecord& record, AsyncCopy what, std::uint64_t pending) {
    tell(record.block, [&](Observer& each) { each.async_copy(record, what, pending); });
}
void Observers::heap_memory_begins(std::uint64_t block, std::uint64_t address, std::uint64_t bytes) {
    tell(block, [&](Observer& each) { each.heap_memory_begins(block, address, bytes); });
}

}  // namespace cudash::virtual_gpu
