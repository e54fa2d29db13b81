// The addresses that device code may use. Device memory is a reserved range that host code may not touch (reading it
// there faults, and the session explains the fault); the executor reaches the bytes through a second mapping at a
// constant offset. Pinned and managed memory is host memory entered here, at the same address on both sides (UVA).
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/virtual_gpu/memory/shared_file.h"

namespace cudash::virtual_gpu {

using Address = std::uint64_t;

enum class MemoryKind : std::uint8_t { device, variable, pinned, registered, managed, heap };

struct MemoryKindRow {
    MemoryKind kind;
    std::string_view name;         ///< in lists: "pinned"
    std::string_view description;  ///< in messages: "pinned host memory"
};
inline constexpr MemoryKindRow memory_kinds[] = {
    {MemoryKind::device, "device", "device memory"},
    {MemoryKind::variable, "variable", "variable"},
    {MemoryKind::pinned, "pinned", "pinned host memory"},
    {MemoryKind::registered, "registered", "registered host memory"},
    {MemoryKind::managed, "managed", "managed memory"},
    {MemoryKind::heap, "heap", "device-heap block"},
};
static_assert(
    [] {
        for (std::size_t i = 0; i < std::size(memory_kinds); ++i)
            if (memory_kinds[i].kind != static_cast<MemoryKind>(i)) return false;
        return std::size(memory_kinds) == static_cast<std::size_t>(MemoryKind::heap) + 1;
    }(),
    "a row for each kind, in the order of MemoryKind");
constexpr const MemoryKindRow& row_of(MemoryKind kind) {
    return memory_kinds[static_cast<std::size_t>(kind)];
}

/// Bit i is for device i.
using DeviceSet = std::uint64_t;
inline constexpr DeviceSet every_device = ~DeviceSet{0};
constexpr DeviceSet device_set(int device) {
    return DeviceSet{1} << device;
}

/// A live range of the address space.
struct Allocation {
    Address begin = 0;
    std::uint64_t size = 0;
    MemoryKind kind = MemoryKind::device;
    /// Add this to a device address to get the executor's pointer: the second mapping's offset, 0 for host memory.
    std::ptrdiff_t host_offset = 0;
    std::uint64_t pitch = 0, width = 0, height = 0;  ///< of pitched memory; bytes, bytes, rows
    unsigned flags = 0;                              ///< as given to cudaHostAlloc, cudaHostRegister
    bool read_only = false;                          ///< __constant__ and const memory
    DeviceSet devices = every_device;                ///< kernels of these, and of their peers, may use it
    std::uint64_t serial = 0;                        ///< 1, 2, ... in the order of allocation
    std::string origin;                              ///< where it came from: "cell 2 line 4", a variable's name
    bool shared = false;                             ///< with other processes, or with other addresses
    std::string count;                               ///< "n", if the size was written so and no sizeof is in it

    Address end() const { return begin + size; }
    bool contains(Address address, std::uint64_t bytes) const {
        return address >= begin && bytes <= size && address - begin <= size - bytes;
    }
};

/// Bytes that a block of `size` bytes takes of the device's heap (cudaLimitMallocHeapSize), as far as an H200 showed by
/// when malloc() fails: from 1,000 bytes on whole units of 2,221 bytes, 1, 2, 3, 6, 12, ... of them. What smaller
/// blocks take is not known; they count for their bytes.
std::uint64_t heap_charge(std::uint64_t size);

/// All live allocations of one process, and the memory behind those of device, variable and heap kind. The virtual
/// devices of one process share it. Addresses are the same in every run. Thread-safe: allocate and release lock;
/// lookups during a launch go through snapshot().
class AddressSpace {
public:
    /// Reserves room for `capacity` bytes of device memory. The host commits pages only as they are touched.
    static std::unique_ptr<AddressSpace> create(std::uint64_t capacity);
    ~AddressSpace();
    AddressSpace(const AddressSpace&) = delete;
    AddressSpace& operator=(const AddressSpace&) = delete;

    /// A zero-filled allocation of `size` > 0 bytes, or nullopt when no range of that size is free.
    std::optional<Allocation> allocate(std::uint64_t size, std::uint64_t alignment, MemoryKind kind,
                                       std::string origin);
    /// Enters host memory (pinned, registered, managed) at its own address; false if it overlaps a live one.
    bool enter_host(Allocation allocation);
    /// Ends the allocation that begins at `begin`; false if there is none.
    bool release(Address begin);

    // Room without memory, and memory that is shown in it. Addresses and sizes are whole pages.
    /// Room of `size` bytes in the device range.
    std::optional<Address> reserve(std::uint64_t size, std::uint64_t alignment);
    /// Gives it back; nothing in it may be live.
    void unreserve(Address begin);
    /// Shows a part of a file at reserved addresses, or nothing (zeros) again. False: the system refuses.
    bool show(Address at, const SharedFile& file, std::uint64_t offset, std::uint64_t size);
    void hide(Address at, std::uint64_t size);
    /// Makes an allocation of what is shown; release() ends it. Others may store to it unseen.
    Allocation enter_shown(Allocation allocation);

    /// Where other processes find the allocation at `begin`: from now on its pages are those of a file. What shares
    /// pages with it goes there, too.
    struct Share {
        int descriptor = -1;
        std::uint64_t offset = 0;  ///< of the allocation, in the file
    };
    std::optional<Share> share(Address begin);

    /// The allocation that holds `address`.
    std::optional<Allocation> find(Address address) const;
    /// The live or recently released allocation nearest to `address`, for messages. `released` says which.
    struct Nearest {
        Allocation allocation;
        bool released = false;
    };
    std::optional<Nearest> nearest(Address address) const;
    /// Every live allocation, by address.
    std::vector<Allocation> allocations() const;
    /// Changes pitch, origin, flags of a live allocation.
    bool update(const Allocation& allocation);

    /// Says that something other than host code's own stores may have changed what lies at `address`: a kernel, a copy,
    /// a fill, a library.
    void note_change(Address address);
    /// A number that no two states of device memory share: another one after each change to the allocation that begins
    /// at `begin`, and in each new allocation. 0: none begins there, or it is memory that host code stores to unseen.
    std::uint64_t state_of(Address begin) const;

    /// The executor's pointer to `bytes` bytes at `address`, all inside one live allocation; nullptr otherwise.
    std::byte* pointer(Address address, std::uint64_t bytes) const;

    /// True if `address` lies in the reserved device range, live or not: host code that faults there used a device
    /// pointer.
    bool is_device_range(Address address) const;
    std::uint64_t used(MemoryKind kind) const;

    /// An immutable sorted view for the executor's inner loop; stays valid while held. Changes when allocations do.
    std::shared_ptr<const std::vector<Allocation>> snapshot() const;

private:
    AddressSpace() = default;
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace cudash::virtual_gpu
