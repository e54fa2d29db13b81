#include "runtime_wrappers/virtual_gpu/exec/observe.h"

#include "runtime_wrappers/virtual_gpu/exec/memory_access.h"

namespace cudash::virtual_gpu {
namespace {

AccessRecord record_of(const Warp& w, const Instruction* i, const AccessShape& shape) {
    AccessRecord record;
    static_cast<PlaceRecord&>(record) = place_of(w, i);
    record.values = static_cast<const std::byte*>(shape.values);
    record.value_bytes = shape.value_bytes;
    record.size = shape.size;
    record.space = shape.space;
    record.kind = shape.kind;
    return record;
}

}  // namespace

PlaceRecord place_of(const Warp& w, const Instruction* i) {
    return {w.frame->code, i, w.block->number, w.index, w.mask};
}

void observe(Warp& w, const Instruction* i, const Access& access, const AccessShape& shape) {
    AccessRecord record = record_of(w, i, shape);
    // What lies in the shared memory of other blocks has no place among this block's bytes.
    record.mask &= ~access.elsewhere;
    if (record.mask == 0) return;
    record.addresses = access.address;
    record.bias = access.bias;
    if (!access.linear) record.pointers = access.pointers;
    w.observer->access(record);
}

void observe_progression(Warp& w, const Instruction* i, const std::uint64_t (&first)[2], std::int64_t step,
                         std::uint64_t bias, const AccessShape& shape) {
    AccessRecord record = record_of(w, i, shape);
    record.first[0] = first[0];
    record.first[1] = first[1];
    record.step = step;
    record.bias = bias;
    w.observer->access(record);
}

void observe_block(Warp& w, const Instruction* i, const BlockProgression& places, const AccessShape& shape) {
    const Lockstep& lockstep = w.block->lockstep;
    std::uint32_t masks[most_warps];
    BlockAccessRecord record;
    record.code = w.frame->code;
    record.instruction = i;
    record.block = w.block->number;
    record.first_warp = lockstep.first;
    record.last_warp = lockstep.last;
    record.first = places.first;
    record.step = places.step;
    record.half = places.half;
    record.warp = places.warp;
    record.size = shape.size;
    record.space = shape.space;
    record.kind = shape.kind;
    if (lockstep.masked) {
        for (std::uint32_t k = lockstep.first; k <= lockstep.last; ++k) masks[k] = (&w)[k].mask;
        record.masks = masks;
    }
    w.observer->block_access(record);
}

void observe_frame(Warp& w, const Instruction* i, std::uint64_t offset, std::uint32_t size, AccessKind kind) {
    observe_progression(w, i, {offset, offset}, 0, 0, {ptx::Space::local, kind, size});
}

void observe_collective(Warp& w, const Instruction* i, std::uint32_t members, const std::uint32_t* named) {
    CollectiveRecord record;
    static_cast<PlaceRecord&>(record) = place_of(w, i);
    record.members = members;
    record.named = named;
    record.live = w.live;
    w.observer->collective(record);
}

}  // namespace cudash::virtual_gpu
