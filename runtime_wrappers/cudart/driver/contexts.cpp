// Start, errors, devices and contexts of the driver API.
#include "runtime_wrappers/cudart/driver/driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

using namespace cudash::cudart::driver;

/// libcudart's.
extern "C" bool __cudaCudashHasBegun();

namespace {

std::atomic<bool> initialized{false};
thread_local std::vector<CUcontext> contexts;  ///< of the thread; the last is the current one
thread_local bool has_chosen = false;          ///< whether the thread has set a context of its own

constexpr int most_devices = 16;
std::array<CUctx_st, most_devices> primary_contexts;

CUresult make_current(CUcontext context) {
    return context ? result(cudaSetDevice(context->device)) : CUDA_SUCCESS;
}

CUresult context_of(CUcontext* context, CUdevice device) {
    int count = 0;
    if (!is_initialized()) return CUDA_ERROR_NOT_INITIALIZED;
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    if (cudaGetDeviceCount(&count) != cudaSuccess || device < 0 || device >= std::min(count, most_devices))
        return CUDA_ERROR_INVALID_DEVICE;
    primary_contexts[static_cast<std::size_t>(device)] = {device, true};
    *context = &primary_contexts[static_cast<std::size_t>(device)];
    return CUDA_SUCCESS;
}

/// The runtime makes the context of its device current where none is.
void adopt_runtimes_context() {
    int device = 0;
    CUcontext context = nullptr;
    if (has_chosen || !contexts.empty() || !__cudaCudashHasBegun() || cudaGetDevice(&device) != cudaSuccess) return;
    if (context_of(&context, device) == CUDA_SUCCESS) contexts.push_back(context);
}

}  // namespace

namespace cudash::cudart::driver {

bool is_initialized() {
    return initialized || __cudaCudashHasBegun();
}

CUresult without_context() {
    if (!is_initialized()) return CUDA_ERROR_NOT_INITIALIZED;
    adopt_runtimes_context();
    return contexts.empty() || !contexts.back() ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

}  // namespace cudash::cudart::driver

// Start, errors, version.

CUDASH_EXPORT CUresult cuInit(unsigned flags) {
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    initialized = true;
    return CUDA_SUCCESS;
}
CUDASH_EXPORT CUresult cuDriverGetVersion(int* version) {
    return result(cudaDriverGetVersion(version));
}
CUDASH_EXPORT CUresult cuGetErrorName(CUresult error, const char** text) {
    static std::mutex mutex;
    static std::map<CUresult, std::string>& names = *new std::map<CUresult, std::string>;
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    const std::string_view runtimes = cudaGetErrorName(static_cast<cudaError_t>(error));
    // "CUDA_ERROR_INVALID_VALUE" of cudaErrorInvalidValue: those whose names differ otherwise are listed.
    constexpr std::pair<CUresult, const char*> others[] = {
        {CUDA_SUCCESS, "CUDA_SUCCESS"},
        {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
        {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
        {CUDA_ERROR_DEINITIALIZED, "CUDA_ERROR_DEINITIALIZED"},
        {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
        {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
        {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
        {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
        {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
        {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"}};
    for (const auto& [number, name] : others)
        if (number == error) {
            *text = name;
            return CUDA_SUCCESS;
        }
    constexpr std::string_view prefix = "cudaError";
    *text = nullptr;
    if (!runtimes.starts_with(prefix)) return CUDA_ERROR_INVALID_VALUE;
    std::string name = "CUDA_ERROR";
    for (const char c : runtimes.substr(prefix.size())) {
        if (c >= 'A' && c <= 'Z') name += '_';
        name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    const std::lock_guard lock(mutex);
    *text = names.try_emplace(error, std::move(name)).first->second.c_str();
    return CUDA_SUCCESS;
}
CUDASH_EXPORT CUresult cuGetErrorString(CUresult error, const char** text) {
    if (!text) return CUDA_ERROR_INVALID_VALUE;
    *text = cudaGetErrorString(static_cast<cudaError_t>(error));
    return CUDA_SUCCESS;
}
CUDASH_EXPORT CUresult cuGetProcAddress(const char* symbol, void** function, int, cuuint64_t,
                                        CUdriverProcAddressQueryResult* status) {
    if (!symbol || !function) return CUDA_ERROR_INVALID_VALUE;
    Dl_info about{};
    dladdr(reinterpret_cast<const void*>(&cuInit), &about);
    void* const own = dlopen(about.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    *function = nullptr;
    // The newest version of a function is meant.
    for (const char* version : {"_v4", "_v3", "_v2", ""})
        if (!*function && own) *function = dlsym(own, (std::string(symbol) + version).c_str());
    if (status) *status = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// Devices.

CUDASH_EXPORT CUresult cuDeviceGetCount(int* count) {
    return is_initialized() ? result(cudaGetDeviceCount(count)) : CUDA_ERROR_NOT_INITIALIZED;
}
CUDASH_EXPORT CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    int count = 0;
    if (!is_initialized()) return CUDA_ERROR_NOT_INITIALIZED;
    if (!device) return CUDA_ERROR_INVALID_VALUE;
    if (cudaGetDeviceCount(&count) != cudaSuccess || ordinal < 0 || ordinal >= count) return CUDA_ERROR_INVALID_DEVICE;
    *device = ordinal;
    return CUDA_SUCCESS;
}
CUDASH_EXPORT CUresult cuDeviceGetName(char* name, int size, CUdevice device) {
    cudaDeviceProp properties{};
    if (!name || size <= 0) return CUDA_ERROR_INVALID_VALUE;
    const CUresult status = result(cudaGetDeviceProperties(&properties, device));
    if (status == CUDA_SUCCESS) std::snprintf(name, static_cast<std::size_t>(size), "%s", properties.name);
    return status;
}
CUDASH_EXPORT CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
    cudaDeviceProp properties{};
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    const CUresult status = result(cudaGetDeviceProperties(&properties, device));
    if (status == CUDA_SUCCESS) *bytes = properties.totalGlobalMem;
    return status;
}
CUDASH_EXPORT CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
    cudaDeviceProp properties{};
    if (!uuid) return CUDA_ERROR_INVALID_VALUE;
    const CUresult status = result(cudaGetDeviceProperties(&properties, device));
    if (status == CUDA_SUCCESS) *uuid = properties.uuid;
    return status;
}
CUDASH_EXPORT CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
    cudaDeviceProp properties{};
    if (!major || !minor) return CUDA_ERROR_INVALID_VALUE;
    const CUresult status = result(cudaGetDeviceProperties(&properties, device));
    if (status == CUDA_SUCCESS) *major = properties.major, *minor = properties.minor;
    return status;
}
CUDASH_EXPORT CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
    return result(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}
CUDASH_EXPORT CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
    return result(cudaDeviceCanAccessPeer(can, device, peer));
}
CUDASH_EXPORT CUresult cuDeviceGetPCIBusId(char* text, int size, CUdevice device) {
    return result(cudaDeviceGetPCIBusId(text, size, device));
}
CUDASH_EXPORT CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
    return result(cudaDeviceGetByPCIBusId(device, text));
}

// Contexts.

CUDASH_EXPORT CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned, CUdevice device) {
    const CUresult status = context_of(context, device);
    if (status != CUDA_SUCCESS) return status;
    contexts.push_back(*context);
    has_chosen = true;
    return make_current(*context);
}
#undef cuCtxCreate
CUDASH_EXPORT CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
    return cuCtxCreate_v4(context, nullptr, flags, device);
}
CUDASH_EXPORT CUresult cuCtxDestroy(CUcontext context) {
    if (!context || !context->alive) return CUDA_ERROR_INVALID_CONTEXT;
    (void)cudaDeviceSynchronize();
    context->alive = false;
    std::erase(contexts, context);
    return CUDA_SUCCESS;
}
CUDASH_EXPORT CUresult cuCtxPushCurrent(CUcontext context) {
    if (!context || !context->alive) return CUDA_ERROR_INVALID_CONTEXT;
    contexts.push_back(context);
    has_chosen = true;
    return make_current(context);
}
CUDASH_EXPORT CUresult cuCtxPopCurrent(CUcontext* context) {
    if (contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context) *context = contexts.back();
    contexts.pop_back();
    return contexts.empty() ? CUDA_SUCCESS : make_current(contexts.back());
}
CUDASH_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
    if (!is_initialized()) return CUDA_ERROR_NOT_INITIALIZED;
    if (context && !context->alive) return CUDA_ERROR_INVALID_CONTEXT;
    has_chosen = true;
    if (contexts.empty())
        contexts.push_back(context);
    else
        contexts.back() = context;
    return make_current(context);
}
CUDASH_EXPORT CUresult cuCtxGetCurrent(CUcontext* context) {
    if (!is_initialized()) return CUDA_ERROR_NOT_INITIALIZED;
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    adopt_runtimes_context();
    *context = contexts.empty() ? nullptr : contexts.back();
    return CUDA_SUCCESS;
}
CUDASH_EXPORT CUresult cuCtxGetDevice(CUdevice* device) {
    const CUresult missing = without_context();
    if (missing != CUDA_SUCCESS || !device) return missing != CUDA_SUCCESS ? missing : CUDA_ERROR_INVALID_VALUE;
    *device = contexts.back()->device;
    return CUDA_SUCCESS;
}
CUDASH_EXPORT CUresult cuCtxGetApiVersion(CUcontext, unsigned* version) {
    if (!version) return CUDA_ERROR_INVALID_VALUE;
    constexpr unsigned since_cuda_3_2 = 3020;
    *version = since_cuda_3_2;
    return CUDA_SUCCESS;
}
CUDASH_EXPORT CUresult cuCtxSynchronize() {
    return in_context([] { return cudaDeviceSynchronize(); });
}
CUDASH_EXPORT CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
    return in_context([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}
CUDASH_EXPORT CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit) {
    return in_context([&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}
CUDASH_EXPORT CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
    return in_context([&] { return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)); });
}
CUDASH_EXPORT CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    if (!peer) return CUDA_ERROR_INVALID_CONTEXT;
    return in_context([&] { return cudaDeviceEnablePeerAccess(peer->device, flags); });
}
CUDASH_EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
    return context_of(context, device);
}
CUDASH_EXPORT CUresult cuDevicePrimaryCtxRelease(CUdevice) {
    return is_initialized() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}
CUDASH_EXPORT CUresult cuDevicePrimaryCtxSetFlags(CUdevice, unsigned) {
    return is_initialized() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}
CUDASH_EXPORT CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    const cudaError_t status = cudaSetDevice(device);
    return result(status == cudaSuccess ? cudaDeviceReset() : status);
}
