// Names inside one function: registers, local variables, labels, each in the { } block that declares it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/decode.h"

namespace cudash::virtual_gpu {

class ScopeTree {
public:
    ScopeTree() { scopes_.emplace_back(); }

    std::uint32_t open(std::uint32_t parent);
    std::uint32_t parent(std::uint32_t scope) const { return scopes_[scope].parent; }

    void declare_registers(std::uint32_t scope, const ptx::Variable& variable);
    std::uint32_t new_register(std::uint32_t scope, const std::string& name, unsigned bytes);
    void declare(std::uint32_t scope, const std::string& name, const NamedPlace& place);
    void declare_label(std::uint32_t scope, const std::string& name, std::uint32_t item);
    void declare_targets(std::uint32_t scope, const std::string& name, const std::vector<std::string>& targets);

    RegisterId find_register(std::uint32_t scope, std::string_view name) const;
    std::optional<NamedPlace> find_place(std::uint32_t scope, const std::string& name) const;
    std::optional<std::uint32_t> find_label(std::uint32_t scope, const std::string& name) const;
    const std::vector<std::string>* find_targets(std::uint32_t scope, const std::string& name) const;

    /// The registers and places of the function's own scope, which a debugger may ask for by name.
    struct NamedRegister {
        std::string name;
        std::uint32_t number;
    };
    std::vector<NamedRegister> function_registers() const;
    const std::unordered_map<std::string, NamedPlace>& function_places() const { return scopes_.front().places; }

    /// Bytes per lane, by register number.
    const std::vector<unsigned>& register_bytes() const { return register_bytes_; }

private:
    struct Family {  ///< .reg .b32 %r<N>
        std::string prefix;
        std::uint32_t count, first;
    };
    struct Scope {
        std::uint32_t parent = no_index;
        std::vector<Family> families;
        std::unordered_map<std::string, std::uint32_t> registers, labels;
        std::unordered_map<std::string, NamedPlace> places;
        std::unordered_map<std::string, std::vector<std::string>> targets;
    };
    std::vector<Scope> scopes_;
    std::vector<unsigned> register_bytes_;
};

/// Bytes per lane of a register of this type: 0 for predicates, 4, 8 or 16.
unsigned lane_bytes(ptx::Type type);

}  // namespace cudash::virtual_gpu
