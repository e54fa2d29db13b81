#include "runtime_wrappers/virtual_gpu/runtime/copy_checks.h"

#include "runtime_wrappers/host_check/copies.h"
#include "runtime_wrappers/virtual_gpu/check/checks.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {
namespace {

std::optional<host_check::Memory> memory_of(Gpu& gpu, const Rows& rows) {
    const auto allocation = gpu.memory.space->find(reinterpret_cast<Address>(rows.pointer));
    if (!allocation) return std::nullopt;
    const AllocationRecord* block = gpu.memory.record_at(allocation->begin);
    if (!block) return std::nullopt;
    return host_check::Memory{.begin = allocation->begin,
                              .size = block->size,
                              .pitch = allocation->pitch,
                              .width = allocation->width,
                              .height = allocation->height,
                              .made = block->made};
}

host_check::Side side_of(Gpu& gpu, const Rows& rows, const Side& side) {
    return {.pointer = rows.pointer,
            .pitch = rows.pitch,
            .array = rows.array != nullptr,
            .on_host = side.on_host(),
            .pageable = side.where == Side::Where::pageable,
            .on_device = side.where == Side::Where::device,
            .memory = rows.array ? std::nullopt : memory_of(gpu, rows)};
}

void tell(Gpu& gpu, std::vector<Diagnostic> found) {
    for (Diagnostic& finding : found) {
        const SourceSpot place = finding.where;
        tell_finding(gpu, std::move(finding), place);
    }
}

}  // namespace

void look_at_copy(Gpu& gpu, CopyTask& task, const Side& to, const Side& from) {
    if (!gpu.checks->selection().has(Checker::copy)) return;
    const host_check::Copy copy{.to = side_of(gpu, task.dst, to),
                                .from = side_of(gpu, task.src, from),
                                .width = task.box.width,
                                .height = task.box.height,
                                .depth = task.box.depth,
                                .kind = task.kind};
    tell(gpu, host_check::look_at(copy, gpu.active.place()));
    // What comes behind the block would be lost, and with it the session.
    if (task.box.height == 1 && task.box.depth == 1)
        task.box.width = host_check::room_in_heap(copy.to, task.box.width).value_or(task.box.width);
}

void look_at_fill(Gpu& gpu, const FillTask& task, const Side& to) {
    if (!gpu.checks->selection().has(Checker::copy)) return;
    tell(gpu, host_check::look_at(host_check::Fill{.to = side_of(gpu, task.dst, to),
                                                   .width = task.box.width,
                                                   .height = task.box.height,
                                                   .depth = task.box.depth},
                                  gpu.active.place()));
}

}  // namespace cudash::virtual_gpu::runtime
