// The device behind the API. cuda/ asks libcudart, virtual_gpu/runtime/ computes; what they do of each call is a
// function here, named as in cuda_api.def.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

// Some of the functions are deprecated; their users are told by their own compiler.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace cudash::api {

class Backend {
public:
    virtual ~Backend() = default;

// A row's arguments as the program gave them, but for null streams of per-thread variants.
#define BACKEND_FUNCTION(name, parameters) virtual cudaError_t name parameters = 0;
#include "runtime_wrappers/api/backend_functions.def"

    virtual bool is_virtual() const = 0;
    /// A call has failed with this error.
    virtual void note_failure(cudaError_t) {}
    /// Calls of the program so far that went to a virtual GPU.
    virtual std::uint64_t calls() const {
        return 0;
    }
    /// A thread waits outside of the API for that long: work that is queued goes on meanwhile (virtual GPU).
    virtual void host_waits(double nanoseconds) {
        (void)nanoseconds;
    }
    virtual bool work_goes_on() {
        return false;
    }
    /// The program frees memory of its own (virtual GPU).
    virtual void host_frees(std::uint64_t address, const void* frame) {
        (void)address, (void)frame;
    }
    /// The program calls `function`, free or delete. True if the memory is CUDA's; that is told (virtual GPU).
    virtual bool is_wrong_free(std::uint64_t address, const char* function, const void* frame) {
        (void)address, (void)function, (void)frame;
        return false;
    }
};

}  // namespace cudash::api

#pragma GCC diagnostic pop
