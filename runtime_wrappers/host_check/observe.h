// What host_check is told of each call: on success what it made, ended or copied, on failure why a pointer is not
// freed. For functions that have no part in that, nothing is compiled in.
#pragma once

#include <cuda_runtime_api.h>

#include <tuple>
#include <type_traits>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/argument.h"
#include "runtime_wrappers/host_check/copies.h"
#include "runtime_wrappers/host_check/lifetimes.h"

namespace cudash::host_check {

/// On a real GPU only, whose memory nobody else here knows.
void note_copy(const api::Active& runtime, Copy copy);
void note_fill(const api::Active& runtime, Fill fill);
void note_made(const api::Active& runtime, Kind kind, Memory memory);
void note_ended(const api::Active& runtime, Kind kind, std::uint64_t handle);
void note_reset(const api::Active& runtime);
void explain_not_freed(const api::Active& runtime, const Lifetime& with, std::uint64_t address);

template <class Value>
std::uint64_t handle_of(const Value& value) {
    if constexpr (std::is_same_v<Value, cudaPitchedPtr>)
        return reinterpret_cast<std::uint64_t>(value.ptr);
    else if constexpr (std::is_pointer_v<Value>)
        return reinterpret_cast<std::uint64_t>(value);
    else
        return static_cast<std::uint64_t>(value);
}

/// The memory that a successful call has allocated.
template <api::Function F, class Arguments>
Memory allocated(const Arguments& arguments) {
    Memory memory;
    if constexpr (F == cudaMallocPitch) {
        memory = {.size = *std::get<1>(arguments) * std::get<3>(arguments),
                  .pitch = *std::get<1>(arguments),
                  .width = std::get<2>(arguments),
                  .height = std::get<3>(arguments)};
    } else if constexpr (F == cudaMalloc3D) {
        const cudaPitchedPtr& made = *std::get<0>(arguments);
        const cudaExtent& extent = std::get<1>(arguments);
        memory = {.size = made.pitch * extent.height * extent.depth,
                  .pitch = made.pitch,
                  .width = extent.width,
                  .height = extent.height * extent.depth};
    } else {
        memory.size = std::get<1>(arguments);
    }
    return memory;
}

template <api::Function F, class Arguments>
void observe_copy([[maybe_unused]] const api::Active& runtime, [[maybe_unused]] const Arguments& arguments) {
    if constexpr (F == cudaMemcpy || F == cudaMemcpyAsync) {
        note_copy(runtime, {.to = {.pointer = std::get<0>(arguments)},
                            .from = {.pointer = std::get<1>(arguments)},
                            .width = std::get<2>(arguments),
                            .kind = std::get<3>(arguments)});
    } else if constexpr (F == cudaMemcpy2D || F == cudaMemcpy2DAsync) {
        note_copy(runtime, {.to = {.pointer = std::get<0>(arguments), .pitch = std::get<1>(arguments)},
                            .from = {.pointer = std::get<2>(arguments), .pitch = std::get<3>(arguments)},
                            .width = std::get<4>(arguments),
                            .height = std::get<5>(arguments),
                            .kind = std::get<6>(arguments)});
    } else if constexpr (F == cudaMemset || F == cudaMemsetAsync) {
        note_fill(runtime, {.to = {.pointer = std::get<0>(arguments)}, .width = std::get<2>(arguments)});
    } else if constexpr (F == cudaMemset2D || F == cudaMemset2DAsync) {
        note_fill(runtime, {.to = {.pointer = std::get<0>(arguments), .pitch = std::get<1>(arguments)},
                            .width = std::get<3>(arguments),
                            .height = std::get<4>(arguments)});
    }
}

/// The call has returned `status`.
template <api::Function F, class... Arguments>
void observe(const api::Active& runtime, cudaError_t status, const Arguments&... arguments) {
    constexpr std::optional<Lifetime> lifetime = lifetime_of(F);
    const auto plain = std::make_tuple(api::plain(arguments)...);
    if constexpr (F == cudaDeviceReset) {
        if (status == cudaSuccess) note_reset(runtime);
    } else if constexpr (F == cudaSetDevice) {
        // The virtual GPU remembers it itself.
        if (status == cudaSuccess) api::thread_state().device = std::get<0>(plain);
    } else if constexpr (lifetime.has_value()) {
        constexpr bool memory = row_of(lifetime->kind).memory;
        if (memory && runtime.backend->is_virtual()) return;
        const auto handle = std::get<lifetime->argument>(plain);
        if constexpr (lifetime->makes) {
            if (status != cudaSuccess || !handle) return;
            Memory made;
            if constexpr (memory) made = allocated<F>(plain);
            made.begin = handle_of(*handle);
            note_made(runtime, lifetime->kind, std::move(made));
        } else if (status == cudaSuccess) {
            note_ended(runtime, lifetime->kind, handle_of(handle));
        } else if (memory) {
            explain_not_freed(runtime, *lifetime, handle_of(handle));
        }
    } else {
        if (!runtime.backend->is_virtual() && status == cudaSuccess) observe_copy<F>(runtime, plain);
    }
}

}  // namespace cudash::host_check
