#include "runtime_wrappers/cuda/backend.h"

#include <cuda_profiler_api.h>

#include "runtime_wrappers/api/argument.h"
#include "runtime_wrappers/cuda/own_bodies.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace cudash::cuda {
namespace {

using api::KernelArgument, api::SymbolArgument, api::StreamArgument, api::node_argument;

/// libcudart's function, to be called.
template <api::Function F, class Signature>
auto passed(RealGpu& gpu) {
    return [&gpu](auto... arguments) {
        const auto function = gpu.function<Signature>(F);
        if (!function) return cudaErrorNotSupported;
        cudaError_t status = cudaSuccess;
        const auto call = [&](auto... translated) { return status == cudaSuccess ? function(translated...) : status; };
        return call(gpu.translate(arguments, status)...);
    };
}

/// Our own body.
template <class Body>
auto own(RealGpu& gpu, Body body) {
    return [&gpu, body](auto... arguments) { return body(gpu, api::plain(arguments)...); };
}

}  // namespace

#define KERNEL(argument) \
    KernelArgument {     \
        argument         \
    }
#define SYMBOL(argument) \
    SymbolArgument {     \
        argument         \
    }
#define STREAM(argument) \
    StreamArgument {     \
        argument         \
    }
#define NODE(argument) node_argument(argument)
#define CUDASH_REAL_PASS(name) passed<api::Function::name, decltype(&::name)>(gpu_)
#define CUDASH_REAL_OWN(name) own(gpu_, cuda::name)
#define CUDASH_BODY_VIRTUAL(real, name, parameters, arguments) \
    cudaError_t RealBackend::name parameters {                 \
        return CUDASH_REAL_##real(name) arguments;             \
    }
#define CUDASH_BODY_LATE CUDASH_BODY_VIRTUAL
#define CUDASH_BODY_ALWAYS CUDASH_BODY_VIRTUAL
#define CUDASH_BODY_ANYWHERE CUDASH_BODY_VIRTUAL
#define CUDASH_BODY_NONE CUDASH_BODY_VIRTUAL
#define CUDASH_BODY_PURE(real, name, parameters, arguments)
#define CUDA_API(topic, support, real, versions, result, name, parameters, arguments) \
    CUDASH_BODY_##support(real, name, parameters, arguments)
#include "runtime_wrappers/api/cuda_api.def"

}  // namespace cudash::cuda
