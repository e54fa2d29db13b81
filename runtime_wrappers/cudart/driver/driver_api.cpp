// The driver API, as far as NVIDIA's samples use it, over the functions of the CUDA runtime: libcuda.so.1 for programs
// that nvcc built. Since CUDA 11 the two have the same error numbers (cuda.h, driver_types.h), and their handles of
// streams, events, modules (libraries) and functions (kernels) may be given to each other.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime_wrappers/cudart/fat_binary.h"

// Some functions are kept for old programs.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define CUDASH_EXPORT extern "C" __attribute__((visibility("default")))

/// The runtime has one context for each device: it is what every context of that device leads to.
struct CUctx_st {
    int device;
    bool alive;
};

namespace {

constexpr int most_devices = 16;
std::array<CUctx_st, most_devices> primary_contexts;
std::atomic<bool> initialized{false};
thread_local std::vector<CUcontext> contexts;  ///< of the thread; the last is the current one

CUresult result(cudaError_t error) {
    return static_cast<CUresult>(error);
}

template <class T>
T* pointer(CUdeviceptr address) {
    return reinterpret_cast<T*>(address);
}

CUresult make_current(CUcontext context) {
    return context ? result(cudaSetDevice(context->device)) : CUDA_SUCCESS;
}

CUresult context_of(CUcontext* context, CUdevice device) {
    int count = 0;
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (!context) return CUDA_ERROR_INVALID_VALUE;
    if (cudaGetDeviceCount(&count) != cudaSuccess || device < 0 || device >= std::min(count, most_devices))
        return CUDA_ERROR_INVALID_DEVICE;
    primary_contexts[static_cast<std::size_t>(device)] = {device, true};
    *context = &primary_contexts[static_cast<std::size_t>(device)];
    return CUDA_SUCCESS;
}

/// What needs a context, and finds none.
CUresult without_context() {
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    return contexts.empty() || !contexts.back() ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

template <class Call>
CUresult in_context(Call call) {
    const CUresult missing = without_context();
    return missing != CUDA_SUCCESS ? missing : result(call());
}

/// PTX of an image: text as it is, out of a fat binary, or an error.
CUresult text_of_image(const void* image, std::string& text) {
    if (!image) return CUDA_ERROR_INVALID_VALUE;
    std::uint32_t magic = 0;
    std::memcpy(&magic, image, sizeof magic);
    constexpr std::uint32_t wrapper_magic = 0x466243b1;
    if (magic == wrapper_magic) {
        std::memcpy(&image, static_cast<const char*>(image) + 8, sizeof image);
        std::memcpy(&magic, image, sizeof magic);
    }
    if (magic != cudash::cudart::fat_binary_magic) {
        text = static_cast<const char*>(image);
        return CUDA_SUCCESS;
    }
    std::uint64_t size = 0;
    std::memcpy(&size, static_cast<const char*>(image) + 8, sizeof size);
    const auto entries = cudash::cudart::read_fat_binary({static_cast<const std::byte*>(image), size + 16});
    if (!entries) return CUDA_ERROR_INVALID_IMAGE;
    int device = 0;
    cudaDeviceProp properties{};
    if (cudaGetDevice(&device) != cudaSuccess || cudaGetDeviceProperties(&properties, device) != cudaSuccess)
        return CUDA_ERROR_INVALID_CONTEXT;
    auto ptx = cudash::cudart::best_ptx(*entries, static_cast<unsigned>(properties.major * 10 + properties.minor));
    if (!ptx) {
        std::fprintf(stderr, "cudash: %s\n  hint: %s\n", ptx.error().message.c_str(), ptx.error().hint.c_str());
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    text = std::move(*ptx);
    return CUDA_SUCCESS;
}

bool read_image(const char* path, std::string& image) {
    std::FILE* const file = std::fopen(path, "rb");
    if (!file) return false;
    char part[4096];
    for (std::size_t size = 0; (size = std::fread(part, 1, sizeof part, file)) > 0;) image.append(part, size);
    std::fclose(file);
    // A head that says more than there is would be read past the end.
    image.append(64, '\0');
    return true;
}

/// Kernel parameters as one buffer (CU_LAUNCH_PARAM_BUFFER_POINTER): split by what the kernel says of its own.
CUresult launch_with_buffer(CUfunction function, dim3 grid, dim3 block, unsigned shared, CUstream stream,
                            void** extra) {
    char* buffer = nullptr;
    for (void** each = extra; each && *each != CU_LAUNCH_PARAM_END; each += 2)
        if (*each == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<char*>(each[1]);
    std::vector<void*> arguments;
    std::size_t offset = 0, size = 0;
    while (cudaFuncGetParamInfo(function, arguments.size(), &offset, &size) == cudaSuccess)
        arguments.push_back(buffer + offset);
    (void)cudaGetLastError();  // that there is no further one
    return result(cudaLaunchKernel(function, grid, block, arguments.data(), shared, stream));
}

}  // namespace

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
    return initialized ? result(cudaGetDeviceCount(count)) : CUDA_ERROR_NOT_INITIALIZED;
}
CUDASH_EXPORT CUresult cuDeviceGet(CUdevice* device, int ordinal) {
    int count = 0;
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
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

// Contexts.

CUDASH_EXPORT CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams*, unsigned, CUdevice device) {
    const CUresult status = context_of(context, device);
    if (status != CUDA_SUCCESS) return status;
    contexts.push_back(*context);
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
    return make_current(context);
}
CUDASH_EXPORT CUresult cuCtxPopCurrent(CUcontext* context) {
    if (contexts.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context) *context = contexts.back();
    contexts.pop_back();
    return contexts.empty() ? CUDA_SUCCESS : make_current(contexts.back());
}
CUDASH_EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (context && !context->alive) return CUDA_ERROR_INVALID_CONTEXT;
    if (contexts.empty())
        contexts.push_back(context);
    else
        contexts.back() = context;
    return make_current(context);
}
CUDASH_EXPORT CUresult cuCtxGetCurrent(CUcontext* context) {
    if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (!context) return CUDA_ERROR_INVALID_VALUE;
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
    return initialized ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}
CUDASH_EXPORT CUresult cuDevicePrimaryCtxSetFlags(CUdevice, unsigned) {
    return initialized ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}
CUDASH_EXPORT CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    const cudaError_t status = cudaSetDevice(device);
    return result(status == cudaSuccess ? cudaDeviceReset() : status);
}

// Modules: the runtime calls them libraries.

CUDASH_EXPORT CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
    const CUresult missing = without_context();
    if (missing != CUDA_SUCCESS || !module) return missing != CUDA_SUCCESS ? missing : CUDA_ERROR_INVALID_VALUE;
    std::string text;
    const CUresult status = text_of_image(image, text);
    if (status != CUDA_SUCCESS) return status;
    cudaLibrary_t library = nullptr;
    const cudaError_t loaded = cudaLibraryLoadData(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    if (loaded != cudaSuccess) return result(loaded);
    // The runtime says only when it is used that the text is wrong.
    cudaKernel_t none = nullptr;
    if (cudaLibraryGetKernel(&none, library, "") != cudaErrorSymbolNotFound) {
        (void)cudaLibraryUnload(library);
        return text.find(".version") == std::string::npos ? CUDA_ERROR_INVALID_IMAGE : CUDA_ERROR_INVALID_PTX;
    }
    *module = reinterpret_cast<CUmodule>(library);
    return CUDA_SUCCESS;
}
CUDASH_EXPORT CUresult cuModuleLoadData(CUmodule* module, const void* image) {
    return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
CUDASH_EXPORT CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) {
    return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
CUDASH_EXPORT CUresult cuModuleLoad(CUmodule* module, const char* name) {
    if (!name) return CUDA_ERROR_INVALID_VALUE;
    std::string image;
    if (!read_image(name, image)) return CUDA_ERROR_FILE_NOT_FOUND;
    return cuModuleLoadDataEx(module, image.c_str(), 0, nullptr, nullptr);
}
// The linker: of one text. What it makes of it is the text.

struct CUlinkState_st {
    std::string text;
    bool has_input = false;
};

CUDASH_EXPORT CUresult cuLinkCreate(unsigned, CUjit_option*, void**, CUlinkState* state) {
    const CUresult missing = without_context();
    if (missing != CUDA_SUCCESS || !state) return missing != CUDA_SUCCESS ? missing : CUDA_ERROR_INVALID_VALUE;
    *state = new CUlinkState_st;
    return CUDA_SUCCESS;
}
CUDASH_EXPORT CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, std::size_t size, const char*,
                                     unsigned, CUjit_option*, void**) {
    if (!state || !data) return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY) return CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (std::exchange(state->has_input, true)) {
        std::fprintf(stderr, "cudash: cuLinkAddData: the virtual GPU links one text of PTX, not several\n");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (type == CU_JIT_INPUT_FATBINARY) return text_of_image(data, state->text);
    const char* const text = static_cast<const char*>(data);
    state->text.assign(text, strnlen(text, size));
    return CUDA_SUCCESS;
}
CUDASH_EXPORT CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path, unsigned count,
                                     CUjit_option* options, void** values) {
    if (!path) return CUDA_ERROR_INVALID_VALUE;
    std::string image;
    if (!read_image(path, image)) return CUDA_ERROR_FILE_NOT_FOUND;
    return cuLinkAddData(state, type, image.data(), image.size(), path, count, options, values);
}
CUDASH_EXPORT CUresult cuLinkComplete(CUlinkState state, void** image, std::size_t* size) {
    if (!state || !state->has_input) return CUDA_ERROR_INVALID_VALUE;
    if (image) *image = state->text.data();
    if (size) *size = state->text.size() + 1;
    return CUDA_SUCCESS;
}
CUDASH_EXPORT CUresult cuLinkDestroy(CUlinkState state) {
    delete state;
    return CUDA_SUCCESS;
}
CUDASH_EXPORT CUresult cuModuleUnload(CUmodule module) {
    return result(cudaLibraryUnload(reinterpret_cast<cudaLibrary_t>(module)));
}
CUDASH_EXPORT CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    return result(
        cudaLibraryGetKernel(reinterpret_cast<cudaKernel_t*>(function), reinterpret_cast<cudaLibrary_t>(module), name));
}
CUDASH_EXPORT CUresult cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule module, const char* name) {
    return result(
        cudaLibraryGetGlobal(reinterpret_cast<void**>(address), bytes, reinterpret_cast<cudaLibrary_t>(module), name));
}
CUDASH_EXPORT CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    return result(cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(attribute), value));
}
CUDASH_EXPORT CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) {
    return result(cudaFuncSetCacheConfig(function, static_cast<cudaFuncCache>(config)));
}
CUDASH_EXPORT CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction function) {
    cudaFuncAttributes all{};
    if (!value) return CUDA_ERROR_INVALID_VALUE;
    const CUresult status = result(cudaFuncGetAttributes(&all, function));
    if (status != CUDA_SUCCESS) return status;
    switch (attribute) {
        case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
            *value = all.maxThreadsPerBlock;
            return CUDA_SUCCESS;
        case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
            *value = static_cast<int>(all.sharedSizeBytes);
            return CUDA_SUCCESS;
        case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
            *value = static_cast<int>(all.constSizeBytes);
            return CUDA_SUCCESS;
        case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
            *value = static_cast<int>(all.localSizeBytes);
            return CUDA_SUCCESS;
        case CU_FUNC_ATTRIBUTE_NUM_REGS:
            *value = all.numRegs;
            return CUDA_SUCCESS;
        case CU_FUNC_ATTRIBUTE_PTX_VERSION:
            *value = all.ptxVersion;
            return CUDA_SUCCESS;
        case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
            *value = all.binaryVersion;
            return CUDA_SUCCESS;
        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
            *value = all.maxDynamicSharedSizeBytes;
            return CUDA_SUCCESS;
        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
}
CUDASH_EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                                   std::size_t shared) {
    return result(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared));
}

// Launches.

CUDASH_EXPORT CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                      CUstream stream, void** arguments, void** extra) {
    const dim3 grid{grid_x, grid_y, grid_z}, block{block_x, block_y, block_z};
    const CUresult missing = without_context();
    if (missing != CUDA_SUCCESS) return missing;
    if (!arguments && extra) return launch_with_buffer(function, grid, block, shared, stream, extra);
    return result(cudaLaunchKernel(function, grid, block, arguments, shared, stream));
}
CUDASH_EXPORT CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                                 unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                                 CUstream stream, void** arguments) {
    return in_context([&] {
        return cudaLaunchCooperativeKernel(function, dim3{grid_x, grid_y, grid_z}, dim3{block_x, block_y, block_z},
                                           arguments, shared, stream);
    });
}
CUDASH_EXPORT CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* data) {
    return result(cudaLaunchHostFunc(stream, function, data));
}

// Memory.

CUDASH_EXPORT CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
    return in_context([&] { return cudaMemGetInfo(free, total); });
}
CUDASH_EXPORT CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
    if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    return in_context([&] { return cudaMalloc(reinterpret_cast<void**>(address), bytes); });
}
CUDASH_EXPORT CUresult cuMemAllocPitch(CUdeviceptr* address, std::size_t* pitch, std::size_t width, std::size_t height,
                                       unsigned) {
    return in_context([&] { return cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height); });
}
CUDASH_EXPORT CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
    return in_context([&] { return cudaMallocManaged(reinterpret_cast<void**>(address), bytes, flags); });
}
CUDASH_EXPORT CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream) {
    return in_context([&] { return cudaMallocAsync(reinterpret_cast<void**>(address), bytes, stream); });
}
CUDASH_EXPORT CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
    return in_context([&] { return cudaFreeAsync(pointer<void>(address), stream); });
}
CUDASH_EXPORT CUresult cuMemFree(CUdeviceptr address) {
    return in_context([&] { return cudaFree(pointer<void>(address)); });
}
CUDASH_EXPORT CUresult cuMemAllocHost(void** memory, std::size_t bytes) {
    return in_context([&] { return cudaMallocHost(memory, bytes); });
}
CUDASH_EXPORT CUresult cuMemHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
    return in_context([&] { return cudaHostAlloc(memory, bytes, flags); });
}
CUDASH_EXPORT CUresult cuMemFreeHost(void* memory) {
    return in_context([&] { return cudaFreeHost(memory); });
}
CUDASH_EXPORT CUresult cuMemHostRegister(void* memory, std::size_t bytes, unsigned flags) {
    return in_context([&] { return cudaHostRegister(memory, bytes, flags); });
}
CUDASH_EXPORT CUresult cuMemHostUnregister(void* memory) {
    return in_context([&] { return cudaHostUnregister(memory); });
}
CUDASH_EXPORT CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* memory, unsigned flags) {
    return in_context([&] { return cudaHostGetDevicePointer(reinterpret_cast<void**>(address), memory, flags); });
}
CUDASH_EXPORT CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    return in_context([&] { return cudaMemcpy(pointer<void>(to), pointer<void>(from), bytes, cudaMemcpyDefault); });
}
CUDASH_EXPORT CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return in_context(
        [&] { return cudaMemcpyAsync(pointer<void>(to), pointer<void>(from), bytes, cudaMemcpyDefault, stream); });
}
CUDASH_EXPORT CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
    return in_context([&] { return cudaMemcpy(pointer<void>(to), from, bytes, cudaMemcpyHostToDevice); });
}
CUDASH_EXPORT CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
    return in_context([&] { return cudaMemcpy(to, pointer<void>(from), bytes, cudaMemcpyDeviceToHost); });
}
CUDASH_EXPORT CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    return in_context(
        [&] { return cudaMemcpy(pointer<void>(to), pointer<void>(from), bytes, cudaMemcpyDeviceToDevice); });
}
CUDASH_EXPORT CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
    return in_context([&] { return cudaMemcpyAsync(pointer<void>(to), from, bytes, cudaMemcpyHostToDevice, stream); });
}
CUDASH_EXPORT CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return in_context([&] { return cudaMemcpyAsync(to, pointer<void>(from), bytes, cudaMemcpyDeviceToHost, stream); });
}
CUDASH_EXPORT CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
    return in_context([&] {
        return cudaMemcpyAsync(pointer<void>(to), pointer<void>(from), bytes, cudaMemcpyDeviceToDevice, stream);
    });
}
CUDASH_EXPORT CUresult cuMemsetD8(CUdeviceptr address, unsigned char value, std::size_t count) {
    return in_context([&] { return cudaMemset(pointer<void>(address), value, count); });
}
CUDASH_EXPORT CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, std::size_t count, CUstream stream) {
    return in_context([&] { return cudaMemsetAsync(pointer<void>(address), value, count, stream); });
}
CUDASH_EXPORT CUresult cuMemsetD32(CUdeviceptr address, unsigned value, std::size_t count) {
    const std::vector<unsigned> values(count, value);
    return in_context([&] {
        return cudaMemcpy(pointer<void>(address), values.data(), count * sizeof value, cudaMemcpyHostToDevice);
    });
}
CUDASH_EXPORT CUresult cuMemPrefetchAsync(CUdeviceptr address, std::size_t count, CUmemLocation location,
                                          unsigned flags, CUstream stream) {
    cudaMemLocation where{};
    where.type = static_cast<cudaMemLocationType>(location.type);
    where.id = location.id;
    return in_context([&] { return cudaMemPrefetchAsync(pointer<void>(address), count, where, flags, stream); });
}

// Streams and events: the same handles.

CUDASH_EXPORT CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
    return in_context([&] { return cudaStreamCreateWithFlags(stream, flags); });
}
CUDASH_EXPORT CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
    return in_context([&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}
CUDASH_EXPORT CUresult cuStreamDestroy(CUstream stream) {
    return in_context([&] { return cudaStreamDestroy(stream); });
}
CUDASH_EXPORT CUresult cuStreamSynchronize(CUstream stream) {
    return in_context([&] { return cudaStreamSynchronize(stream); });
}
CUDASH_EXPORT CUresult cuStreamQuery(CUstream stream) {
    return in_context([&] { return cudaStreamQuery(stream); });
}
CUDASH_EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    return in_context([&] { return cudaStreamWaitEvent(stream, event, flags); });
}
CUDASH_EXPORT CUresult cuEventCreate(CUevent* event, unsigned flags) {
    return in_context([&] { return cudaEventCreateWithFlags(event, flags); });
}
CUDASH_EXPORT CUresult cuEventDestroy(CUevent event) {
    return in_context([&] { return cudaEventDestroy(event); });
}
CUDASH_EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
    return in_context([&] { return cudaEventRecord(event, stream); });
}
CUDASH_EXPORT CUresult cuEventQuery(CUevent event) {
    return in_context([&] { return cudaEventQuery(event); });
}
CUDASH_EXPORT CUresult cuEventSynchronize(CUevent event) {
    return in_context([&] { return cudaEventSynchronize(event); });
}
CUDASH_EXPORT CUresult cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
    return in_context([&] { return cudaEventElapsedTime(milliseconds, begin, end); });
}
CUDASH_EXPORT CUresult cuProfilerStart() {
    return CUDA_SUCCESS;
}
CUDASH_EXPORT CUresult cuProfilerStop() {
    return CUDA_SUCCESS;
}
