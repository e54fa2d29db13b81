// A module in memory: its variables placed and filled, its kernels decoded when they are first asked for.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime_wrappers/virtual_gpu/exec/executor.h"
#include "runtime_wrappers/virtual_gpu/isa/decode.h"

namespace cudash::virtual_gpu {

class Module final : public LoadedModule {
public:
    Module(ptx::Module tree, AddressSpace& memory, const Profile& profile);
    ~Module() override;

    /// Places and fills the variables; the diagnostic says what failed.
    std::optional<Diagnostic> place_variables(const VariablePlacement& placement);

    const KernelInfo* kernel(std::string_view name) const override;
    const VariableInfo* variable(std::string_view name) const override;
    std::vector<std::string_view> kernels() const override;
    std::vector<const VariableInfo*> variables() const override;

    /// The decoded kernel; nullptr if the module has none of that name.
    const Program* program(std::string_view name) const;
    const std::vector<std::string>& files() const { return tree_.files; }

    // For linking.
    const ptx::Module& tree() const { return tree_; }
    const ptx::Function* function(std::string_view name) const;
    std::uint32_t function_index(std::string_view name) const;
    const ptx::Variable* shared_variable(std::string_view name) const;
    std::uint32_t shared_base() const { return shared_base_; }

private:
    struct Kernel {
        const ptx::Function* function = nullptr;
        std::unique_ptr<Program> program;
        KernelInfo info;
    };
    /// Writes an initializer's values; `dimension` is the one that a list's elements run over.
    bool write(const ptx::Variable& variable, const ptx::Initializer& initializer, std::size_t dimension,
               std::byte* memory, std::uint64_t bytes) const;
    const Kernel* find_kernel(std::string_view name) const;

    ptx::Module tree_;
    AddressSpace& memory_;
    std::uint32_t shared_base_;  ///< Program::shared_base
    std::vector<std::unique_ptr<VariableInfo>> variables_;
    std::unordered_map<std::string_view, const VariableInfo*> variable_by_name_;
    std::vector<bool> fresh_;  ///< by variable: not taken over from an older module
    std::vector<Address> owned_;
    std::unordered_map<std::string_view, std::uint32_t> function_by_name_;
    mutable std::mutex mutex_;
    mutable std::unordered_map<std::string_view, Kernel> kernels_;
};

/// Decodes a kernel and all that it may call.
std::unique_ptr<Program> link(const Module& module, const ptx::Function& kernel);

}  // namespace cudash::virtual_gpu
