#include "runtime_wrappers/virtual_gpu/exec/device_heap.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"
#include "runtime_wrappers/virtual_gpu/exec/lanes.h"

namespace cudash::virtual_gpu {

Address allocate_on_heap(const Warp& w, const Instruction* i, std::uint64_t size) {
    const Launch& launch = *w.block->launch;
    constexpr std::uint64_t most_padding = 16;
    if (size + most_padding < size) size = 0;  // with its record it wraps around (recorded on an H200)
    const std::uint64_t used = launch.memory->used(MemoryKind::heap);
    constexpr std::uint64_t slack = 512;  // a heap of 8 MiB has room for 3,777 units, and a bit
    if (size > launch.malloc_heap || used + heap_charge(size) > launch.malloc_heap + slack) return 0;
    const SourceSpot where = source_spot(launch, *w.frame->code, i);
    // malloc(0) gives a pointer of its own (recorded on an H200).
    const auto made = launch.memory->allocate(
        std::max<std::uint64_t>(size, 1), 16, MemoryKind::heap,
        fmt::format("malloc at {} line {}", std::filesystem::path(where.file).filename().string(), where.line));
    if (!made) return 0;
    if (w.observer) w.observer->heap_memory_begins(w.block->number, made->begin, made->size);
    return made->begin;
}

bool release_on_heap(Warp& w, const Instruction* i, const std::array<Address, warp_size>& addresses) {
    const Launch& launch = *w.block->launch;
    int bad_lane = -1;
    bool foreign = false;  // another kind of memory, where the heap's own records are not
    for_each_lane(w.mask, [&](unsigned l) {
        if (addresses[l] == 0 || bad_lane >= 0) return;
        const auto found = launch.memory->find(addresses[l]);
        foreign = found && found->kind != MemoryKind::heap;
        if (!found || foreign || !launch.memory->release(addresses[l])) bad_lane = static_cast<int>(l);
    });
    // What was cached may name freed memory.
    std::fill(w.worker->range_cache.begin(), w.worker->range_cache.end(), Range{});
    if (bad_lane >= 0) {
        raise(w, i, foreign ? LaunchStatus::illegal_address : LaunchStatus::launch_failure, "bad-device-free",
              "free() of a pointer that malloc() in device code did not give, or that was freed before", bad_lane);
        return false;
    }
    w.wrote = true;
    return true;
}

}  // namespace cudash::virtual_gpu
