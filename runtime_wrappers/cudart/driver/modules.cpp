// Modules, functions and launches of the driver API.
#include "runtime_wrappers/cudart/driver/driver.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "runtime_wrappers/cudart/fat_binary.h"

using namespace cudash::cudart::driver;

namespace {

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

/// Nothing is assembled, and so there is nothing to log.
void empty_logs(unsigned count, const CUjit_option* options, void* const* values) {
    for (unsigned i = 0; options && values && i < count; ++i)
        if ((options[i] == CU_JIT_INFO_LOG_BUFFER || options[i] == CU_JIT_ERROR_LOG_BUFFER) && values[i])
            *static_cast<char*>(values[i]) = '\0';
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

// Modules: the runtime calls them libraries.

CUDASH_EXPORT CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, CUjit_option* options,
                                          void** values) {
    empty_logs(count, options, values);
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

CUDASH_EXPORT CUresult cuLinkCreate(unsigned count, CUjit_option* options, void** values, CUlinkState* state) {
    empty_logs(count, options, values);
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
/// The largest block of those with the most threads on a multiprocessor.
CUDASH_EXPORT CUresult cuOccupancyMaxPotentialBlockSize(int* least_grid, int* best_block, CUfunction function,
                                                        CUoccupancyB2DSize shared_of, std::size_t shared, int limit) {
    if (!least_grid || !best_block) return CUDA_ERROR_INVALID_VALUE;
    int device = 0, multiprocessors = 0, warp = 0, most_resident = 0;
    cudaFuncAttributes attributes{};
    cudaError_t status = cudaFuncGetAttributes(&attributes, function);
    if (status == cudaSuccess) status = cudaGetDevice(&device);
    if (status != cudaSuccess) return result(status);
    (void)cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    (void)cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    *least_grid = *best_block = 0;
    const int most = limit > 0 ? std::min(limit, attributes.maxThreadsPerBlock) : attributes.maxThreadsPerBlock;
    for (int block = (most + warp - 1) / warp * warp; block > 0; block -= warp) {
        int blocks = 0;
        const int threads = std::min(block, most);
        status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, threads,
                                                               shared_of ? shared_of(threads) : shared);
        if (status != cudaSuccess) return result(status);
        if (blocks * threads <= most_resident) continue;
        most_resident = blocks * threads;
        *best_block = threads;
        *least_grid = blocks * multiprocessors;
    }
    return CUDA_SUCCESS;
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
