// The device code of a program that nvcc built, as the program's own constructors register it: kernels by the addresses
// of their host stubs, variables by those of their host shadows, PTX out of the fat binaries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/api/device_code.h"
#include "runtime_wrappers/nvrtc/debug_link.h"

namespace cudash::cudart {

class RegisteredCode final : public api::DeviceCode {
public:
    /// What one call of __cudaRegisterFatBinary brought.
    using Binary = std::uint32_t;

    /// The containers of one registration: with -rdc=true, those of all object files. They must stay where they are.
    Binary add_binary(std::vector<std::span<const std::byte>> containers);
    void add_kernel(Binary binary, const void* stub, std::string_view mangled);
    void add_variable(Binary binary, const void* shadow, api::VariableSymbol variable);
    /// Its host code is about to go (dlclose, or the end of the program).
    void remove_binary(Binary binary);
    bool is_empty() const;
    bool has_kernel(std::string_view mangled) const;

    const api::KernelSymbol* kernel(const void* stub) const override;
    const api::VariableSymbol* variable(const void* shadow) const override;
    std::vector<const api::VariableSymbol*> variables() const override;
    Result<std::shared_ptr<const nvrtc::Artifact>> unit(const api::Target& target) override;
    /// The PTX of a program that nvcc made is what it is: with -G it is debug code, with -lineinfo it has lines.
    Result<std::shared_ptr<const nvrtc::Artifact>> debug_unit(const api::Target& target) override;
    /// Of the last debug unit; empty: its text has all.
    std::vector<nvrtc::DebugPart> debug_parts() const;
    bool tell(const Diagnostic& failure) override;

private:
    /// An object file's part, or a whole file's.
    struct Module {
        Binary binary = 0;
        std::span<const std::byte> container;
        std::string ptx;
        std::optional<Diagnostic> failure;
    };
    /// `name` of its symbol is that in the linked PTX; a file's own is `mangled`.
    struct Kernel {
        Binary binary = 0;
        std::string mangled;
        api::KernelSymbol symbol;
    };
    struct Variable {
        Binary binary = 0;
        std::string mangled;
        api::VariableSymbol symbol;
    };
    void read(unsigned arch);
    void link();
    std::vector<std::string_view> texts() const;
    const Diagnostic* failure_of(Binary binary) const;

    mutable std::mutex mutex_;
    Binary binaries_ = 0;
    std::vector<Module> modules_;
    std::map<const void*, Kernel> kernels_;
    std::map<const void*, Variable> variables_;
    std::size_t read_ = 0;  ///< so many modules have been
    std::shared_ptr<const nvrtc::Artifact> unit_, debug_unit_;
    std::uint64_t debug_unit_of_ = 0;  ///< Artifact::id of the unit
    std::vector<nvrtc::DebugPart> debug_parts_;
    std::set<std::string> told_;
};

}  // namespace cudash::cudart
