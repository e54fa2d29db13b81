#include "runtime_wrappers/host_check/heap_block.h"

#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace cudash::host_check {
namespace {

// glibc, malloc/malloc.c, "malloc_chunk": a chunk is its neighbor's size, its own size and what malloc gives. Sizes are
// multiples of 16, and their low bits are flags.
constexpr std::uint64_t unit = 16, header = 16, flags = 7, before_is_in_use = 1, is_mapping = 2;
constexpr std::uint64_t page = 4096;

std::uint64_t word_at(std::uint64_t address) {
    std::uint64_t value;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    return value;
}

/// Where the heap begins; 0: not known.
std::uint64_t find_heap() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        if (!line.ends_with("[heap]")) continue;
        std::istringstream begin(line);
        std::uint64_t address = 0;
        begin >> std::hex >> address;
        return address;
    }
    return 0;
}

bool is_chunk(std::uint64_t at, std::uint64_t size, std::uint64_t top) {
    return size >= 2 * unit && size % unit == 0 && size <= top - at;
}

/// What only looks like a header is no chunk: those that are follow one another from the beginning of the heap on.
bool begins_chunk(std::uint64_t chunk, std::uint64_t heap, std::uint64_t top) {
    std::uint64_t at = heap;
    while (at < chunk) {
        const std::uint64_t size = word_at(at + 8) & ~flags;
        if (!is_chunk(at, size, top)) return false;
        at += size;
    }
    return at == chunk;
}

/// A block that has a mapping of its own begins right behind its header on the first page.
std::optional<std::uint64_t> bytes_of_mapping(std::uint64_t block) {
    constexpr std::uint64_t least = 64 << 10, most = std::uint64_t{1} << 40;
    if (block % page != header || word_at(block - 16) != 0) return std::nullopt;
    const std::uint64_t size = word_at(block - 8);
    if ((size & flags) != is_mapping || size - is_mapping < least || size > most || (size - is_mapping) % page != 0)
        return std::nullopt;
    return size - is_mapping - header;
}

}  // namespace

std::optional<std::uint64_t> heap_block_below(const void* pointer, std::uint64_t bytes, bool pageable) {
    static const std::uint64_t heap = find_heap();
    const auto block = reinterpret_cast<std::uint64_t>(pointer);
    const auto top = reinterpret_cast<std::uint64_t>(sbrk(0));
    if (block % unit != 0) return std::nullopt;
    std::optional<std::uint64_t> room;
    if (heap != 0 && block >= heap + header && block < top) {
        // The chunk behind it says whether this one is in use. A block also has the first word of that chunk.
        const std::uint64_t size = word_at(block - 8) & ~flags;
        if (!is_chunk(block - header, size, top) || size - 8 >= bytes) return std::nullopt;
        const std::uint64_t behind = block - header + size;
        if (behind < top && !(word_at(behind + 8) & before_is_in_use)) return std::nullopt;
        if (begins_chunk(block - header, heap, top)) room = size - 8;
    } else if (pageable) {
        room = bytes_of_mapping(block);
    }
    return room && *room < bytes ? room : std::nullopt;
}

}  // namespace cudash::host_check
