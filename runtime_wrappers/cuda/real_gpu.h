// A real GPU through the real CUDA runtime. Calls pass through to libcudart; kernels and variables of the session's
// device code, which libcudart has never seen registered, are put in as the handles and addresses of a loaded library.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/argument.h"
#include "runtime_wrappers/api/function.h"
#include "runtime_wrappers/cuda/cudart.h"
#include "runtime_wrappers/result.h"

namespace cudash::cuda {

/// Where a variable of the session is.
struct DeviceVariable {
    void* address = nullptr;
    std::size_t size = 0;
};

class RealGpu {
public:
    /// Opens libcudart and looks for the device. The error says what is missing.
    static Result<std::unique_ptr<RealGpu>> create(int index, const api::Active& active);

    /// libcudart's function; nullptr if this libcudart has none.
    void* function(api::Function function);
    /// The same, typed by the declaration.
    template <class Signature>
    Signature function(api::Function which) {
        return reinterpret_cast<Signature>(function(which));
    }

    template <class Value>
    Value translate(Value value, cudaError_t&) {
        return value;
    }
    const void* translate(api::KernelArgument argument, cudaError_t& status) {
        return status == cudaSuccess ? kernel(argument.stub, status) : nullptr;
    }
    cudaStream_t translate(api::StreamArgument argument, cudaError_t&) { return argument.stream; }
    const cudaKernelNodeParams* translate(api::NodeArgument<const cudaKernelNodeParams> argument, cudaError_t& status);
    cudaGraphNodeParams* translate(api::NodeArgument<cudaGraphNodeParams> argument, cudaError_t& status);

    /// The cudaKernel_t behind a stub; `stub` itself where it is not one of the session's (a handle, or a mistake).
    const void* kernel(const void* stub, cudaError_t& status);
    cudaError_t variable(const void* shadow, DeviceVariable& variable);
    /// `count` bytes of a variable from `offset` on, or the error that the runtime gives. `natural`: the kind between
    /// host and device that fits the direction.
    cudaError_t part_of_variable(const void* shadow, std::size_t count, std::size_t offset, cudaMemcpyKind kind,
                                 cudaMemcpyKind natural, std::byte*& address);
    /// Keeps what cudaFuncSetAttribute set, for the unit that replaces this one.
    void remember_attribute(const void* stub, cudaFuncAttribute attribute, int value);

    std::string name() const { return name_; }
    api::Target target() const { return {.arch = arch_, .real = true}; }
    int synchronize();
    int sticky() const { return sticky_; }
    void note_failure(cudaError_t status);
    /// A reset ended the context and the unit in it: the next use loads it anew, variables with their first values.
    void forget_unit() {
        library_ = nullptr;
        apart_.clear();
        variables_.clear();
        unit_.reset();
        kernels_.clear();
    }
    /// A capture began in the stream. While it goes on nothing of ours may synchronise the device: that would end it.
    void capture_began(cudaStream_t stream);
    void stream_ended(cudaStream_t stream);
    bool is_device_memory(std::uint64_t address);
    bool peek(std::uint64_t address, void* destination, std::size_t bytes);
    /// The allocation of device memory that holds `address`: where it begins, and its size.
    std::optional<std::pair<std::uint64_t, std::uint64_t>> range_of(std::uint64_t address);

private:
    explicit RealGpu(const api::Active& active) : active_(active) {}
    cudaError_t refresh();
    cudaError_t load(std::shared_ptr<const nvrtc::Artifact> unit);
    void carry_over(cudaLibrary_t next);
    cudaError_t open(const nvrtc::Artifact& code, cudaLibrary_t& library);
    cudaError_t library_of(const api::KernelSymbol& symbol, cudaLibrary_t& library);
    class OutsideCapture;
    bool capturing();
    cudaError_t copy(void* destination, const void* source, std::size_t bytes);
    cudaError_t copy_beside_capture(void* destination, const void* source, std::size_t bytes);

    const api::Active& active_;
    std::array<std::atomic<void*>, 512> slots_{};
    std::string name_;
    unsigned arch_ = 0;
    int sticky_ = 0;
    std::mutex captures_mutex_;
    std::set<cudaStream_t> captured_;  ///< streams in which captures began
    std::shared_ptr<const nvrtc::Artifact> unit_;
    cudaLibrary_t library_ = nullptr;
    std::map<std::uint64_t, cudaLibrary_t> apart_;  ///< of kernels that are apart, by Artifact::id
    /// By stub, with the library that has it: library_, or one of those.
    std::unordered_map<const void*, std::pair<cudaLibrary_t, cudaKernel_t>> kernels_;
    std::map<std::string, DeviceVariable, std::less<>> variables_;  ///< by mangled name, of library_
    std::map<std::string, std::map<cudaFuncAttribute, int>, std::less<>> attributes_;
};

}  // namespace cudash::cuda
