#include "runtime_wrappers/cudart/registration.h"

#include <link.h>

#include <cstdint>
#include <cstring>
#include <limits>

#include "runtime_wrappers/api/active.h"
#include "runtime_wrappers/api/entry_points.h"
#include "runtime_wrappers/cudart/fat_binary.h"
#include "runtime_wrappers/virtual_gpu/isa/kernel_name.h"

#define CUDASH_EXPORT extern "C" __attribute__((visibility("default")))

namespace cudash::cudart {
namespace {

/// fatbinary_section.h of the toolkit.
struct Wrapper {
    std::int32_t magic, version;
    const void* data;
    const void* const* prelinked;  ///< of version 2: the containers of the object files, up to a null pointer
};
constexpr std::int32_t wrapper_magic = 0x466243b1, wrapper_linked = 2;
constexpr std::size_t most_objects = 65536;

/// What of a loaded file follows the address: nothing behind it may be read. An address in no file is taken as it is.
std::size_t bytes_behind(const void* address) {
    struct Search {
        std::uintptr_t at;
        std::size_t bytes;
    } search{reinterpret_cast<std::uintptr_t>(address), std::numeric_limits<std::uint32_t>::max()};
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* data) {
            auto& [at, bytes] = *static_cast<Search*>(data);
            for (int i = 0; i < info->dlpi_phnum; ++i) {
                const std::uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
                const std::uintptr_t end = begin + info->dlpi_phdr[i].p_memsz;
                if (info->dlpi_phdr[i].p_type != PT_LOAD || at < begin || at >= end) continue;
                bytes = end - at;
                return 1;
            }
            return 0;
        },
        &search);
    return search.bytes;
}

std::span<const std::byte> container_at(const void* address) {
    return {static_cast<const std::byte*>(address), address ? bytes_behind(address) : 0};
}

/// A handle is a pointer to a pointer; what it points to is the library's own business.
void** handle_of(RegisteredCode::Binary binary) {
    return reinterpret_cast<void**>(static_cast<std::uintptr_t>(binary));
}
RegisteredCode::Binary binary_of(void** handle) {
    return static_cast<RegisteredCode::Binary>(reinterpret_cast<std::uintptr_t>(handle));
}

thread_local bool launching = false;

api::VariableSymbol variable_named(const char* name, std::size_t size, api::VariableSymbol::Kind kind) {
    return {.name = name, .display = virtual_gpu::demangled(name), .size = size, .kind = kind};
}

}  // namespace

RegisteredCode& registered_code() {
    static RegisteredCode* const code = new RegisteredCode;
    return *code;
}

bool is_launching() {
    return launching;
}

CUDASH_EXPORT void** __cudaRegisterFatBinary(void* fat_binary) {
    Wrapper wrapper{};
    std::vector<std::span<const std::byte>> containers;
    if (fat_binary) std::memcpy(&wrapper, fat_binary, sizeof wrapper);
    // A wrapper that is none has no code: what its kernels lack is told when they are launched.
    if (wrapper.magic == wrapper_magic && wrapper.version == wrapper_linked && wrapper.prelinked) {
        // What nvlink made of them is machine code alone; their PTX is in the object files' own containers.
        for (std::size_t i = 0; i < most_objects && wrapper.prelinked[i]; ++i)
            containers.push_back(container_at(wrapper.prelinked[i]));
    } else if (wrapper.magic == wrapper_magic) {
        containers.push_back(container_at(wrapper.data));
    }
    return handle_of(registered_code().add_binary(std::move(containers)));
}

CUDASH_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}

CUDASH_EXPORT void __cudaUnregisterFatBinary(void** handle) {
    registered_code().remove_binary(binary_of(handle));
}

CUDASH_EXPORT void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, uint3*, uint3*,
                                          dim3*, dim3*, int*) {
    registered_code().add_kernel(binary_of(handle), stub, name);
}

CUDASH_EXPORT void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int, std::size_t size,
                                     int constant, int) {
    using Kind = api::VariableSymbol::Kind;
    registered_code().add_variable(binary_of(handle), shadow,
                                   variable_named(name, size, constant ? Kind::constant : Kind::device));
}

CUDASH_EXPORT void __cudaRegisterManagedVar(void** handle, void** pointer, char*, const char* name, int,
                                            std::size_t size, int, int) {
    api::VariableSymbol variable = variable_named(name, size, api::VariableSymbol::Kind::managed);
    variable.host_pointer = pointer;
    registered_code().add_variable(binary_of(handle), pointer, std::move(variable));
}

// Host variables and functions that device code may know belong to systems on which it can reach them.
CUDASH_EXPORT void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}
CUDASH_EXPORT cudaError_t __cudaRegisterUnifiedTable(void**, void*) {
    return cudaSuccess;
}

/// Before host code first uses a managed variable: it is placed, initial value and all.
CUDASH_EXPORT char __cudaInitModule(void**) {
    const api::Active* runtime = api::active();
    if (!runtime) return 0;
    api::ThreadState& thread = api::thread_state();
    thread.in_preparation = true;
    for (const api::VariableSymbol* variable : registered_code().variables()) {
        void* ignored = nullptr;
        if (variable->kind != api::VariableSymbol::Kind::managed) continue;
        (void)api::entry::cudaGetSymbolAddress(&ignored, variable->host_pointer);
        break;  // all of them are placed together
    }
    thread.in_preparation = false;
    return 1;
}

/// Kernels go by the addresses of their stubs, here as everywhere.
CUDASH_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* stub) {
    if (!kernel) return cudaErrorInvalidValue;
    *kernel = static_cast<cudaKernel_t>(const_cast<void*>(stub));
    return cudaSuccess;
}

CUDASH_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                             std::size_t shared, cudaStream_t stream) {
    launching = true;
    const cudaError_t status = api::entry::cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
    launching = false;
    return status;
}
CUDASH_EXPORT cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                                  std::size_t shared, cudaStream_t stream) {
    launching = true;
    const cudaError_t status = api::entry::cudaLaunchKernel_ptsz(kernel, grid, block, arguments, shared, stream);
    launching = false;
    return status;
}

}  // namespace cudash::cudart
