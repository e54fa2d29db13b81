// What cudaMemAdvise and cudaMemPrefetchAsync left on the pages of one managed allocation.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

namespace cudash::virtual_gpu::runtime {

struct Advice {
    bool read_mostly = false;
    int preferred_location = cudaInvalidDeviceId, last_prefetch = cudaInvalidDeviceId;
    std::set<int> accessed_by{};
};

/// Advice by page. Offsets are bytes from the beginning of the allocation.
class AdvisedPages {
public:
    /// Changes the advice of all pages that [offset, offset + bytes) touches.
    template <class Change>
    void change(std::uint64_t offset, std::uint64_t bytes, Change change) {
        if (parts_.empty()) parts_.emplace(0, Advice{});
        const std::uint64_t begin = offset / page * page, end = (offset + bytes + page - 1) / page * page;
        split(begin);
        split(end);
        for (auto part = parts_.lower_bound(begin); part != parts_.end() && part->first < end; ++part)
            change(part->second);
    }

    /// What holds for the whole range: "the result will be 1 if all pages in the memory range are read-duplicated, or 0
    /// otherwise"; a location that not all pages share is cudaInvalidDeviceId; a device is in accessed_by if it is for
    /// all pages (cudaMemRangeGetAttribute).
    Advice common(std::uint64_t offset, std::uint64_t bytes) const {
        if (parts_.empty()) return {};
        auto part = std::prev(parts_.upper_bound(offset));
        Advice result = part->second;
        for (++part; part != parts_.end() && part->first < offset + bytes; ++part) {
            const Advice& other = part->second;
            result.read_mostly &= other.read_mostly;
            if (result.preferred_location != other.preferred_location) result.preferred_location = cudaInvalidDeviceId;
            if (result.last_prefetch != other.last_prefetch) result.last_prefetch = cudaInvalidDeviceId;
            std::erase_if(result.accessed_by, [&](int device) { return !other.accessed_by.contains(device); });
        }
        return result;
    }

private:
    static constexpr std::uint64_t page = 4096;

    void split(std::uint64_t at) { parts_.emplace(at, std::prev(parts_.upper_bound(at))->second); }

    /// By where each begins, from 0 on; the last has no end. Empty: no advice was given.
    std::map<std::uint64_t, Advice> parts_;
};

}  // namespace cudash::virtual_gpu::runtime
