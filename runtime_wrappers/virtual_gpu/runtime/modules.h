// The session's device code as loaded on the virtual GPU: kernels by their host stubs, variables by their host shadows.
// When the session's code changes, a new module replaces the old one and the variables keep address and contents.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime_wrappers/api/device_code.h"
#include "runtime_wrappers/virtual_gpu/exec/executor.h"

namespace cudash::virtual_gpu::runtime {

class Gpu;

/// What cudaFuncSetAttribute and its kin changed; kept by kernel name while modules come and go.
struct FunctionState {
    std::optional<unsigned> max_dynamic_shared;  ///< as set; otherwise what fits without opt-in
    int carveout = cudaSharedmemCarveoutDefault;
    cudaFuncCache cache_config = cudaFuncCachePreferNone;
    int required_cluster_width = 0, required_cluster_height = 0, required_cluster_depth = 0;
    bool non_portable_cluster = false;
    int cluster_scheduling = 0;
};

struct Kernel {
    std::string display;  ///< "k<4>"
    std::shared_ptr<const LoadedModule> module;
    const KernelInfo* info = nullptr;  ///< in `module`
    FunctionState* state = nullptr;
    unsigned register_bound = 0;  ///< registers that its PTX names: at least what the device code needs
    unsigned max_threads = 0;     ///< per block: the launch bounds or the device's limit
    unsigned ptx_target = 0;      ///< 75 of sm_75: what its PTX was made for
};

/// 75, where the PTX begins with `.target sm_75`; 0: it does not say.
unsigned ptx_target(std::string_view ptx);

/// What a module says of a kernel. `bounds` are those of the module (register_bounds).
Kernel describe_kernel(const Profile& profile, std::shared_ptr<const LoadedModule> module, const KernelInfo& info,
                       const std::map<std::string, unsigned, std::less<>>& bounds);

/// Where a variable lies that outlives the module that brought it.
struct PlacedVariable {
    Address address = 0;
    std::uint64_t size = 0;
    bool constant = false;
};
/// Managed variables are the same on all devices.
using ManagedVariables = std::map<std::string, PlacedVariable, std::less<>>;

/// Of one device.
class Modules {
public:
    Modules(Gpu& gpu, int device) : gpu_(gpu), device_(device) {}

    /// The kernel behind a stub, in the newest unit, or behind a library's handle; nullptr with `status` set, and the
    /// reason said.
    const Kernel* kernel(const void* stub, cudaError_t& status);
    /// The same kernel as debug code, with the same variables.
    const Kernel* debug_kernel(const void* stub, cudaError_t& status);
    /// Whether it is of the newest unit, and not of a library.
    bool has_source(const Kernel& kernel) const;
    const VariableInfo* variable(const void* shadow, cudaError_t& status);
    /// Registers per thread as ptxas assigns them: compiles for a real GPU of the profile's target when first asked.
    /// nullopt where that is not possible.
    std::optional<unsigned> registers(const Kernel& kernel);
    /// Forgets what belongs to the context (cudaDeviceReset): variables start afresh, managed ones when no other device
    /// uses them. Functions keep their attributes.
    void unload();
    bool loaded() const { return unit_.module != nullptr; }

private:
    /// Code as loaded: the unit, or a module of kernels that are apart.
    struct Code {
        std::shared_ptr<const nvrtc::Artifact> artifact;
        std::shared_ptr<const LoadedModule> module;
        std::map<std::string, unsigned, std::less<>> register_bounds, registers;
        bool registers_known = false;
        unsigned ptx_target = 0;

        Code() = default;
        Code(std::shared_ptr<const nvrtc::Artifact> artifact, std::shared_ptr<const LoadedModule> module);
    };

    cudaError_t refresh();
    cudaError_t load(std::shared_ptr<const nvrtc::Artifact> unit);
    cudaError_t refuse_code(const Diagnostic& diagnostic);
    /// nullptr with `status` set, and the reason said.
    const Code* code_of(const api::KernelSymbol& symbol, cudaError_t& status);
    void note_device(const VariableInfo& variable);
    const api::KernelSymbol* symbol_of(const Kernel& kernel) const;
    void publish_managed();

    Gpu& gpu_;
    int device_;
    Code unit_;
    std::map<std::uint64_t, Code> apart_;                       ///< by Artifact::id
    std::vector<std::shared_ptr<const LoadedModule>> earlier_;  ///< they own variables that live on
    std::map<std::string, PlacedVariable, std::less<>> placed_;
    std::map<std::string, FunctionState, std::less<>> functions_;
    std::unordered_map<const void*, Kernel> kernels_;  ///< by stub, of the newest unit and what is apart
    std::shared_ptr<const LoadedModule> debug_module_;
    std::uint64_t debug_unit_ = 0;  ///< Artifact::id of it
    std::unordered_map<const void*, Kernel> debug_kernels_;
};

}  // namespace cudash::virtual_gpu::runtime
