// What a pool of stream-ordered memory holds. It takes memory from the device in units of 32 MiB and keeps what is
// freed until the device is waited for, or longer where its release threshold says so (measured on an H200).
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "runtime_wrappers/virtual_gpu/memory/address_space.h"

namespace cudash::virtual_gpu::runtime {

struct MemoryPool {
    MemoryKind kind = MemoryKind::device;  ///< pinned: of host memory
    int device = 0;                        ///< cudaCpuDeviceId for host memory
    bool is_default = false;
    bool shareable = false;  ///< created for file descriptors, which other processes may be given
    bool imported = false;   ///< of another process: nothing can be allocated from it here
    std::uint64_t most = 0;  ///< bytes; 0: no limit
    std::uint64_t release_threshold = 0;
    std::uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
    std::uint64_t freed_unseen = 0;  ///< bytes of `used` that cudaFree freed: it doesn't tell (recorded on an H200)
    /// Devices that a pool of host memory was opened to. Kernels of others fault there (recorded on an H200).
    std::set<int> devices_with_access{};
    std::map<cudaMemPoolAttr, int> switches{};  ///< the reuse policies: kept, without effect

    /// Whose kernels may use its memory. Managed memory is open to all.
    DeviceSet devices() const {
        if (kind == MemoryKind::managed) return every_device;
        DeviceSet set = kind == MemoryKind::device ? device_set(device) : 0;
        for (const int other : devices_with_access) set |= device_set(other);
        return set;
    }
    static std::uint64_t in_units(std::uint64_t bytes) {
        constexpr std::uint64_t unit = std::uint64_t{32} << 20;
        return (bytes + unit - 1) / unit * unit;
    }
    /// Whether `bytes` more are within its limit, which counts in whole units too.
    bool has_room(std::uint64_t bytes) const { return most == 0 || live() + bytes <= in_units(most); }
    void take(std::uint64_t bytes) {
        used += bytes;
        used_high = std::max(used_high, used);
        reserved = std::max(reserved, in_units(live()));
        reserved_high = std::max(reserved_high, reserved);
    }
    /// As soon as the program has asked for it, whatever its stream still does before (recorded on an H200).
    void give_back(std::uint64_t bytes) { used -= bytes; }
    void free_unseen(std::uint64_t bytes) { freed_unseen += bytes; }
    std::uint64_t live() const { return used - freed_unseen; }
    /// Gives the device back what is not used, but for `kept` bytes.
    void trim(std::uint64_t kept) {
        if (kept < reserved) reserved = std::min(reserved, in_units(std::max(live(), kept)));
    }
    /// The same as far as the release threshold asks for: whole units go until no more than that is left.
    void release() {
        constexpr std::uint64_t unit = std::uint64_t{32} << 20;
        reserved = std::min(reserved, std::max(in_units(live()), release_threshold / unit * unit));
    }
};

}  // namespace cudash::virtual_gpu::runtime
