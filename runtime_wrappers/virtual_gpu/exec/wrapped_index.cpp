#include "runtime_wrappers/virtual_gpu/exec/wrapped_index.h"

#include <cstring>

#include "runtime_wrappers/virtual_gpu/memory/address_space.h"

namespace cudash::virtual_gpu {

std::optional<WrappedIndex> find_wrapped_index(const Launch& launch, Address address, std::uint32_t size,
                                               const std::optional<Allocation>& base) {
    const std::uint64_t range = std::uint64_t{size} << 32;
    if (size == 0 || address < range) return std::nullopt;
    const Address meant = address - range;
    std::optional<WrappedIndex> nearest;
    for (std::size_t at = 0; at + sizeof meant <= launch.parameters.size(); at += sizeof meant) {
        Address argument = 0;
        std::memcpy(&argument, launch.parameters.data() + at, sizeof argument);
        const auto array = launch.memory->find(argument);
        if (!array || meant >= array->begin || (base && array->begin != base->begin)) continue;
        const std::uint64_t bytes = array->begin - meant;
        if (bytes > array->size || bytes % size != 0) continue;
        if (!nearest || bytes / size < nearest->below) nearest = WrappedIndex{*array, bytes / size};
    }
    return nearest;
}

}  // namespace cudash::virtual_gpu
