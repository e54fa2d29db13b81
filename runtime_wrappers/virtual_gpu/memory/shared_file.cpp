#include "runtime_wrappers/virtual_gpu/memory/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace cudash::virtual_gpu {
namespace {

constexpr std::string_view prefix = "cudash-device-memory-";

/// Files of others are not memory of a device.
bool is_ours(const std::string& path) {
    std::array<char, 256> target{};
    const ssize_t length = readlink(path.c_str(), target.data(), target.size() - 1);
    return length > 0 && std::string_view(target.data()).starts_with("/memfd:" + std::string(prefix));
}

}  // namespace

SharedFile SharedFile::create(const std::string& name, std::uint64_t size) {
    SharedFile made(memfd_create((std::string(prefix) + name).c_str(), MFD_CLOEXEC));
    if (made && ftruncate(made.descriptor_, static_cast<off_t>(size)) != 0) return {};
    return made;
}

SharedFile SharedFile::open(int descriptor, int process) {
    const std::string owner = process == 0 ? "self" : std::to_string(process);
    const std::string path = "/proc/" + owner + "/fd/" + std::to_string(descriptor);
    if (!is_ours(path)) return {};
    return SharedFile(::open(path.c_str(), O_RDWR | O_CLOEXEC));
}

SharedFile::SharedFile(SharedFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

SharedFile& SharedFile::operator=(SharedFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
}

SharedFile::~SharedFile() {
    if (descriptor_ >= 0) close(descriptor_);
}

std::uint64_t SharedFile::size() const {
    struct stat about {};
    return fstat(descriptor_, &about) == 0 ? static_cast<std::uint64_t>(about.st_size) : 0;
}

int SharedFile::duplicate() const {
    return fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
}

}  // namespace cudash::virtual_gpu
