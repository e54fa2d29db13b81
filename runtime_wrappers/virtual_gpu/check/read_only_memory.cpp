#include "runtime_wrappers/virtual_gpu/check/read_only_memory.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"

namespace cudash::virtual_gpu {
namespace {

/// The analysis follows plain stores; what else changes memory is looked for here.
bool only_plain_stores(const Code& code) {
    constexpr std::array others = {Effect::atomic, Effect::copy, Effect::image_store, Effect::fragment,
                                   Effect::image_atomic};
    return std::none_of(code.written.begin(), code.written.end(), [&](const ptx::Instruction* each) {
        return each && (each->call || std::ranges::find(others, behavior_of(*each).effect) != others.end());
    });
}

}  // namespace

std::vector<UnobservedRange> find_read_only_memory(const Launch& launch, DeviceWrittenBytes& written) {
    const Program& program = *launch.program;
    std::vector<UnobservedRange> read_only;
    if (launch.ordered || program.functions.size() != 1 || !only_plain_stores(*program.functions.front()))
        return read_only;
    const auto allocation_of = [&](const PointerParameter& pointer) -> std::optional<Allocation> {
        Address address = 0;
        if (pointer.offset + sizeof address > launch.parameters.size()) return std::nullopt;
        std::memcpy(&address, &launch.parameters[pointer.offset], sizeof address);
        return launch.memory->find(address);
    };
    for (const PointerParameter& read : program.pointers) {
        if (!read.loaded || read.stored) continue;
        const auto here = allocation_of(read);
        if (!here) continue;
        const bool stored = std::any_of(program.pointers.begin(), program.pointers.end(), [&](const auto& other) {
            const auto there = other.stored ? allocation_of(other) : std::nullopt;
            return there && there->begin == here->begin;
        });
        if (!stored && written.all_is_written(*here)) read_only.push_back({here->begin, here->end()});
    }
    return read_only;
}

}  // namespace cudash::virtual_gpu
