// Moving bytes between host and device memory: where a range is, whether the memory there is as large as the call says,
// and whether the cudaMemcpyKind fits. All copies and fills go through here.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "runtime_wrappers/virtual_gpu/memory/image.h"
#include "runtime_wrappers/virtual_gpu/model/time.h"
#include "runtime_wrappers/virtual_gpu/stream/timeline.h"

namespace cudash::virtual_gpu::runtime {

class Gpu;
struct CopyTask;
struct FillTask;

/// `depth` slices of `height` rows of `width` bytes.
struct Box {
    std::uint64_t width = 0, height = 1, depth = 1;
    bool empty() const { return width == 0 || height == 0 || depth == 0; }
    std::uint64_t bytes() const { return width * height * depth; }
};

/// Rows in memory: `pitch` bytes from one to the next, `slice` from one slice to the next.
struct Rows {
    const void* pointer = nullptr;
    std::uint64_t pitch = 0, slice = 0;
    std::shared_ptr<ArrayStorage> array{};  ///< rows of a CUDA array, found and checked already:
    std::uint64_t offset = 0;               ///< where they begin in it
    cudaArray_t handle = nullptr;           ///< as the program names it,
    const void* base = nullptr;             ///< or the memory that `pointer` is a place in; null: it is the place
    cudaPos position{};                     ///< and the place there, in elements
};

struct Side {
    enum class Where : std::uint8_t { pageable, locked, device, managed };
    Where where = Where::pageable;
    std::byte* bytes = nullptr;  ///< where this process can reach them

    bool known_to_device() const { return where != Where::pageable; }
    bool on_host() const { return where == Where::pageable || where == Where::locked; }
};

/// Finds the memory behind all rows; `role` ("dst", "src") is for the message.
cudaError_t locate(Gpu& gpu, const Rows& rows, const Box& box, const char* role, Side& side);

/// Whether the kind exists. Recorded on an H200: an unknown one is refused before the pointers are looked at.
cudaError_t check_kind(cudaMemcpyKind kind);

enum class Wait : std::uint8_t { host, none };

/// Whether the copy may be made: sizes, places and kind.
cudaError_t check_copy(Gpu& gpu, const CopyTask& task, Side& dst, Side& src);
cudaError_t check_fill(Gpu& gpu, const FillTask& task, Side& dst);

/// What cudaMemcpy3D's parameters describe, CUDA arrays included. Memory is looked at by check_copy.
cudaError_t read_parameters(Gpu& gpu, const cudaMemcpy3DParms& parameters, CopyTask& task);

/// Checks a copy and asks the stream for it. The host waits as the documentation says of the memory involved ("API
/// synchronization behavior"); `wait` tells the blocking form from the asynchronous one.
cudaError_t copy(Gpu& gpu, const Rows& dst, const Rows& src, const Box& box, cudaMemcpyKind kind, Stream& stream,
                 Wait wait);
cudaError_t fill(Gpu& gpu, const Rows& dst, int value, const Box& box, Stream& stream, Wait wait = Wait::none);

/// The address of `count` bytes of a variable. `natural`: the kind between host and device that fits the direction.
cudaError_t part_of_symbol(Gpu& gpu, const void* symbol, std::size_t count, std::size_t offset, cudaMemcpyKind kind,
                           cudaMemcpyKind natural, const void*& address);

/// Why cudaFree and cudaFreeAsync do not take a pointer.
cudaError_t refuse_free(Gpu& gpu, void* devPtr);

/// Moves the bytes now.
/// Nothing, with the explanation of the thread set, if the memory is there no longer.
std::optional<Usage> run_copy(Gpu& gpu, const CopyTask& task);
std::optional<Usage> run_fill(Gpu& gpu, const FillTask& task);

}  // namespace cudash::virtual_gpu::runtime
