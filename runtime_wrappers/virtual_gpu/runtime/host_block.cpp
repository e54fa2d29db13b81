#include "runtime_wrappers/virtual_gpu/runtime/host_block.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "runtime_wrappers/virtual_gpu/runtime/page_guard.h"

namespace cudash::virtual_gpu::runtime {
namespace {

// Below the range of device memory, far from the heap and the loader's mappings.
constexpr std::uintptr_t first_address = 0x1000'0000'0000;
constexpr std::uintptr_t last_address = 0x1800'0000'0000;

}  // namespace

std::optional<HostBlock> HostBlock::create(std::uint64_t size) {
    if (size > std::uint64_t{1} << 46) return std::nullopt;
    const std::size_t bytes = (std::max<std::size_t>(size, 1) + page_size() - 1) / page_size() * page_size();
    static std::uintptr_t next = first_address;
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
#ifdef MAP_FIXED_NOREPLACE
    for (int attempt = 0; attempt < 4 && next + bytes < last_address; ++attempt) {
        void* wanted = reinterpret_cast<void*>(next);
        next += bytes + page_size();  // an unmapped page behind each block catches host code that runs off its end
        void* pointer = mmap(wanted, bytes, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0);
        if (pointer == wanted) return HostBlock(pointer, bytes);
        if (pointer != MAP_FAILED) munmap(pointer, bytes);
    }
#endif
    void* pointer = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (pointer == MAP_FAILED) return std::nullopt;
    return HostBlock(pointer, bytes);
}

HostBlock::~HostBlock() {
    if (pointer_) munmap(pointer_, size_);
}

bool is_mapped(const void* pointer, std::uint64_t size) {
    if (size == 0) return true;
    const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(pointer) / page_size() * page_size();
    std::uintptr_t end;
    if (__builtin_add_overflow(reinterpret_cast<std::uintptr_t>(pointer), size, &end)) return false;
    // mincore: "ENOMEM: addr to addr + length contained unmapped memory".
    std::array<unsigned char, 4096> resident;
    for (std::uintptr_t at = begin; at < end; at += resident.size() * page_size()) {
        const std::size_t bytes = std::min<std::size_t>(end - at, resident.size() * page_size());
        if (mincore(reinterpret_cast<void*>(at), bytes, resident.data()) != 0 && errno == ENOMEM) return false;
    }
    return true;
}

std::uint64_t untouched_bytes(const std::byte* begin, std::uint64_t size) {
    const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(begin) / page_size() * page_size();
    const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(begin) + size;
    std::uint64_t untouched = 0;
    std::array<unsigned char, 4096> resident;
    for (std::uintptr_t at = first; at < end; at += resident.size() * page_size()) {
        const std::size_t bytes = std::min<std::size_t>(end - at, resident.size() * page_size());
        if (mincore(reinterpret_cast<void*>(at), bytes, resident.data()) != 0) return size;
        const std::size_t pages = (bytes + page_size() - 1) / page_size();
        for (std::size_t i = 0; i < pages; ++i) untouched += (resident[i] & 1) ? 0 : page_size();
    }
    return untouched;
}

}  // namespace cudash::virtual_gpu::runtime
