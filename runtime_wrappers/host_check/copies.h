// Copies and fills that are made, because CUDA takes them, and can hardly be meant: a size that counts elements, a kind
// that names the wrong side, rows that do not follow the memory's pitch.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <vector>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/host_check/memory.h"

namespace cudash::host_check {

/// One side of a copy: `pitch` bytes from one row to the next.
struct Side {
    const void* pointer = nullptr;
    std::uint64_t pitch = 0;
    bool array = false;              ///< a CUDA array: only its place counts
    bool on_host = false;            ///< ordinary or page-locked memory
    bool pageable = false;           ///< ordinary memory, for certain
    bool on_device = false;          ///< memory of the device alone
    std::optional<Memory> memory{};  ///< the allocation that holds `pointer`, where it is known
};

struct Copy {
    Side to, from;
    std::uint64_t width = 0, height = 1, depth = 1;  ///< bytes, rows, slices
    cudaMemcpyKind kind = cudaMemcpyDefault;
};

struct Fill {
    Side to;
    std::uint64_t width = 0, height = 1, depth = 1;
};

/// How far a copy of `width` bytes from or to `side` stays within the host's heap block there; nothing: all the way, as
/// far as is known.
std::optional<std::uint64_t> room_in_heap(const Side& side, std::uint64_t width);

/// What is to be said of it; `call`: the call that asks for it.
std::vector<Diagnostic> look_at(const Copy& copy, const api::CallPlace& call);
std::vector<Diagnostic> look_at(const Fill& fill, const api::CallPlace& call);

}  // namespace cudash::host_check
