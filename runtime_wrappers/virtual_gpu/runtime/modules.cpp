#include "runtime_wrappers/virtual_gpu/runtime/modules.h"
#include "runtime_wrappers/api/report.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "runtime_wrappers/nvrtc/cubin.h"
#include "runtime_wrappers/virtual_gpu/runtime/gpu.h"
#include "runtime_wrappers/virtual_gpu/runtime/register_bound.h"

namespace cudash::virtual_gpu::runtime {

Modules::Code::Code(std::shared_ptr<const nvrtc::Artifact> made, std::shared_ptr<const LoadedModule> loaded)
    : artifact(std::move(made)),
      module(std::move(loaded)),
      register_bounds(runtime::register_bounds(artifact->code)),
      ptx_target(runtime::ptx_target(artifact->code)) {}

cudaError_t Modules::refresh() {
    auto unit = gpu_.active.code->unit({.arch = gpu_.profile.nvrtc_arch, .real = false});
    if (!unit) return api::does_not_compile(gpu_.active, unit.error());
    if (unit_.module && (*unit == unit_.artifact || (*unit)->id == unit_.artifact->id)) return cudaSuccess;
    return load(std::move(*unit));
}

cudaError_t Modules::load(std::shared_ptr<const nvrtc::Artifact> unit) {
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
    if (!loaded) return refuse_code(loaded.error());

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
        if (!loaded) return refuse_code(loaded.error());
    }

    if (unit_.module) earlier_.push_back(unit_.module);
    unit_ = Code(std::move(unit), std::move(*loaded));
    for (const VariableInfo* variable : unit_.module->variables())
        if (!variable->managed) {
            placed_[variable->name] = {variable->address, variable->size, variable->constant};
            note_device(*variable);
        }
    kernels_.clear();
    debug_kernels_.clear();
    debug_module_.reset();
    publish_managed();
    return cudaSuccess;
}

const Modules::Code* Modules::code_of(const api::KernelSymbol& symbol, cudaError_t& status) {
    if (!symbol.is_apart) return &unit_;
    auto artifact = gpu_.active.code->module_of(symbol, {.arch = gpu_.profile.nvrtc_arch, .real = false});
    if (!artifact) {
        status = api::does_not_compile(gpu_.active, artifact.error());
        return nullptr;
    }
    if (const auto known = apart_.find((*artifact)->id); known != apart_.end()) return &known->second;
    auto loaded = load_module((*artifact)->code, *gpu_.memory.space, gpu_.profile, {});
    if (!loaded) {
        status = refuse_code(loaded.error());
        return nullptr;
    }
    for (const VariableInfo* variable : (*loaded)->variables()) note_device(*variable);
    const std::uint64_t id = (*artifact)->id;
    return &apart_.emplace(id, Code(std::move(*artifact), std::move(*loaded))).first->second;
}

cudaError_t Modules::refuse_code(const Diagnostic& diagnostic) {
    if (gpu_.active.events.diagnostic) gpu_.active.events.diagnostic(diagnostic);
    api::thread_state().explanation.told = true;
    gpu_.context.note_refused_code();
    return cudaErrorInvalidPtx;
}

void Modules::note_device(const VariableInfo& variable) {
    if (auto allocation = gpu_.memory.space->find(variable.address)) {
        allocation->devices = device_set(device_);
        gpu_.memory.space->update(*allocation);
    }
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
    const Code* const code_here = code_of(*symbol, status);
    if (!code_here) return nullptr;
    if (auto known = kernels_.find(stub); known != kernels_.end()) {
        if (known->second.module == code_here->module) return &known->second;
        kernels_.erase(known);  // it is apart, and was compiled again
    }
    const KernelInfo* info = code_here->module->kernel(symbol->name);
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
    Kernel kernel = describe_kernel(gpu_.profile, code_here->module, *info, code_here->register_bounds);
    if (!symbol->display.empty()) kernel.display = symbol->display;
    kernel.state = &functions_[symbol->name];
    kernel.ptx_target = code_here->ptx_target;
    return &kernels_.emplace(stub, kernel).first->second;
}

const Kernel* Modules::debug_kernel(const void* stub, cudaError_t& status) {
    const Kernel* plain = kernel(stub, status);
    if (!plain) return nullptr;
    const api::KernelSymbol* symbol = gpu_.active.code->kernel(stub);
    if (!symbol || !has_source(*plain)) {
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
            const VariableInfo* variable = unit_.module->variable(name);
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
    return kernel.module == unit_.module;
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
    const VariableInfo* variable = unit_.module->variable(symbol->name);
    if (!variable)
        status = refuse(cudaErrorInvalidSymbol, "the compiled device code holds no variable {}", symbol->display);
    return variable;
}

std::optional<unsigned> Modules::registers(const Kernel& kernel) {
    const auto has_kernel = [&](const auto& entry) { return entry.second.module == kernel.module; };
    const auto apart = std::ranges::find_if(apart_, has_kernel);
    // ptxas, which would know, is not asked for a library's code.
    if (!has_source(kernel) && apart == apart_.end()) return std::nullopt;
    Code& code = has_source(kernel) ? unit_ : apart->second;
    // A kernel that is not among them is one that ptxas refuses: asked for again, once, it says why.
    if (!code.registers_known || !code.registers.contains(kernel.info->name)) {
        const std::uint64_t id = unit_.artifact->id;
        const api::Target target{.arch = gpu_.profile.nvrtc_arch, .real = true};
        const api::KernelSymbol* symbol = symbol_of(kernel);
        auto real = symbol ? gpu_.active.code->module_of(*symbol, target) : gpu_.active.code->unit(target);
        if (real && !code.registers_known) code.registers = nvrtc::registers_per_thread((*real)->code);
        code.registers_known = true;
        code.registers.emplace(kernel.info->name, 0);
        if (symbol && symbol->failure && gpu_.active.events.diagnostic) {
            Diagnostic refused = *symbol->failure;
            refused.severity = Diagnostic::Severity::warning;
            gpu_.active.events.diagnostic(refused);
        }
        // Asking changed what the session last compiled: fetch the unit that is loaded again.
        auto again = gpu_.active.code->unit({.arch = gpu_.profile.nvrtc_arch, .real = false});
        if (again && (*again)->id == id) unit_.artifact = *again;
    }
    const auto found = code.registers.find(kernel.info->name);
    if (found == code.registers.end() || found->second == 0) return std::nullopt;
    return found->second;
}

/// What the session calls it; nullptr if no host code asked for it yet.
const api::KernelSymbol* Modules::symbol_of(const Kernel& kernel) const {
    const auto known =
        std::ranges::find_if(kernels_, [&](const auto& entry) { return entry.second.info == kernel.info; });
    return known == kernels_.end() ? nullptr : gpu_.active.code->kernel(known->first);
}

void Modules::unload() {
    kernels_.clear();
    debug_kernels_.clear();
    debug_module_.reset();
    placed_.clear();
    earlier_.clear();
    unit_ = {};
    apart_.clear();
    if (std::any_of(gpu_.modules_of.begin(), gpu_.modules_of.end(), [](const auto& other) { return other->loaded(); }))
        return;
    for (const auto& [name, placed] : gpu_.managed_variables) gpu_.memory.forget(placed.address);
    gpu_.managed_variables.clear();
}

}  // namespace cudash::virtual_gpu::runtime
