// Loading libraries, and what is in them.
#include <cstring>
#include <fstream>
#include <iterator>

#include "runtime_wrappers/virtual_gpu/runtime/bodies.h"
#include "runtime_wrappers/virtual_gpu/runtime/libraries.h"
#include "runtime_wrappers/virtual_gpu/runtime/register_bound.h"

namespace cudash::virtual_gpu::runtime {
namespace {

constexpr std::string_view elf_magic{
    "\x7f"
    "ELF",
    4};
constexpr std::string_view fat_binary_magic{"\x50\xed\x55\xba", 4};

cudaError_t check_options(const void* options, const void* values, unsigned count) {
    if (count == 0 || (options && values)) return cudaSuccess;
    return refuse(cudaErrorInvalidValue, "{} options are said to be at null", count);
}

cudaError_t refuse_binary(std::string_view code) {
    if (!code.starts_with(elf_magic) && !code.starts_with(fat_binary_magic)) return cudaSuccess;
    return refuse_with_hint(cudaErrorNoKernelImageForDevice,
                            "this is machine code for a real GPU: the virtual GPU executes PTX",
                            "load the text that nvrtcGetPTX or nvcc -ptx makes");
}

Library* find_library(Gpu& gpu, cudaLibrary_t handle) {
    Library* found = gpu.libraries.libraries.find(handle);
    if (!found) refuse(cudaErrorInvalidResourceHandle, "{} is not a library, or was unloaded", fmt::ptr(handle));
    return found;
}

/// The library with its code loaded; nullptr with `status` set, after saying why.
Library* loaded_library(Gpu& gpu, cudaLibrary_t handle, cudaError_t& status) {
    Library* found = find_library(gpu, handle);
    status = found ? cudaSuccess : cudaErrorInvalidResourceHandle;
    if (!found || found->failure.reason.empty()) return found;
    status = refuse(found->failure.error, "the library's text cannot be loaded: {}", found->failure.reason);
    return nullptr;
}

cudaError_t load(Gpu& gpu, cudaLibrary_t* library, std::string code) {
    cudaLibrary_t made = nullptr;
    const cudaError_t status = gpu.libraries.load(gpu, std::move(code), made);
    if (status == cudaSuccess) *library = made;
    return status;
}

}  // namespace

const LoadedModule* Libraries::module(Gpu& gpu, Library& library, int device) {
    auto& on_device = library.modules[device];
    if (on_device || !library.failure.reason.empty()) return on_device.get();
    if (auto made = load_module(library.code, *gpu.memory.space, gpu.profile)) on_device = std::move(*made);
    return on_device.get();
}

const Kernel* Libraries::kernel(Gpu& gpu, const void* handle, int device) {
    LibraryKernel* found = kernels.find(static_cast<cudaKernel_t>(const_cast<void*>(handle)));
    if (!found) return nullptr;
    LibraryKernel::OnDevice& on = found->on[device];
    if (!on.kernel.module) {
        Library& library = *libraries.find(found->owner);
        const LoadedModule* code = module(gpu, library, device);
        if (!code) return nullptr;
        on.kernel = describe_kernel(gpu.profile, library.modules[device], *code->kernel(found->name),
                                    register_bounds(library.code));
        on.kernel.ptx_target = ptx_target(library.code);
    }
    on.kernel.state = &on.state;
    return &on.kernel;
}

cudaError_t Libraries::load(Gpu& gpu, std::string code, cudaLibrary_t& library) {
    auto failure = why_not_loadable(code, gpu.profile);
    auto module = load_module(code, *gpu.memory.space, gpu.profile);
    if (!failure && !module) failure = {cudaErrorInvalidPtx, module.error().message};
    if (failure) {
        library = libraries.add({.code = std::move(code), .modules = {}, .failure = std::move(*failure)});
        return cudaSuccess;
    }
    for (const VariableInfo* variable : (*module)->variables())
        if (variable->managed)
            return refuse(cudaErrorNotSupported,
                          "managed variables of libraries are not implemented on the virtual GPU: {} is one",
                          variable->name);
    library = libraries.add({.code = std::move(code), .modules = {{gpu.current(), std::move(*module)}}});
    Library& loaded = *libraries.find(library);
    for (const std::string_view name : loaded.modules[gpu.current()]->kernels())
        loaded.kernels.push_back(kernels.add({.name = std::string(name), .owner = library}));
    return cudaSuccess;
}

void Libraries::unload(cudaLibrary_t library) {
    for (const cudaKernel_t kernel : libraries.find(library)->kernels) kernels.remove(kernel);
    libraries.remove(library);
}

void Libraries::unload_from(int device) {
    for (auto& [handle, kernel] : kernels) kernel.on[device].kernel = {};
    for (auto& [handle, library] : libraries) library.modules.erase(device);
}

cudaError_t cudaLibraryLoadData(Gpu& gpu, cudaLibrary_t* library, const void* code, cudaJitOption* jitOptions,
                                void** jitOptionsValues, unsigned numJitOptions, cudaLibraryOption* libraryOptions,
                                void** libraryOptionValues, unsigned numLibraryOptions) {
    if (!library || !code) return refuse(cudaErrorInvalidValue, "{} is null", library ? "code" : "library");
    cudaError_t bad = check_options(jitOptions, jitOptionsValues, numJitOptions);
    if (bad == cudaSuccess) bad = check_options(libraryOptions, libraryOptionValues, numLibraryOptions);
    const char* text = static_cast<const char*>(code);
    if (bad == cudaSuccess) bad = refuse_binary({text, strnlen(text, 4)});
    return bad != cudaSuccess ? bad : load(gpu, library, text);
}

cudaError_t cudaLibraryLoadFromFile(Gpu& gpu, cudaLibrary_t* library, const char* fileName, cudaJitOption* jitOptions,
                                    void** jitOptionsValues, unsigned numJitOptions, cudaLibraryOption* libraryOptions,
                                    void** libraryOptionValues, unsigned numLibraryOptions) {
    if (!library || !fileName) return refuse(cudaErrorInvalidValue, "{} is null", library ? "fileName" : "library");
    cudaError_t bad = check_options(jitOptions, jitOptionsValues, numJitOptions);
    if (bad == cudaSuccess) bad = check_options(libraryOptions, libraryOptionValues, numLibraryOptions);
    if (bad != cudaSuccess) return bad;
    std::ifstream file(fileName, std::ios::binary);
    if (!file) return refuse(cudaErrorFileNotFound, "{} can't be read", fileName);
    std::string code{std::istreambuf_iterator<char>(file), {}};
    bad = refuse_binary(code);
    return bad != cudaSuccess ? bad : load(gpu, library, std::move(code));
}

cudaError_t cudaLibraryUnload(Gpu& gpu, cudaLibrary_t library) {
    if (!find_library(gpu, library)) return cudaErrorInvalidResourceHandle;
    gpu.libraries.unload(library);
    return cudaSuccess;
}

cudaError_t cudaLibraryGetKernel(Gpu& gpu, cudaKernel_t* pKernel, cudaLibrary_t library, const char* name) {
    if (!pKernel || !name) return refuse(cudaErrorInvalidValue, "{} is null", pKernel ? "name" : "pKernel");
    cudaError_t status = cudaSuccess;
    const Library* found = loaded_library(gpu, library, status);
    if (!found) return status;
    for (const cudaKernel_t kernel : found->kernels)
        if (gpu.libraries.kernels.find(kernel)->name == name) {
            *pKernel = kernel;
            return cudaSuccess;
        }
    return refuse_with_hint(cudaErrorSymbolNotFound, fmt::format("the library has no kernel {}", name),
                            "kernels go by their mangled names unless they are extern \"C\"");
}

cudaError_t cudaLibraryGetGlobal(Gpu& gpu, void** dptr, std::size_t* bytes, cudaLibrary_t library, const char* name) {
    if (!name || (!dptr && !bytes)) return cudaErrorInvalidValue;
    cudaError_t status = cudaSuccess;
    Library* found = loaded_library(gpu, library, status);
    if (!found) return status;
    const LoadedModule* code = gpu.libraries.module(gpu, *found, gpu.current());
    const VariableInfo* variable = code ? code->variable(name) : nullptr;
    if (!variable) return refuse(cudaErrorSymbolNotFound, "the library has no variable {}", name);
    if (dptr) *dptr = reinterpret_cast<void*>(variable->address);
    if (bytes) *bytes = variable->size;
    return cudaSuccess;
}

// Libraries with managed variables are refused when they are loaded.
cudaError_t cudaLibraryGetManaged(Gpu& gpu, void** dptr, std::size_t* bytes, cudaLibrary_t library, const char* name) {
    if (!name || (!dptr && !bytes)) return cudaErrorInvalidValue;
    cudaError_t status = cudaSuccess;
    if (!loaded_library(gpu, library, status)) return status;
    return refuse(cudaErrorSymbolNotFound, "the library has no managed variable {}", name);
}

// Unified function pointers need machine code for the host too: no PTX that NVRTC makes has any.
cudaError_t cudaLibraryGetUnifiedFunction(Gpu& gpu, void** fptr, cudaLibrary_t library, const char* symbol) {
    if (!fptr || !symbol) return refuse(cudaErrorInvalidValue, "{} is null", fptr ? "symbol" : "fptr");
    if (!find_library(gpu, library)) return cudaErrorInvalidResourceHandle;
    return refuse(cudaErrorInvalidValue, "the library has no unified function {}", symbol);
}

// Of a text that cannot be loaded there are no kernels, which is not an error (recorded on an H200).
cudaError_t cudaLibraryGetKernelCount(Gpu& gpu, unsigned* count, cudaLibrary_t lib) {
    if (!count) return cudaErrorInvalidValue;
    const Library* found = find_library(gpu, lib);
    if (!found) return cudaErrorInvalidResourceHandle;
    *count = static_cast<unsigned>(found->kernels.size());
    return cudaSuccess;
}

cudaError_t cudaLibraryEnumerateKernels(Gpu& gpu, cudaKernel_t* kernels, unsigned numKernels, cudaLibrary_t lib) {
    if (!kernels) return cudaErrorInvalidValue;
    const Library* found = find_library(gpu, lib);
    if (!found) return cudaErrorInvalidResourceHandle;
    for (unsigned i = 0; i < numKernels && i < found->kernels.size(); ++i) kernels[i] = found->kernels[i];
    return cudaSuccess;
}

cudaError_t cudaKernelSetAttributeForDevice(Gpu& gpu, cudaKernel_t kernel, cudaFuncAttribute attr, int value,
                                            int device) {
    if (!gpu.has_device(device)) return refuse(cudaErrorInvalidDevice, "there is no device {}", device);
    const int current = std::exchange(api::thread_state().device, device);
    const cudaError_t status = cudaFuncSetAttribute(gpu, kernel, attr, value);
    api::thread_state().device = current;
    return status;
}

}  // namespace cudash::virtual_gpu::runtime
