// Memory that several places of the address space, and several processes, may show: a file that only memory holds.
#pragma once

#include <cstdint>
#include <string>

namespace cudash::virtual_gpu {

class SharedFile {
public:
    SharedFile() = default;
    /// A new one of `size` zeros; empty if the system refuses.
    static SharedFile create(const std::string& name, std::uint64_t size);
    /// The file behind a descriptor, which stays open; of another process where `process` is not 0. Empty if there is
    /// none that cudash made.
    static SharedFile open(int descriptor, int process = 0);
    SharedFile(SharedFile&& other) noexcept;
    SharedFile& operator=(SharedFile&& other) noexcept;
    ~SharedFile();

    explicit operator bool() const { return descriptor_ >= 0; }
    int descriptor() const { return descriptor_; }
    std::uint64_t size() const;
    /// Another descriptor of the same file, for a program; -1 if there is none left.
    int duplicate() const;

private:
    explicit SharedFile(int descriptor) : descriptor_(descriptor) {}
    int descriptor_ = -1;
};

}  // namespace cudash::virtual_gpu
