// A module in memory: its variables placed and filled, its kernels decoded when they are first asked for.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime_wrappers/diagnostic.h"
#include "runtime_wrappers/result.h"
#include "runtime_wrappers/virtual_gpu/devices/profile.h"
#include "runtime_wrappers/virtual_gpu/memory/address_space.h"
#include "runtime_wrappers/virtual_gpu/ptx/ast.h"

namespace cudash::virtual_gpu {

struct Program;

/// What the API layer needs to know of a kernel before it launches it (cudaFuncGetAttributes, parameter packing).
struct KernelInfo {
    struct Parameter {
        std::uint32_t offset = 0, size = 0, alignment = 1;
    };
    std::string name;
    std::vector<Parameter> parameters;
    std::uint32_t parameter_bytes = 0;
    std::uint32_t static_shared = 0;     ///< bytes
    std::uint32_t local_per_thread = 0;  ///< bytes of the deepest known frame
    std::uint32_t constant_bytes = 0;    ///< of the module
    std::uint32_t max_threads = 0;       ///< from .maxntid/.reqntid; 0: none given
    bool uses_dynamic_shared = false;
    bool uses_grid_sync = false;
    bool uses_heap = false;  ///< calls malloc or free
    /// Looks at global memory again and again, as for a flag that somebody else sets: with an atomic or a load, and
    /// with a volatile or ordered load.
    bool polls = false, watches = false;
    Dim3 cluster{0, 0, 0};  ///< from .reqnctapercluster (__cluster_dims__); 0: none given
};

/// A module variable and where it was placed.
struct VariableInfo {
    std::string name;
    Address address = 0;
    std::uint64_t size = 0;
    bool constant = false, managed = false;
};

/// Keeps variables' contents and addresses when one module replaces another: asked for each variable of a new module,
/// returns the address that an older module's variable of that name and size already has, or nullopt for a fresh one.
using VariablePlacement =
    std::function<std::optional<Address>(std::string_view name, std::uint64_t size, bool constant)>;

/// A parsed, decoded and linked PTX module. Variables live in the AddressSpace until the module is destroyed.
class LoadedModule {
public:
    /// `debug`: its code is as written, with stops (Code::debug).
    LoadedModule(ptx::Module tree, AddressSpace& memory, const Profile& profile, bool debug = false);
    ~LoadedModule();
    LoadedModule(const LoadedModule&) = delete;
    LoadedModule& operator=(const LoadedModule&) = delete;

    /// Places and fills the variables; the diagnostic says what failed.
    std::optional<Diagnostic> place_variables(const VariablePlacement& placement);

    const KernelInfo* kernel(std::string_view name) const;
    const VariableInfo* variable(std::string_view name) const;
    std::vector<std::string_view> kernels() const;
    std::vector<const VariableInfo*> variables() const;

    /// The decoded kernel; nullptr if the module has none of that name.
    const Program* program(std::string_view name) const;
    const std::vector<std::string>& files() const { return tree_.files; }

    // For linking.
    const ptx::Module& tree() const { return tree_; }
    const ptx::Function* function(std::string_view name) const;
    std::uint32_t function_index(std::string_view name) const;
    const ptx::Variable* shared_variable(std::string_view name) const;
    std::uint32_t shared_base() const { return shared_base_; }
    bool debug() const { return debug_; }

private:
    struct Kernel;
    /// Writes an initializer's values; `dimension` is the one that a list's elements run over.
    bool write(const ptx::Variable& variable, const ptx::Initializer& initializer, std::size_t dimension,
               std::byte* memory, std::uint64_t bytes) const;
    const Kernel* find_kernel(std::string_view name) const;

    ptx::Module tree_;
    AddressSpace& memory_;
    std::uint32_t shared_base_;  ///< Program::shared_base
    bool debug_;
    std::vector<std::unique_ptr<VariableInfo>> variables_;
    std::unordered_map<std::string_view, const VariableInfo*> variable_by_name_;
    std::vector<bool> fresh_;  ///< by variable: not taken over from an older module
    std::vector<Address> owned_;
    std::unordered_map<std::string_view, std::uint32_t> function_by_name_;
    mutable std::mutex mutex_;
    mutable std::unordered_map<std::string_view, std::unique_ptr<Kernel>> kernels_;
};

/// Parses and decodes `ptx`. On error the diagnostic names the PTX line and, through .loc, the source line.
Result<std::shared_ptr<LoadedModule>> load_module(std::string_view ptx, AddressSpace& memory, const Profile& profile,
                                                  const VariablePlacement& placement = {}, bool debug = false);

}  // namespace cudash::virtual_gpu
