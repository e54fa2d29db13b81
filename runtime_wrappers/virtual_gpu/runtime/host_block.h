// Page-aligned host memory that the virtual GPU can reach at its own address: pinned and managed allocations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace cudash::virtual_gpu::runtime {

class HostBlock {
public:
    /// Zero-filled. Placed at fixed addresses where the system allows, so that they are the same in every run.
    static std::optional<HostBlock> create(std::uint64_t size);
    HostBlock(HostBlock&& other) noexcept
        : pointer_(std::exchange(other.pointer_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    HostBlock& operator=(HostBlock&& other) noexcept {
        std::swap(pointer_, other.pointer_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~HostBlock();

    void* pointer() const { return pointer_; }
    std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(pointer_); }

private:
    HostBlock(void* pointer, std::size_t size) : pointer_(pointer), size_(size) {}
    void* pointer_ = nullptr;
    std::size_t size_ = 0;
};

/// True if all of [pointer, pointer + size) is mapped in this process.
bool is_mapped(const void* pointer, std::uint64_t size);

/// How many bytes of a mapped range the host has no memory behind yet.
std::uint64_t untouched_bytes(const std::byte* begin, std::uint64_t size);

}  // namespace cudash::virtual_gpu::runtime
