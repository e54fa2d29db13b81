#include "runtime_wrappers/virtual_gpu/check/launch_written.h"

#include <algorithm>
#include <bit>

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
    constexpr std::uint64_t most = 64 << 20;  // looking takes memory
    if (bytes > most) return 0;
    const auto end_of_run = [&](std::uint64_t at, bool written) {
        while (at < bytes) {
            const std::uint64_t bit = (begin + at) % 64;
            const std::uint64_t others = (bits(begin + at) ^ (written ? ~std::uint64_t{0} : 0)) >> bit;
            if (others != 0) return std::min(bytes, at + static_cast<std::uint64_t>(std::countr_zero(others)));
            at += 64 - bit;
        }
        return bytes;
    };
    const std::uint64_t front = end_of_run(0, true);
    return end_of_run(front, false) == bytes ? front : 0;
}

}  // namespace cudash::virtual_gpu
