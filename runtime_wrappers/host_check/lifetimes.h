// Which functions make and end what a program must give back: one row each. What is said of lifetimes on either backend
// is derived from them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "runtime_wrappers/api/function.h"

namespace cudash::host_check {

enum class Kind : std::uint8_t {
    device,
    managed,
    locked,
    array,
    mipmapped_array,
    stream,
    event,
    graph,
    executable_graph,
    texture,
    surface,
    pool,
    count
};

struct KindRow {
    Kind kind;
    const char* name;
    const char* ends;  ///< what a program gives it back with
    bool memory;       ///< linear memory, counted in bytes
};
inline constexpr std::array kinds = {
    KindRow{Kind::device, "device memory", "cudaFree", true},
    KindRow{Kind::managed, "managed memory", "cudaFree", true},
    KindRow{Kind::locked, "page-locked memory", "cudaFreeHost", true},
    KindRow{Kind::array, "CUDA array", "cudaFreeArray", false},
    KindRow{Kind::mipmapped_array, "mipmapped array", "cudaFreeMipmappedArray", false},
    KindRow{Kind::stream, "stream", "cudaStreamDestroy", false},
    KindRow{Kind::event, "event", "cudaEventDestroy", false},
    KindRow{Kind::graph, "graph", "cudaGraphDestroy", false},
    KindRow{Kind::executable_graph, "executable graph", "cudaGraphExecDestroy", false},
    KindRow{Kind::texture, "texture object", "cudaDestroyTextureObject", false},
    KindRow{Kind::surface, "surface object", "cudaDestroySurfaceObject", false},
    KindRow{Kind::pool, "memory pool", "cudaMemPoolDestroy", false},
};
static_assert(kinds.size() == static_cast<std::size_t>(Kind::count));
inline constexpr const KindRow& row_of(Kind kind) {
    return kinds[static_cast<std::size_t>(kind)];
}

/// What a call does to a lifetime; `argument`: the one that is the handle, or points to where it is put.
struct Lifetime {
    api::Function function;
    bool makes;
    Kind kind;
    std::size_t argument;
};
using enum api::Function;
inline constexpr std::array lifetimes = {
    Lifetime{cudaMalloc, true, Kind::device, 0},
    Lifetime{cudaMallocPitch, true, Kind::device, 0},
    Lifetime{cudaMalloc3D, true, Kind::device, 0},
    Lifetime{cudaMallocAsync, true, Kind::device, 0},
    Lifetime{cudaMallocFromPoolAsync, true, Kind::device, 0},
    Lifetime{cudaMallocManaged, true, Kind::managed, 0},
    Lifetime{cudaMallocHost, true, Kind::locked, 0},
    Lifetime{cudaHostAlloc, true, Kind::locked, 0},
    Lifetime{cudaFree, false, Kind::device, 0},
    Lifetime{cudaFreeAsync, false, Kind::device, 0},
    Lifetime{cudaFreeHost, false, Kind::locked, 0},
    Lifetime{cudaMallocArray, true, Kind::array, 0},
    Lifetime{cudaMalloc3DArray, true, Kind::array, 0},
    Lifetime{cudaFreeArray, false, Kind::array, 0},
    Lifetime{cudaMallocMipmappedArray, true, Kind::mipmapped_array, 0},
    Lifetime{cudaFreeMipmappedArray, false, Kind::mipmapped_array, 0},
    Lifetime{cudaStreamCreate, true, Kind::stream, 0},
    Lifetime{cudaStreamCreateWithFlags, true, Kind::stream, 0},
    Lifetime{cudaStreamCreateWithPriority, true, Kind::stream, 0},
    Lifetime{cudaStreamDestroy, false, Kind::stream, 0},
    Lifetime{cudaEventCreate, true, Kind::event, 0},
    Lifetime{cudaEventCreateWithFlags, true, Kind::event, 0},
    Lifetime{cudaEventDestroy, false, Kind::event, 0},
    Lifetime{cudaGraphCreate, true, Kind::graph, 0},
    Lifetime{cudaStreamEndCapture, true, Kind::graph, 1},
    Lifetime{cudaGraphClone, true, Kind::graph, 0},
    Lifetime{cudaGraphDestroy, false, Kind::graph, 0},
    Lifetime{cudaGraphInstantiate, true, Kind::executable_graph, 0},
    Lifetime{cudaGraphInstantiateWithFlags, true, Kind::executable_graph, 0},
    Lifetime{cudaGraphInstantiateWithParams, true, Kind::executable_graph, 0},
    Lifetime{cudaGraphExecDestroy, false, Kind::executable_graph, 0},
    Lifetime{cudaCreateTextureObject, true, Kind::texture, 0},
    Lifetime{cudaDestroyTextureObject, false, Kind::texture, 0},
    Lifetime{cudaCreateSurfaceObject, true, Kind::surface, 0},
    Lifetime{cudaDestroySurfaceObject, false, Kind::surface, 0},
    Lifetime{cudaMemPoolCreate, true, Kind::pool, 0},
    Lifetime{cudaMemPoolDestroy, false, Kind::pool, 0},
};

constexpr std::optional<Lifetime> lifetime_of(api::Function function) {
    for (const Lifetime& row : lifetimes)
        if (row.function == function) return row;
    return std::nullopt;
}

}  // namespace cudash::host_check
