#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "runtime_wrappers/virtual_gpu/isa/constant_folding.h"
#include "runtime_wrappers/virtual_gpu/isa/contraction.h"
#include "runtime_wrappers/virtual_gpu/isa/decode/scope.h"
#include "runtime_wrappers/virtual_gpu/isa/link.h"
#include "runtime_wrappers/virtual_gpu/isa/sizes.h"
#include "runtime_wrappers/virtual_gpu/memory/address_windows.h"
#include "runtime_wrappers/virtual_gpu/ptx/parser.h"

namespace cudash::virtual_gpu {
namespace {

/// KernelInfo has numbers of 32 bits.
constexpr std::uint64_t most_known = 0xFFFF'FFFF;

bool in_memory(const ptx::Variable& variable) {
    return variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
}

std::uint64_t constant_bits(const ptx::Operand& operand, ptx::Type type) {
    const bool wide = type_bytes(type) == 8;
    if (operand.kind == ptx::Operand::Kind::real) {
        if (operand.single == !wide) return operand.bits;
        if (wide)
            return std::bit_cast<std::uint64_t>(double{std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits))});
        return std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
    }
    if (type == ptx::Type::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(operand.integer));
    if (type == ptx::Type::f64) return std::bit_cast<std::uint64_t>(static_cast<double>(operand.integer));
    return static_cast<std::uint64_t>(operand.integer);
}

}  // namespace

struct LoadedModule::Kernel {
    const ptx::Function* function = nullptr;
    std::unique_ptr<Program> program;
    KernelInfo info;
};

LoadedModule::LoadedModule(ptx::Module tree, AddressSpace& memory, const Profile& profile, bool debug)
    : tree_(std::move(tree)), memory_(memory), shared_base_(profile.shared_reserved_per_block), debug_(debug) {
    for (ptx::Function& function : tree_.functions) {
        if (debug) break;
        fold_constants(function);
        contract_products(function);
    }
    for (std::uint32_t i = 0; i < tree_.functions.size(); ++i) {
        const ptx::Function& function = tree_.functions[i];
        auto [entry, is_new] = function_by_name_.try_emplace(function.name, i);
        // A declaration may come before or after the body.
        if (!is_new && function.has_body) entry->second = i;
        if (!function.is_entry || !function.has_body) continue;
        std::unique_ptr<Kernel>& kernel = kernels_[function.name];
        if (!kernel) kernel = std::make_unique<Kernel>();
        kernel->function = &function;
    }
}

LoadedModule::~LoadedModule() {
    for (Address address : owned_) memory_.release(address);
}

std::optional<Diagnostic> LoadedModule::place_variables(const VariablePlacement& placement) {
    for (const ptx::Variable& variable : tree_.variables) {
        if (!in_memory(variable) || variable_by_name_.contains(variable.name)) continue;
        auto info = std::make_unique<VariableInfo>();
        info->name = variable.name;
        info->size = std::max<std::uint64_t>(variable_bytes(variable), 1);
        info->constant = variable.space == ptx::Space::constant;
        info->managed = variable.is_managed;
        std::optional<Address> kept;
        if (placement) kept = placement(variable.name, info->size, info->constant);
        if (kept) {
            info->address = *kept;
        } else {
            auto made = memory_.allocate(info->size, variable_alignment(variable), MemoryKind::variable, variable.name);
            if (!made)
                return error("out-of-memory", fmt::format("no device memory is left for variable {} of {} bytes",
                                                          variable.name, info->size));
            made->read_only = info->constant;
            memory_.update(*made);
            owned_.push_back(made->begin);
            info->address = made->begin;
        }
        variable_by_name_[info->name] = info.get();
        variables_.push_back(std::move(info));
        fresh_.push_back(!kept);
    }
    // Initializers may name variables that come later.
    std::size_t index = 0;
    for (const ptx::Variable& variable : tree_.variables) {
        if (!in_memory(variable) || index >= variables_.size() || variables_[index]->name != variable.name) continue;
        const VariableInfo& info = *variables_[index];
        const bool fresh = fresh_[index++];
        if (!variable.initializer || !fresh) continue;
        memory_.note_change(info.address);
        std::byte* memory = memory_.pointer(info.address, info.size);
        if (!memory || !write(variable, *variable.initializer, 0, memory, info.size))
            return error("bad-initializer",
                         fmt::format("the initializer of {} (PTX line {}) names nothing that has an address",
                                     variable.name, variable.location.ptx_line));
    }
    return std::nullopt;
}

bool LoadedModule::write(const ptx::Variable& variable, const ptx::Initializer& initializer, std::size_t dimension,
                         std::byte* memory, std::uint64_t bytes) const {
    if (!initializer.scalar) {
        std::uint64_t step = type_bytes(variable.type) ? type_bytes(variable.type) : 8;
        for (std::size_t d = dimension + 1; d < variable.dimensions.size(); ++d)
            step = size_product(step, variable.dimensions[d]);
        if (dimension < variable.dimensions.size() && variable.vector > 1) step = size_product(step, variable.vector);
        std::uint64_t at = 0;
        for (const ptx::Initializer& element : initializer.list) {
            if (step > bytes - at) return true;
            if (!write(variable, element, dimension + 1, memory + at, step)) return false;
            at += step;
        }
        return true;
    }
    const ptx::Operand& scalar = *initializer.scalar;
    std::uint64_t bits;
    if (scalar.name.empty()) {
        bits = constant_bits(scalar, variable.type);
    } else if (auto found = variable_by_name_.find(scalar.name); found != variable_by_name_.end()) {
        bits = found->second->address + static_cast<std::uint64_t>(scalar.offset);
    } else if (auto index = function_index(scalar.name); index != no_index) {
        bits = code_window + index * code_step;
    } else {
        return false;
    }
    const std::size_t size = type_bytes(variable.type) ? std::min(type_bytes(variable.type), 8u) : 8;
    std::memcpy(memory, &bits, std::min<std::uint64_t>(size, bytes));
    return true;
}

const ptx::Function* LoadedModule::function(std::string_view name) const {
    auto found = function_by_name_.find(name);
    return found == function_by_name_.end() ? nullptr : &tree_.functions[found->second];
}

std::uint32_t LoadedModule::function_index(std::string_view name) const {
    auto found = function_by_name_.find(name);
    return found == function_by_name_.end() ? no_index : found->second;
}

const ptx::Variable* LoadedModule::shared_variable(std::string_view name) const {
    for (const ptx::Variable& variable : tree_.variables)
        if (variable.space == ptx::Space::shared && variable.name == name) return &variable;
    return nullptr;
}

const LoadedModule::Kernel* LoadedModule::find_kernel(std::string_view name) const {
    std::lock_guard lock(mutex_);
    auto found = kernels_.find(name);
    if (found == kernels_.end()) return nullptr;
    Kernel& kernel = *found->second;
    if (kernel.program) return &kernel;
    kernel.program = link(*this, *kernel.function);
    KernelInfo& info = kernel.info;
    info.name = kernel.function->name;
    for (const ptx::Variable& parameter : kernel.function->parameters) {
        const std::uint64_t alignment = variable_alignment(parameter), size = variable_bytes(parameter);
        const std::uint64_t offset = round_up(info.parameter_bytes, alignment);
        if (size_sum(offset, size) > most_parameter_bytes) break;  // such a kernel can't be launched
        info.parameters.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size),
                                   static_cast<std::uint32_t>(alignment)});
        info.parameter_bytes = static_cast<std::uint32_t>(offset + size);
    }
    info.static_shared = kernel.program->static_shared;
    info.local_per_thread = kernel.program->local_bytes;
    std::uint64_t constants = 0;
    for (const auto& variable : variables_)
        if (variable->constant) constants = size_sum(constants, variable->size);
    info.constant_bytes = static_cast<std::uint32_t>(std::min(constants, most_known));
    const auto& limit = kernel.function->reqntid.empty() ? kernel.function->maxntid : kernel.function->reqntid;
    std::uint64_t threads = limit.empty() ? 0 : 1;
    for (std::uint32_t axis : limit) threads = size_product(threads, axis);
    info.max_threads = static_cast<std::uint32_t>(std::min(threads, most_known));
    if (const auto& cluster = kernel.function->reqnctapercluster; !cluster.empty())
        info.cluster = {cluster[0], cluster.size() > 1 ? cluster[1] : 1, cluster.size() > 2 ? cluster[2] : 1};
    info.uses_dynamic_shared = kernel.program->uses_dynamic_shared;
    info.uses_grid_sync = kernel.program->uses_grid_sync;
    info.uses_heap = kernel.program->uses_heap;
    info.polls = kernel.program->polls;
    info.watches = kernel.program->watches;
    return &kernel;
}

const KernelInfo* LoadedModule::kernel(std::string_view name) const {
    const Kernel* found = find_kernel(name);
    return found ? &found->info : nullptr;
}

const Program* LoadedModule::program(std::string_view name) const {
    const Kernel* found = find_kernel(name);
    return found ? found->program.get() : nullptr;
}

const VariableInfo* LoadedModule::variable(std::string_view name) const {
    auto found = variable_by_name_.find(name);
    return found == variable_by_name_.end() ? nullptr : found->second;
}

std::vector<std::string_view> LoadedModule::kernels() const {
    std::vector<std::string_view> names;
    for (const ptx::Function& function : tree_.functions)
        if (function.is_entry && function.has_body) names.push_back(function.name);
    return names;
}

std::vector<const VariableInfo*> LoadedModule::variables() const {
    std::vector<const VariableInfo*> all;
    for (const auto& variable : variables_) all.push_back(variable.get());
    return all;
}

Result<std::shared_ptr<LoadedModule>> load_module(std::string_view ptx, AddressSpace& memory, const Profile& profile,
                                                  const VariablePlacement& placement, bool debug) {
    auto tree = ptx::parse(ptx);
    if (!tree) return tree.error();
    auto module = std::make_shared<LoadedModule>(std::move(*tree), memory, profile, debug);
    if (auto failed = module->place_variables(placement)) return *failed;
    return module;
}

}  // namespace cudash::virtual_gpu
