// Memory of graphs' allocation nodes: an address for the life of the graph, in use from the allocation node's turn
// until a free node, cudaFreeAsync or cudaFree gives it back.
#pragma once

#include <span>

#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"

namespace cudash::virtual_gpu::runtime {

class GraphMemory {
public:
    /// nullptr, with `status` set, if the device has no such room.
    static std::shared_ptr<GraphMemory> create(Gpu& gpu, int device, std::uint64_t size, cudaError_t& status);
    /// For an allocation node that comes after the nodes `before`: what as large an allocation of the graph had, if all
    /// that use it are freed before; else as create(). So d_a and d_b of one graph may share an address (recorded on an
    /// H100).
    static std::shared_ptr<GraphMemory> find_or_create(Gpu& gpu, std::span<const cudaGraphNode_t> before, int device,
                                                       std::uint64_t size, cudaError_t& status);
    GraphMemory(const GraphMemory&) = delete;
    GraphMemory& operator=(const GraphMemory&) = delete;
    /// Memory still in use stays, as memory that cudaMalloc gave.
    ~GraphMemory();

    Address address() const { return address_; }
    int device() const { return device_; }
    std::uint64_t size() const { return size_; }
    bool in_use() const { return in_use_; }
    void begin_use() { set_in_use(true); }
    void end_use() { set_in_use(false); }

private:
    GraphMemory(Gpu& gpu, int device, Address address, std::uint64_t size)
        : gpu_(gpu), device_(device), address_(address), size_(size) {}
    void set_in_use(bool in_use);

    Gpu& gpu_;
    int device_;
    Address address_;
    std::uint64_t size_;
    bool in_use_ = false;
};

/// What cudaDeviceGetGraphMemAttribute tells of a device. Memory of graphs is taken from the device in units of 32 MiB
/// when a launch first needs it, and stays associated with graphs until cudaDeviceGraphMemTrim (recorded on an H200).
struct GraphMemoryUse {
    std::uint64_t in_use = 0;  ///< bytes of allocations whose turn has come and that were not freed yet
    std::uint64_t mapped = 0, used_high = 0, reserved_high = 0;

    /// A launch is asked for that will use so many more.
    void reserve(std::uint64_t bytes) {
        mapped = std::max(mapped, MemoryPool::in_units(in_use + bytes));
        used_high = std::max(used_high, mapped);
        reserved_high = std::max(reserved_high, mapped);
    }
    void begin(std::uint64_t bytes) {
        reserve(bytes);
        in_use += bytes;
    }
    void end(std::uint64_t bytes) { in_use -= bytes; }
    void trim() { mapped = MemoryPool::in_units(in_use); }
};

}  // namespace cudash::virtual_gpu::runtime
