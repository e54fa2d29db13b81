// The driver's virtual memory: rooms of addresses, memory without addresses, and what is mapped where (CUDA Programming
// Guide, "Virtual Memory Management").
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "runtime_wrappers/virtual_gpu/memory/address_space.h"

namespace cudash::virtual_gpu::runtime {

class Gpu;

/// Memory without addresses.
class PhysicalMemory {
public:
    PhysicalMemory(Gpu& gpu, SharedFile file, std::uint64_t size, const CUmemAllocationProp& properties, bool counted);
    ~PhysicalMemory();
    PhysicalMemory(const PhysicalMemory&) = delete;
    PhysicalMemory& operator=(const PhysicalMemory&) = delete;

    const SharedFile file;
    const std::uint64_t size;
    const CUmemAllocationProp properties;

private:
    Gpu& gpu_;
    bool counted_;  ///< as memory that the device lacks: not where another process has made it
};

struct MappedMemory {
    std::uint64_t size = 0;
    std::shared_ptr<PhysicalMemory> memory{};
    CUmemGenericAllocationHandle handle = 0;
    std::map<int, CUmemAccess_flags> access{};  ///< by device
};

struct ReservedRoom {
    std::uint64_t size = 0;
    std::map<Address, MappedMemory> mapped{};
    std::vector<Address> live{};  ///< the allocations that kernels and copies see there
};

class VirtualMemory {
public:
    struct Handle {
        std::shared_ptr<PhysicalMemory> memory{};
        unsigned references = 1;
    };
    std::map<Address, ReservedRoom> rooms;
    std::map<CUmemGenericAllocationHandle, Handle> handles;
    CUmemGenericAllocationHandle next_handle = 0x5002'c000'1000;

    /// The room that holds all of these bytes; nullptr if none does.
    ReservedRoom* room_of(Address address, std::uint64_t size);
    /// The memory that is mapped at the address, with its begin; nullptr: none is.
    MappedMemory* mapped_at(Address address, Address& begin);
    /// Makes allocations of what is mapped in the room and may be accessed.
    static void show(Gpu& gpu, ReservedRoom& room);
};

#define CUDASH_WITH_GPU(...) (Gpu & gpu, __VA_ARGS__)
#define DRIVER_CALL(when, name, parameters, arguments) CUresult name##_body CUDASH_WITH_GPU parameters;
#include "runtime_wrappers/api/driver_calls.def"
#undef DRIVER_CALL
#undef CUDASH_WITH_GPU

}  // namespace cudash::virtual_gpu::runtime
