#include "runtime_wrappers/cuda/real_gpu.h"
#include "runtime_wrappers/api/report.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include <fmt/format.h>

#include "runtime_wrappers/api/error_names.h"
#include "runtime_wrappers/cuda/device_linker.h"

namespace cudash::cuda {
namespace {

using api::Function;

/// "cudaGetDeviceCount" with the C string's end, for dlsym.
std::string symbol_name(Function function) {
    return std::string(api::info(function).name);
}

/// Makes GPU `index` the only one that this process sees, so that it is device 0 of the student's program.
void show_only(int index) {
    std::string chosen = std::to_string(index);
    if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES"); visible && *visible) {
        std::istringstream names(visible);
        for (int i = 0; i <= index; ++i)
            if (!std::getline(names, chosen, ',')) return;
    }
    setenv("CUDA_VISIBLE_DEVICES", chosen.c_str(), 1);
}

// Errors after which "the process must be terminated and relaunched" (driver_types.h).
constexpr std::array sticky_errors = {
    cudaErrorECCUncorrectable,   cudaErrorIllegalAddress,     cudaErrorLaunchTimeout,     cudaErrorAssert,
    cudaErrorHardwareStackError, cudaErrorIllegalInstruction, cudaErrorMisalignedAddress, cudaErrorInvalidAddressSpace,
    cudaErrorInvalidPc,          cudaErrorLaunchFailure,      cudaErrorTensorMemoryLeak,
};

}  // namespace

Result<std::unique_ptr<RealGpu>> RealGpu::create(int index, const api::Active& active) {
    if (!cudart_missing().empty())
        return error(
            "cudart-missing", fmt::format("the CUDA runtime library was not found (tried {})", cudart_missing()),
            "install the CUDA toolkit 13 (the runtime of CUDA 12 has other structures), or use --device virtual");
    if (index > 0) show_only(index);
    std::unique_ptr<RealGpu> gpu(new RealGpu(active));
    int count = 0;
    cudaError_t status = gpu->function<decltype(&::cudaGetDeviceCount)>(Function::cudaGetDeviceCount)(&count);
    if (status == cudaSuccess && count == 0) status = cudaErrorNoDevice;
    if (status != cudaSuccess)
        return error("no-gpu", fmt::format("GPU {} cannot be used: {}", index, api::error_string(status)),
                     "use --device virtual, or check the driver with nvidia-smi");
    cudaDeviceProp properties;
    status = gpu->function<decltype(&::cudaGetDeviceProperties)>(Function::cudaGetDeviceProperties)(&properties, 0);
    if (status != cudaSuccess)
        return error("no-gpu", fmt::format("GPU {} cannot be used: {}", index, api::error_string(status)));
    gpu->name_ = properties.name;
    gpu->arch_ = static_cast<unsigned>(properties.major * 10 + properties.minor);
    return gpu;
}

void* RealGpu::function(Function function) {
    std::atomic<void*>& slot = slots_[static_cast<std::size_t>(function)];
    void* known = slot.load(std::memory_order_relaxed);
    if (known) return known;
    known = cudart_symbol(symbol_name(function).c_str());
    slot.store(known, std::memory_order_relaxed);
    return known;
}

cudaError_t RealGpu::refresh() {
    auto unit = active_.code->unit(target());
    if (!unit) return api::does_not_compile(active_, unit.error());
    if (library_ && (*unit)->id == unit_->id) return cudaSuccess;
    return load(std::move(*unit));
}

/// For calls of our own while the program captures: its capture mode has no say in them.
class RealGpu::OutsideCapture {
public:
    explicit OutsideCapture(RealGpu& gpu)
        : exchange_(gpu.function<Exchange>(Function::cudaThreadExchangeStreamCaptureMode)) {
        exchange_(&mode_);
    }
    ~OutsideCapture() { exchange_(&mode_); }
    OutsideCapture(const OutsideCapture&) = delete;
    OutsideCapture& operator=(const OutsideCapture&) = delete;

private:
    using Exchange = decltype(&::cudaThreadExchangeStreamCaptureMode);
    Exchange exchange_;
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

cudaError_t RealGpu::load(std::shared_ptr<const nvrtc::Artifact> unit) {
    const OutsideCapture outside(*this);
    // Kernels of the unit before may still write to its variables.
    cudaError_t status = cudaSuccess;
    if (!capturing()) status = function<decltype(&::cudaDeviceSynchronize)>(Function::cudaDeviceSynchronize)();
    if (status != cudaSuccess) return status;
    cudaLibrary_t next = nullptr;
    status = open(*unit, next);
    if (status != cudaSuccess) return status;
    carry_over(next);
    // The library before stays loaded: pointers to its variables may be in use.
    library_ = next;
    unit_ = std::move(unit);
    kernels_.clear();
    return cudaSuccess;
}

cudaError_t RealGpu::open(const nvrtc::Artifact& code, cudaLibrary_t& library) {
    const auto load = [&](const std::string& image) {
        return function<decltype(&::cudaLibraryLoadData)>(Function::cudaLibraryLoadData)(
            &library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
    };
    if (!is_to_be_linked(code)) return load(code.code);
    const auto linked = linked_with_device_runtime(code);
    return linked ? load(*linked) : api::does_not_compile(active_, linked.error());
}

/// Once the unit was refreshed.
cudaError_t RealGpu::library_of(const api::KernelSymbol& symbol, cudaLibrary_t& library) {
    library = library_;
    if (!symbol.is_apart) return cudaSuccess;
    const auto code = active_.code->module_of(symbol, target());
    if (!code) return api::does_not_compile(active_, code.error());
    const auto [known, is_new] = apart_.try_emplace((*code)->id, nullptr);
    if (!is_new) {
        library = known->second;
        return cudaSuccess;
    }
    const OutsideCapture outside(*this);
    const cudaError_t status = open(**code, known->second);
    library = known->second;
    if (status != cudaSuccess) apart_.erase(known);
    return status;
}

void RealGpu::carry_over(cudaLibrary_t next) {
    const auto get_global = function<decltype(&::cudaLibraryGetGlobal)>(Function::cudaLibraryGetGlobal);
    const auto get_managed = function<decltype(&::cudaLibraryGetManaged)>(Function::cudaLibraryGetManaged);
    std::map<std::string, DeviceVariable, std::less<>> fresh;
    for (const api::VariableSymbol* symbol : active_.code->variables()) {
        DeviceVariable variable;
        const bool managed = symbol->kind == api::VariableSymbol::Kind::managed;
        const auto find = managed ? get_managed : get_global;
        if (find(&variable.address, &variable.size, next, symbol->name.c_str()) != cudaSuccess) continue;
        const auto old = variables_.find(symbol->name);
        if (old != variables_.end() && old->second.size == variable.size)
            copy(variable.address, old->second.address, variable.size);
        if (managed && symbol->host_pointer) *symbol->host_pointer = variable.address;
        fresh.emplace(symbol->name, variable);
    }
    variables_ = std::move(fresh);
}

const void* RealGpu::kernel(const void* stub, cudaError_t& status) {
    const api::KernelSymbol* symbol = stub ? active_.code->kernel(stub) : nullptr;
    if (!symbol) return stub;
    status = refresh();
    if (status == cudaSuccess && symbol->failure) status = api::does_not_compile(active_, *symbol->failure);
    if (status != cudaSuccess) return nullptr;
    cudaKernel_t kernel = nullptr;
    cudaLibrary_t library = nullptr;
    status = library_of(*symbol, library);
    if (status != cudaSuccess) return nullptr;
    if (auto known = kernels_.find(stub); known != kernels_.end() && known->second.first == library)
        return known->second.second;
    status = function<decltype(&::cudaLibraryGetKernel)>(Function::cudaLibraryGetKernel)(&kernel, library,
                                                                                         symbol->name.c_str());
    if (status != cudaSuccess) return nullptr;
    if (auto set = attributes_.find(symbol->name); set != attributes_.end()) {
        const auto set_attribute = function<decltype(&::cudaFuncSetAttribute)>(Function::cudaFuncSetAttribute);
        for (const auto& [attribute, value] : set->second) set_attribute(kernel, attribute, value);
    }
    kernels_.insert_or_assign(stub, std::pair(library, kernel));
    return kernel;
}

cudaError_t RealGpu::variable(const void* shadow, DeviceVariable& variable) {
    const api::VariableSymbol* symbol = shadow ? active_.code->variable(shadow) : nullptr;
    if (!symbol)
        for (const api::VariableSymbol* candidate : active_.code->variables())
            if (shadow && candidate->host_pointer && *candidate->host_pointer == shadow) symbol = candidate;
    if (!symbol) return cudaErrorInvalidSymbol;
    if (const cudaError_t status = refresh(); status != cudaSuccess) return status;
    const auto found = variables_.find(symbol->name);
    if (found == variables_.end()) return cudaErrorInvalidSymbol;
    variable = found->second;
    return cudaSuccess;
}

cudaError_t RealGpu::part_of_variable(const void* shadow, std::size_t count, std::size_t offset, cudaMemcpyKind kind,
                                      cudaMemcpyKind natural, std::byte*& address) {
    DeviceVariable found;
    if (const cudaError_t status = variable(shadow, found); status != cudaSuccess) return status;
    if (kind != natural && kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (offset > found.size || count > found.size - offset) return cudaErrorInvalidValue;
    address = static_cast<std::byte*>(found.address) + offset;
    return cudaSuccess;
}

void RealGpu::remember_attribute(const void* stub, cudaFuncAttribute attribute, int value) {
    if (const api::KernelSymbol* symbol = active_.code->kernel(stub)) attributes_[symbol->name][attribute] = value;
}

const cudaKernelNodeParams* RealGpu::translate(api::NodeArgument<const cudaKernelNodeParams> argument,
                                               cudaError_t& status) {
    if (!argument.parameters || status != cudaSuccess) return argument.parameters;
    thread_local cudaKernelNodeParams translated;
    translated = *argument.parameters;
    translated.func = const_cast<void*>(kernel(translated.func, status));
    return &translated;
}

cudaGraphNodeParams* RealGpu::translate(api::NodeArgument<cudaGraphNodeParams> argument, cudaError_t& status) {
    if (!argument.parameters || status != cudaSuccess) return argument.parameters;
    // In place: the call writes its results into the parameters of some kinds of node.
    if (argument.parameters->type == cudaGraphNodeTypeKernel)
        argument.parameters->kernel.func = const_cast<void*>(kernel(argument.parameters->kernel.func, status));
    return argument.parameters;
}

void RealGpu::capture_began(cudaStream_t stream) {
    const std::lock_guard lock(captures_mutex_);
    captured_.insert(stream);
}

void RealGpu::stream_ended(cudaStream_t stream) {
    const std::lock_guard lock(captures_mutex_);
    captured_.erase(stream);
}

bool RealGpu::capturing() {
    const std::lock_guard lock(captures_mutex_);
    const auto is_capturing = function<decltype(&::cudaStreamIsCapturing)>(Function::cudaStreamIsCapturing);
    std::erase_if(captured_, [&](cudaStream_t stream) {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        return is_capturing(stream, &status) != cudaSuccess || status == cudaStreamCaptureStatusNone;
    });
    return !captured_.empty();
}

cudaError_t RealGpu::copy(void* destination, const void* source, std::size_t bytes) {
    if (capturing()) return copy_beside_capture(destination, source, bytes);
    return function<decltype(&::cudaMemcpy)>(Function::cudaMemcpy)(destination, source, bytes, cudaMemcpyDefault);
}

/// A copy of our own that neither the legacy default stream nor the capture mode of the thread has a part in.
cudaError_t RealGpu::copy_beside_capture(void* destination, const void* source, std::size_t bytes) {
    const OutsideCapture outside(*this);
    cudaStream_t stream = nullptr;
    cudaError_t status = function<decltype(&::cudaStreamCreateWithFlags)>(Function::cudaStreamCreateWithFlags)(
        &stream, cudaStreamNonBlocking);
    if (status == cudaSuccess) {
        status = function<decltype(&::cudaMemcpyAsync)>(Function::cudaMemcpyAsync)(destination, source, bytes,
                                                                                   cudaMemcpyDefault, stream);
        if (status == cudaSuccess)
            status = function<decltype(&::cudaStreamSynchronize)>(Function::cudaStreamSynchronize)(stream);
        function<decltype(&::cudaStreamDestroy)>(Function::cudaStreamDestroy)(stream);
    }
    return status;
}

int RealGpu::synchronize() {
    if (capturing()) return cudaSuccess;
    const cudaError_t status = function<decltype(&::cudaDeviceSynchronize)>(Function::cudaDeviceSynchronize)();
    note_failure(status);
    return status;
}

void RealGpu::note_failure(cudaError_t status) {
    if (std::ranges::find(sticky_errors, status) != sticky_errors.end()) sticky_ = status;
}

bool RealGpu::is_device_memory(std::uint64_t address) {
    cudaPointerAttributes attributes{};
    const auto get = function<decltype(&::cudaPointerGetAttributes)>(Function::cudaPointerGetAttributes);
    return get(&attributes, reinterpret_cast<const void*>(address)) == cudaSuccess &&
           attributes.type == cudaMemoryTypeDevice;
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> RealGpu::range_of(std::uint64_t address) {
    if (!is_device_memory(address)) return std::nullopt;
    // "CUresult cuMemGetAddressRange(CUdeviceptr* pbase, size_t* psize, CUdeviceptr dptr)", of the driver that is
    // loaded.
    using GetRange = int (*)(unsigned long long*, std::size_t*, unsigned long long);
    const auto get = driver_function<GetRange>("cuMemGetAddressRange_v2");
    unsigned long long begin = 0;
    std::size_t size = 0;
    const bool found = get && get(&begin, &size, address) == 0;
    return found ? std::optional(std::pair<std::uint64_t, std::uint64_t>(begin, size)) : std::nullopt;
}

bool RealGpu::peek(std::uint64_t address, void* destination, std::size_t bytes) {
    cudaPointerAttributes attributes{};
    const void* source = reinterpret_cast<const void*>(address);
    const auto get = function<decltype(&::cudaPointerGetAttributes)>(Function::cudaPointerGetAttributes);
    if (get(&attributes, source) != cudaSuccess || attributes.type == cudaMemoryTypeUnregistered) return false;
    const auto forget_error = function<decltype(&::cudaGetLastError)>(Function::cudaGetLastError);
    if (copy(destination, source, bytes) == cudaSuccess) return true;
    forget_error();
    return false;
}

}  // namespace cudash::cuda
