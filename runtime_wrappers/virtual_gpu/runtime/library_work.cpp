#include "runtime_wrappers/virtual_gpu/runtime/library_work.h"

#include <algorithm>

#include "runtime_wrappers/virtual_gpu/check/checks.h"
#include "runtime_wrappers/virtual_gpu/check/uses.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {
namespace {

/// A launch, and then what takes longer: memory, or arithmetic at half of what the units could do.
double time_of(const Profile& profile, const LibraryTask& task) {
    constexpr double launch = 1000, single_units = 128;
    std::uint64_t bytes = 0;
    for (const LibraryTask::Operand& operand : task.operands)
        if (operand.read || operand.written) bytes += operand.box.bytes();
    const double units = task.doubles ? single_units / 2 : single_units;
    const double per_second = units * 2 * profile.multiprocessors * profile.core_clock_khz * 1e3 / 2;
    const double memory = copy_time(profile, Link::fill, bytes), arithmetic = task.floating_point / per_second * 1e9;
    return launch + std::max(memory, arithmetic);
}

}  // namespace

std::byte* LibraryMemory::find(const LibraryTask::Operand& operand) {
    Side side;
    const std::string role(operand.name);
    api::Explanation& explanation = api::thread_state().explanation;
    if (locate(gpu_, operand.rows, operand.box, role.c_str(), side) != cudaSuccess) {
        explanation.hint = "a library's arrays must be memory of the device for as long as it works with them";
        return nullptr;
    }
    if (!side.known_to_device()) {
        explanation.cause = fmt::format("{} is ordinary host memory, which the device can't reach", operand.name);
        explanation.hint = "copy it to memory of cudaMalloc first";
        return nullptr;
    }
    if (operand.written && gpu_.memory.check_host_room(side.bytes, operand.box.bytes()) != cudaSuccess) return nullptr;
    return side.bytes;
}

void LibraryMemory::note(const LibraryTask::Operand& operand) {
    for (std::uint64_t z = 0; z < operand.box.depth; ++z)
        for (std::uint64_t y = 0; y < operand.box.height; ++y) {
            const Rows& rows = operand.rows;
            const Address address = reinterpret_cast<Address>(rows.pointer) + z * rows.slice + y * rows.pitch;
            if (operand.written) {
                gpu_.checks->memory_written(address, operand.box.width);
                gpu_.memory.space->note_change(address);
            }
            if (!gpu_.scheduler.uses) continue;
            if (operand.read) gpu_.scheduler.uses->add(Use::read, address, operand.box.width);
            if (operand.written) gpu_.scheduler.uses->add(Use::write, address, operand.box.width);
        }
}

bool has_operands(Gpu& gpu, const LibraryTask& task) {
    LibraryMemory memory(gpu);
    return std::ranges::all_of(task.operands, [&](const LibraryTask::Operand& operand) {
        return operand.box.empty() || memory.find(operand) != nullptr;
    });
}

std::optional<Usage> run_library(Gpu& gpu, const LibraryTask& task) {
    LibraryMemory memory(gpu);
    std::vector<std::byte*> bytes;
    for (const LibraryTask::Operand& operand : task.operands) {
        bytes.push_back(operand.box.empty() ? nullptr : memory.find(operand));
        if (!bytes.back() && !operand.box.empty()) return std::nullopt;
    }
    if (!task.run(memory, bytes)) return std::nullopt;
    for (const LibraryTask::Operand& operand : task.operands)
        if (!operand.box.empty()) memory.note(operand);
    return Usage{time_of(gpu.profile, task), Engine::kernels};
}

}  // namespace cudash::virtual_gpu::runtime
