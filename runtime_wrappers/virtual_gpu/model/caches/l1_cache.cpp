#include "runtime_wrappers/virtual_gpu/model/caches/l1_cache.h"

namespace cudash::virtual_gpu {

L1Cache::L1Cache(const Profile& profile, std::uint64_t bytes)
    : most_lines_(bytes / line_bytes), whole_lines_(profile.cc_major < 5) {}

void L1Cache::access(const MemoryTransaction& transaction, bool store) {
    for (std::uint64_t at = transaction.address; at < transaction.address + transaction.bytes; at += sector_bytes) {
        const std::uint64_t line = at / line_bytes;
        const auto sector = static_cast<std::uint8_t>(1u << (at % line_bytes / sector_bytes));
        if (store) {
            ++counts_.to_l2;
            if (auto* known = lines_.find(line); known && whole_lines_) lines_.erase(*known);
            continue;
        }
        ++counts_.sectors;
        auto* known = lines_.find(line);
        if (known && (known->kept & sector)) {
            ++counts_.hits;
            lines_.touch(*known);
            continue;
        }
        counts_.to_l2 += whole_lines_ && most_lines_ != 0 ? line_bytes / sector_bytes : 1;
        if (most_lines_ == 0) continue;
        if (!known) {
            if (lines_.size() >= most_lines_) lines_.evict();
            known = &lines_.insert(line);
        } else {
            lines_.touch(*known);
        }
        known->kept |= whole_lines_ ? std::uint8_t{0xF} : sector;
    }
}

}  // namespace cudash::virtual_gpu
