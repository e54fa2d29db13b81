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

}  // namespace cudash::virtual_gpu
