#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/exec/diagnose.h"

namespace cudash::virtual_gpu {
namespace {

constexpr std::uint8_t use_as(AccessKind kind) {
    if (kind == AccessKind::load) return Worker::Used::read;
    return kind == AccessKind::store ? Worker::Used::written : Worker::Used::read | Worker::Used::written;
}

/// `new T[n]` of a class with a constructor or destructor: nvcc asks malloc() for the elements alone, and stores n in
/// the 8 bytes before them, which the heap keeps free.
Range find_array_count(const Launch& launch, const Span& span) {
    constexpr std::uint32_t bytes = sizeof(std::uint64_t);
    if (span.size != bytes) return {};
    const auto elements = launch.memory->find(span.first + bytes);
    if (!elements || elements->kind != MemoryKind::heap || elements->begin != span.first + bytes) return {};
    return {span.first, elements->begin, elements->host_offset, false};
}

/// The live range that holds the first of the accesses; memory that device code allocated itself is not in the launch's
/// list.
Range find_range(const Warp& w, const Span& span, AccessKind kind) {
    const Address address = span.first;
    const Launch& launch = *w.block->launch;
    const auto& ranges = *launch.ranges;
    auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                  [](Address value, const Range& range) { return value < range.begin; });
    if (after != ranges.begin() && std::prev(after)->end > address) {
        const auto found = std::prev(after);
        w.worker->used.note(static_cast<std::size_t>(found - ranges.begin()), use_as(kind));
        return *found;
    }
    if (!launch.uses_heap) return {};
    auto found = launch.memory->find(address);
    if (!found) return find_array_count(launch, span);
    if (!(found->devices & launch.reach)) return {};
    return {found->begin, found->end(), found->host_offset, found->read_only};
}

}  // namespace

bool find_global(Warp& w, const Instruction* i, std::span<const Span> spans, AccessKind kind, std::uint64_t& bias) {
    Range& cached = w.worker->range_cache[i->cache];
    const auto holds = [&](const Range& range) {
        return std::ranges::all_of(spans, [&](const Span& span) { return range.region().holds(span); });
    };
    if (!holds(cached)) {
        const Range found = find_range(w, spans.front(), kind);
        if (!holds(found)) return false;
        cached = found;
    }
    if (cached.read_only && kind != AccessKind::load) return false;
    bias = static_cast<std::uint64_t>(cached.host_offset);
    return true;
}

bool check_lanes(Warp& w, const Instruction* i, Access& access, const AccessShape& shape) {
    const Launch& launch = *w.block->launch;
    access.linear = false;
    unsigned bad_lane = warp_size;
    for_each_lane(w.mask, [&](unsigned l) {
        if (bad_lane != warp_size) return;
        // Addresses of shared memory have 32 bits on the hardware, however wide their register is: `s[threadIdx.x -
        // 1]`, an index of 2^32 - 1 in thread 0, is the element before `s`.
        if (shape.space == ptx::Space::shared) access.address[l] = static_cast<std::uint32_t>(access.address[l]);
        Address address = access.address[l];
        Region region;
        std::byte* base = nullptr;  ///< of the region
        ptx::Space space = shape.space;
        const Block* owner = w.block;
        if (space == ptx::Space::none && is_of_cluster(address - shared_window)) {
            space = ptx::Space::shared;
            address -= shared_window;
        }
        if (space == ptx::Space::none) {
            for (auto [window, inside] : {std::pair{shared_window, ptx::Space::shared},
                                          {local_window, ptx::Space::local},
                                          {param_window, ptx::Space::param}})
                if (in_window(address, window)) {
                    space = inside;
                    address -= window;
                    break;
                }
        }
        if (space == ptx::Space::shared && w.block->cluster && is_of_cluster(address)) {
            const auto& blocks = w.block->cluster->blocks;
            const std::uint64_t rank = (address >> cluster_shift) - 1;
            owner = rank < blocks.size() && !blocks[rank]->done() ? blocks[rank] : nullptr;
            address &= window_size - 1;
            access.elsewhere |= 1u << l;
        }
        if (space == ptx::Space::shared) {
            base = owner ? owner->shared : nullptr;
            if (owner) region = owner->shared_region();
        } else if (space == ptx::Space::local) {
            base = w.local + l * w.local_stride;
            region.bytes = w.local_size;
        } else if (space == ptx::Space::param) {
            // Parameters are constant; their copy belongs to the launch.
            base = const_cast<std::byte*>(launch.parameters.data());
            region.bytes = shape.kind == AccessKind::load ? launch.parameters.size() : 0;
        } else if (const Range range = find_range(w, {address, 0, shape.size}, shape.kind);
                   !range.read_only || shape.kind == AccessKind::load) {
            base = reinterpret_cast<std::byte*>(range.begin + static_cast<std::uint64_t>(range.host_offset));
            region = range.region();
        }
        if (access.address[l] % shape.size != 0 || !region.holds({address, 0, shape.size})) {
            bad_lane = l;
            return;
        }
        access.pointers[l] = base + (address - region.begin);
    });
    if (bad_lane == warp_size) return true;
    raise_access(w, i, bad_lane, access.address[bad_lane], shape);
    return false;
}

}  // namespace cudash::virtual_gpu
