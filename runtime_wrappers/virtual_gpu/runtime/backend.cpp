#include "runtime_wrappers/virtual_gpu/runtime/backend.h"

#include "runtime_wrappers/api/argument.h"
#include "runtime_wrappers/api/report.h"
#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/host_hazards.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace cudash::virtual_gpu::runtime {
namespace {

/// The row's body, to be called.
template <api::Function F, class Body>
auto served(Gpu& gpu, Body body) {
    return [&gpu, body](auto... arguments) {
        Gpu::Call call(gpu, api::info(F).support);
        return call.status() == cudaSuccess ? body(gpu, arguments...) : call.status();
    };
}

/// The row has no body.
template <api::Function F>
auto served_nowhere(Gpu& gpu) {
    return [&gpu](auto...) {
        Gpu::Call call(gpu, api::info(F).support);
        if (call.status() != cudaSuccess) return call.status();
        api::thread_state().explanation = api::lacking(api::info(F).name);
        return cudaErrorNotSupported;
    };
}

}  // namespace

// What an argument is matters to a real GPU only.
#define KERNEL(argument) argument
#define SYMBOL(argument) argument
#define STREAM(argument) argument
#define NODE(argument) argument
#define CUDASH_BODY_VIRTUAL(name, parameters, arguments)                   \
    cudaError_t VirtualBackend::name parameters {                          \
        return served<api::Function::name>(gpu_, runtime::name) arguments; \
    }
#define CUDASH_BODY_LATE CUDASH_BODY_VIRTUAL
#define CUDASH_BODY_ALWAYS CUDASH_BODY_VIRTUAL
#define CUDASH_BODY_ANYWHERE CUDASH_BODY_VIRTUAL
#define CUDASH_BODY_NONE(name, parameters, arguments)               \
    cudaError_t VirtualBackend::name parameters {                   \
        return served_nowhere<api::Function::name>(gpu_) arguments; \
    }
#define CUDASH_BODY_PURE(name, parameters, arguments)
#define CUDA_API(topic, support, real, versions, result, name, parameters, arguments) \
    CUDASH_BODY_##support(name, parameters, arguments)
#include "runtime_wrappers/api/cuda_api.def"

void VirtualBackend::host_frees(std::uint64_t address, const void* frame) {
    if (!gpu_.memory.has_registered()) return;
    const api::ServedCall served(frame);
    Gpu::Call call(gpu_, api::Support::ALWAYS);
    gpu_.hazards->host_frees(address);
}

bool VirtualBackend::is_wrong_free(std::uint64_t address, const char* function, const void* frame) {
    if (!HostHazards::may_be_cudas(address)) return false;
    const api::ServedCall served(frame);
    Gpu::Call call(gpu_, api::Support::ALWAYS);
    return gpu_.hazards->is_wrong_free(address, function);
}

}  // namespace cudash::virtual_gpu::runtime
