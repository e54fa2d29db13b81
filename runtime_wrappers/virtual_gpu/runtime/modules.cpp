#include "runtime_wrappers/virtual_gpu/runtime/modules.h"
#include "runtime_wrappers/api/report.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "runtime_wrappers/nvrtc/cubin.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"
#include "runtime_wrappers/virtual_gpu/runtime/register_bound.h"

namespace cudash::virtual_gpu::runtime {

cudaError_t Modules::refresh() {
    auto unit = gpu_.active.code->unit({.arch = gpu_.profile.nvrtc_arch, .real = false});
    if (!unit) return api::does_not_compile(gpu_.active, unit.error());
    if (unit_ && module_ && (*unit == unit_ || (*unit)->id == unit_->id)) return cudaSuccess;
    return load(std::move(*unit));
}

cudaError_t Modules::load(std::shared_ptr<const nvrtc::Artifact> unit) {
    const auto failed = [&](const Diagnostic& diagnostic) {
        if (gpu_.active.events.diagnostic) gpu_.active.events.diagnostic(diagnostic);
        api::thread_state().explanation.told = true;
        gpu_.context.note_refused_code();
        return cudaErrorInvalidPtx;
    };
    const VariablePlacement placement = [&](std::string_view name, std::uint64_t size,
                                            bool constant) -> std::optional<Address> {
        for (const auto* known : {&placed_, &gpu_.managed_variables}) {
            const auto found = known->find(name);
            if (found != known->end() && found->second.size == size && found->second.constant == constant)
                return found->second.address;
        }
        return std::nullopt;
    };
    auto loaded = load_module(unit->code, *gpu_.memory.space, gpu_.profile, placement);
    if (!loaded) return failed(loaded.error());

    // A new managed variable gets memory that the host may touch, with the initial value that the module gave it; then
    // the module is loaded again around it.
    bool moved = false;
    for (const VariableInfo* variable : (*loaded)->variables()) {
        if (!variable->managed || placement(variable->name, variable->size, variable->constant)) continue;
        const auto at = gpu_.memory.space->find(variable->address);
        if (at && at->host_offset == 0) continue;
        auto block = HostBlock::create(variable->size);
        const std::byte* initial = gpu_.memory.space->pointer(variable->address, variable->size);
        if (!block || !initial) return cudaErrorMemoryAllocation;
        std::memcpy(block->pointer(), initial, variable->size);
        const Address address = block->address();
        Allocation allocation;
        allocation.begin = address;
        allocation.size = variable->size;
        allocation.kind = MemoryKind::managed;
        allocation.origin = "__managed__ " + variable->name;
        AllocationRecord record{.device = device_, .size = variable->size};
        record.host = std::move(block);
        gpu_.memory.enter_host(std::move(allocation), std::move(record));
        gpu_.managed_variables[variable->name] = {address, variable->size, variable->constant};
        moved = true;
    }
    if (moved) {
        loaded = load_module(unit->code, *gpu_.memory.space, gpu_.profile, placement);
        if (!loaded) return failed(loaded.error());
    }

    if (module_) earlier_.push_back(module_);
    module_ = std::move(*loaded);
    unit_ = std::move(unit);
    for (const VariableInfo* variable : module_->variables())
        if (!variable->managed) {
            placed_[variable->name] = {variable->address, variable->size, variable->constant};
            if (auto allocation = gpu_.memory.space->find(variable->address)) {
                allocation->devices = device_set(device_);
                gpu_.memory.space->update(*allocation);
            }
        }
    kernels_.clear();
    debug_kernels_.clear();
    debug_module_.reset();
    register_bounds_ = register_bounds(unit_->code);
    ptx_target_ = ptx_target(unit_->code);
    registers_.clear();
    registers_known_ = false;
    publish_managed();
    return cudaSuccess;
}

void Modules::publish_managed() {
    for (const api::VariableSymbol* variable : gpu_.active.code->variables()) {
        if (variable->kind != api::VariableSymbol::Kind::managed || !variable->host_pointer) continue;
        const auto found = gpu_.managed_variables.find(variable->name);
        if (found != gpu_.managed_variables.end())
            *variable->host_pointer = reinterpret_cast<void*>(found->second.address);
    }
}

unsigned ptx_target(std::string_view ptx) {
    constexpr std::string_view directive = ".target sm_";
    const std::size_t at = ptx.find(directive);
    unsigned number = 0;
    if (at != std::string_view::npos)
        std::from_chars(ptx.data() + at + directive.size(), ptx.data() + ptx.size(), number);
    return number;
}

Kernel describe_kernel(const Profile& profile, std::shared_ptr<const LoadedModule> module, const KernelInfo& info,
                       const std::map<std::string, unsigned, std::less<>>& bounds) {
    Kernel kernel{.display = info.name, .module = std::move(module), .info = &info};
    kernel.max_threads =
        info.max_threads ? std::min(info.max_threads, profile.max_threads_per_block) : profile.max_threads_per_block;
    if (const auto bound = bounds.find(info.name); bound != bounds.end()) kernel.register_bound = bound->second;
    return kernel;
}

const Kernel* Modules::kernel(const void* stub, cudaError_t& status) {
    const auto* code = gpu_.active.code;
    const api::KernelSymbol* symbol = stub ? code->kernel(stub) : nullptr;
    if (const Kernel* of_library = symbol ? nullptr : gpu_.libraries.kernel(gpu_, stub, device_);
        of_library && of_library->module)
        return of_library;
    if (!symbol) {
        // Recorded on an H200: a null function is cudaErrorInvalidDeviceFunction, an unknown one is taken for a handle.
        status = stub ? refuse(cudaErrorInvalidResourceHandle, "{} is not a __global__ function", stub)
                      : refuse(cudaErrorInvalidDeviceFunction, "the kernel is a null pointer");
        return nullptr;
    }
    status = refresh();
    if (status == cudaSuccess && symbol->failure) status = api::does_not_compile(gpu_.active, *symbol->failure);
    if (status != cudaSuccess) return nullptr;
    if (auto known = kernels_.find(stub); known != kernels_.end()) return &known->second;
    const KernelInfo* info = module_->kernel(symbol->name);
    if (!info) {
        const std::string& name = symbol->display.empty() ? symbol->name : symbol->display;
        const std::string hint =
            name.find("(lambda") == std::string::npos && name.find("'lambda") == std::string::npos
                ? ""
                : "a kernel takes a lambda that is __device__ and captures by value; in a template at the prompt it "
                  "can't use `this` or a type of its function. Use an object with a __device__ operator(), or put the "
                  "program into a file and start it "
                  "with `cudash run FILE`";
        status =
            refuse_with_hint(cudaErrorInvalidDeviceFunction, "the compiled device code holds no kernel " + name, hint);
        return nullptr;
    }
    Kernel kernel = describe_kernel(gpu_.profile, module_, *info, register_bounds_);
    if (!symbol->display.empty()) kernel.display = symbol->display;
    kernel.state = &functions_[symbol->name];
    kernel.ptx_target = ptx_target_;
    return &kernels_.emplace(stub, kernel).first->second;
}

const Kernel* Modules::debug_kernel(const void* stub, cudaError_t& status) {
    const Kernel* plain = kernel(stub, status);
    if (!plain) return nullptr;
    const api::KernelSymbol* symbol = gpu_.active.code->kernel(stub);
    if (!symbol || plain->module != module_) {
        status = refuse(cudaErrorNotSupported, "the source of a library's kernel is not known to the debugger");
        return nullptr;
    }
    auto unit = gpu_.active.code->debug_unit({.arch = gpu_.profile.nvrtc_arch, .real = false});
    if (!unit) {
        status = api::does_not_compile(gpu_.active, unit.error());
        return nullptr;
    }
    if (!debug_module_ || debug_unit_ != (*unit)->id) {
        const VariablePlacement placement = [&](std::string_view name, std::uint64_t size,
                                                bool constant) -> std::optional<Address> {
            const VariableInfo* variable = module_->variable(name);
            if (!variable || variable->size != size || variable->constant != constant) return std::nullopt;
            return variable->address;
        };
        auto loaded = load_module((*unit)->code, *gpu_.memory.space, gpu_.profile, placement, true);
        if (!loaded) {
            if (gpu_.active.events.diagnostic) gpu_.active.events.diagnostic(loaded.error());
            api::thread_state().explanation.told = true;
            status = cudaErrorInvalidPtx;
            return nullptr;
        }
        debug_kernels_.clear();
        debug_module_ = std::move(*loaded);
        debug_unit_ = (*unit)->id;
    }
    if (const auto known = debug_kernels_.find(stub); known != debug_kernels_.end()) return &known->second;
    const KernelInfo* info = debug_module_->kernel(symbol->name);
    if (!info) {
        status = refuse(cudaErrorInvalidDeviceFunction, "the debug code holds no kernel {}", symbol->display);
        return nullptr;
    }
    Kernel made = *plain;
    made.module = debug_module_;
    made.info = info;
    return &debug_kernels_.emplace(stub, std::move(made)).first->second;
}

bool Modules::has_source(const Kernel& kernel) const {
    return kernel.module == module_;
}

const VariableInfo* Modules::variable(const void* shadow, cudaError_t& status) {
    const auto* code = gpu_.active.code;
    const api::VariableSymbol* symbol = shadow ? code->variable(shadow) : nullptr;
    if (!symbol && shadow) {
        // Host code names a managed variable by where it is.
        for (const api::VariableSymbol* candidate : code->variables())
            if (candidate->kind == api::VariableSymbol::Kind::managed && candidate->host_pointer &&
                *candidate->host_pointer == shadow)
                symbol = candidate;
    }
    if (!symbol) {
        status = refuse_with_hint(cudaErrorInvalidSymbol,
                                  fmt::format("{} is not a __device__, __constant__ or __managed__ variable", shadow),
                                  "pass the variable itself, not its address and not its name as a string");
        return nullptr;
    }
    status = refresh();
    if (status != cudaSuccess) return nullptr;
    const VariableInfo* variable = module_->variable(symbol->name);
    if (!variable)
        status = refuse(cudaErrorInvalidSymbol, "the compiled device code holds no variable {}", symbol->display);
    return variable;
}

std::optional<unsigned> Modules::registers(const Kernel& kernel) {
    // ptxas, which would know, is asked for the session's own code only.
    if (kernel.module != module_) return std::nullopt;
    // A kernel that is not among them is one that ptxas refuses: asked for again, once, it says why.
    if (!registers_known_ || !registers_.contains(kernel.info->name)) {
        const std::uint64_t id = unit_->id;
        auto real = gpu_.active.code->unit({.arch = gpu_.profile.nvrtc_arch, .real = true});
        if (real && !registers_known_) registers_ = nvrtc::registers_per_thread((*real)->code);
        registers_known_ = true;
        registers_.emplace(kernel.info->name, 0);
        for (const auto& [stub, known] : kernels_) {
            const api::KernelSymbol* symbol = known.info == kernel.info ? gpu_.active.code->kernel(stub) : nullptr;
            if (!symbol || !symbol->failure || !gpu_.active.events.diagnostic) continue;
            Diagnostic refused = *symbol->failure;
            refused.severity = Diagnostic::Severity::warning;
            gpu_.active.events.diagnostic(refused);
        }
        // Asking changed what the session last compiled: fetch the unit that is loaded again.
        auto again = gpu_.active.code->unit({.arch = gpu_.profile.nvrtc_arch, .real = false});
        if (again && (*again)->id == id) unit_ = *again;
    }
    const auto found = registers_.find(kernel.info->name);
    if (found == registers_.end() || found->second == 0) return std::nullopt;
    return found->second;
}

void Modules::unload() {
    kernels_.clear();
    debug_kernels_.clear();
    debug_module_.reset();
    placed_.clear();
    earlier_.clear();
    module_.reset();
    unit_.reset();
    if (std::any_of(gpu_.modules_of.begin(), gpu_.modules_of.end(), [](const auto& other) { return other->loaded(); }))
        return;
    for (const auto& [name, placed] : gpu_.managed_variables) gpu_.memory.forget(placed.address);
    gpu_.managed_variables.clear();
}

}  // namespace cudash::virtual_gpu::runtime
