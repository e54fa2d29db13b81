#include "runtime_wrappers/virtual_gpu/check/launch_written.h"

namespace cudash::virtual_gpu {

void LaunchWritten::merge() {
    if (alone_) return;
    chunks_.for_each([&](std::uint64_t begin, Chunk& chunk) {
        std::uint64_t* const all = all_->word(begin);
        for (std::uint64_t i = 0; i < chunk_bytes / 64; ++i) all[i] |= chunk.bits[i];
    });
    chunks_.clear();
}

std::uint64_t LaunchWritten::written_front(std::uint64_t begin, std::uint64_t bytes) {
    const auto is_written = [&](std::uint64_t at) { return bits(at) >> at % 64 & 1; };
    std::uint64_t front = 0;
    while (front < bytes && is_written(begin + front)) ++front;
    for (std::uint64_t at = front; at < bytes; ++at) {
        const std::uint64_t address = begin + at;
        if (is_written(address)) return 0;
        if (address % 64 == 0 && bits(address) == 0) at += 63;
    }
    return front;
}

}  // namespace cudash::virtual_gpu
