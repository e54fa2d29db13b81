#include "runtime_wrappers/cudart/registered_code.h"

#include <algorithm>

#include "runtime_wrappers/cudart/fat_binary.h"
#include "runtime_wrappers/nvrtc/ptx_link.h"
#include "runtime_wrappers/virtual_gpu/isa/kernel_name.h"

namespace cudash::cudart {
namespace {

/// What a module without code is: of a file without kernels, nvcc makes the like.
constexpr std::string_view empty_ptx = ".version 7.0\n.target sm_75\n.address_size 64\n";

/// Units of the process are told apart by number.
std::uint64_t next_id() {
    static std::uint64_t last = 0;
    return ++last;
}

/// In a program, the text's lines are not indented.
bool names_lines(std::string_view ptx) {
    return ptx.find(".loc\t") != std::string_view::npos || ptx.find(".loc ") != std::string_view::npos;
}

}  // namespace

RegisteredCode::Binary RegisteredCode::add_binary(std::vector<std::span<const std::byte>> containers) {
    const std::lock_guard lock(mutex_);
    const Binary binary = ++binaries_;
    for (const std::span<const std::byte> container : containers)
        modules_.push_back({.binary = binary, .container = container, .ptx = {}, .failure = {}});
    return binary;
}

void RegisteredCode::add_kernel(Binary binary, const void* stub, std::string_view mangled) {
    const std::lock_guard lock(mutex_);
    kernels_[stub] = {
        binary, std::string(mangled), {.name = std::string(mangled), .display = virtual_gpu::readable_kernel(mangled)}};
    unit_.reset();
}

void RegisteredCode::add_variable(Binary binary, const void* shadow, api::VariableSymbol variable) {
    const std::lock_guard lock(mutex_);
    std::string mangled = variable.name;
    variables_[shadow] = {binary, std::move(mangled), std::move(variable)};
    unit_.reset();
}

void RegisteredCode::remove_binary(Binary binary) {
    const std::lock_guard lock(mutex_);
    std::erase_if(kernels_, [&](const auto& each) { return each.second.binary == binary; });
    std::erase_if(variables_, [&](const auto& each) { return each.second.binary == binary; });
    // Its text stays, so that the names of the others do. What was not read yet, nobody can ask for any more.
    for (Module& module : modules_)
        if (module.binary == binary) module.container = {};
}

bool RegisteredCode::is_empty() const {
    const std::lock_guard lock(mutex_);
    return modules_.empty();
}

bool RegisteredCode::has_kernel(std::string_view mangled) const {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(kernels_, [&](const auto& each) { return each.second.mangled == mangled; });
}

const api::KernelSymbol* RegisteredCode::kernel(const void* stub) const {
    const std::lock_guard lock(mutex_);
    const auto found = kernels_.find(stub);
    return found == kernels_.end() ? nullptr : &found->second.symbol;
}

const api::VariableSymbol* RegisteredCode::variable(const void* shadow) const {
    const std::lock_guard lock(mutex_);
    const auto found = variables_.find(shadow);
    return found == variables_.end() ? nullptr : &found->second.symbol;
}

std::vector<const api::VariableSymbol*> RegisteredCode::variables() const {
    const std::lock_guard lock(mutex_);
    std::vector<const api::VariableSymbol*> all;
    for (const auto& [shadow, variable] : variables_) all.push_back(&variable.symbol);
    return all;
}

void RegisteredCode::read(unsigned arch) {
    for (; read_ < modules_.size(); ++read_) {
        Module& module = modules_[read_];
        if (module.container.empty()) continue;
        auto entries = read_fat_binary(module.container);
        if (!entries) {
            module.failure = std::move(entries.error());
            continue;
        }
        auto ptx = best_ptx(*entries, arch);
        if (ptx)
            module.ptx = std::move(*ptx);
        else
            module.failure = std::move(ptx.error());
    }
}

const Diagnostic* RegisteredCode::failure_of(Binary binary) const {
    for (const Module& module : modules_)
        if (module.binary == binary && module.failure) return &*module.failure;
    return nullptr;
}

void RegisteredCode::link() {
    auto unit = std::make_shared<nvrtc::Artifact>();
    unit->id = next_id();
    const std::vector<std::string_view> modules = texts();
    std::vector<Binary> binaries;
    for (const Module& module : modules_)
        if (!module.ptx.empty()) binaries.push_back(module.binary);
    nvrtc::LinkedPtx linked;
    if (modules.size() == 1) {
        linked.text = modules.front();
        linked.renamed.resize(1);
    } else if (!modules.empty()) {
        linked = nvrtc::link_ptx(modules);
    } else {
        linked.text = empty_ptx;
    }
    unit->code = std::move(linked.text);

    const auto linked_name = [&](Binary binary, const std::string& mangled) {
        for (std::size_t i = 0; i < binaries.size(); ++i) {
            if (binaries[i] != binary) continue;
            const auto found = linked.renamed[i].find(mangled);
            if (found != linked.renamed[i].end()) return found->second;
        }
        return mangled;
    };
    for (auto& [stub, kernel] : kernels_) {
        kernel.symbol.name = linked_name(kernel.binary, kernel.mangled);
        const Diagnostic* failure = failure_of(kernel.binary);
        kernel.symbol.failure = failure ? std::optional(*failure) : std::nullopt;
    }
    for (auto& [shadow, variable] : variables_) variable.symbol.name = linked_name(variable.binary, variable.mangled);
    unit_ = std::move(unit);
}

Result<std::shared_ptr<const nvrtc::Artifact>> RegisteredCode::unit(const api::Target& target) {
    if (target.real) return error("no-machine-code", "the program's machine code is not for this device");
    const std::lock_guard lock(mutex_);
    read(target.arch);
    if (!unit_) link();
    return unit_;
}

std::vector<std::string_view> RegisteredCode::texts() const {
    std::vector<std::string_view> all;
    for (const Module& module : modules_)
        if (!module.ptx.empty()) all.push_back(module.ptx);
    return all;
}

Result<std::shared_ptr<const nvrtc::Artifact>> RegisteredCode::debug_unit(const api::Target& target) {
    const auto plain = unit(target);
    if (!plain) return plain;
    const std::lock_guard lock(mutex_);
    if (debug_unit_ && debug_unit_of_ == (*plain)->id) return debug_unit_;
    const std::vector<std::string_view> modules = texts();
    if (std::ranges::none_of(modules, names_lines))
        return error("no-debug-code", "the debugger finds no lines of source in this program's kernels",
                     "build it with nvcc -G -g, for variables too, or with nvcc -lineinfo, for lines alone");
    debug_parts_.clear();
    debug_unit_ = *plain;
    debug_unit_of_ = (*plain)->id;
    if (modules.size() < 2) return debug_unit_;
    nvrtc::LinkedDebugPtx linked = nvrtc::link_debug_ptx(modules);
    debug_parts_ = std::move(linked.parts);
    nvrtc::Artifact made;
    made.id = next_id();
    made.code = std::move(linked.text);
    debug_unit_ = std::make_shared<const nvrtc::Artifact>(std::move(made));
    return debug_unit_;
}

std::vector<nvrtc::DebugPart> RegisteredCode::debug_parts() const {
    const std::lock_guard lock(mutex_);
    return debug_parts_;
}

bool RegisteredCode::tell(const Diagnostic& failure) {
    const std::lock_guard lock(mutex_);
    return told_.insert(failure.code + failure.message).second;
}

}  // namespace cudash::cudart
