#include "runtime_wrappers/virtual_gpu/isa/decode/scope.h"

#include <algorithm>
#include <charconv>

namespace cudash::virtual_gpu {

namespace {

/// Of one function: no compiler comes near it, and a mistyped count must not take all memory.
constexpr std::uint32_t most_registers = 1 << 20;

}  // namespace

unsigned lane_bytes(ptx::Type type) {
    if (type == ptx::Type::pred) return 0;
    unsigned bytes = type_bytes(type);
    return bytes <= 4 ? 4 : bytes;
}

std::uint32_t ScopeTree::open(std::uint32_t parent) {
    scopes_.emplace_back().parent = parent;
    return static_cast<std::uint32_t>(scopes_.size()) - 1;
}

std::uint32_t ScopeTree::new_register(std::uint32_t scope, const std::string& name, unsigned bytes) {
    auto number = static_cast<std::uint32_t>(register_bytes_.size());
    scopes_[scope].registers[name] = number;
    register_bytes_.push_back(bytes);
    return number;
}

void ScopeTree::declare_registers(std::uint32_t scope, const ptx::Variable& variable) {
    if (variable.count == 0) {
        new_register(scope, variable.name, lane_bytes(variable.type));
        return;
    }
    auto first = static_cast<std::uint32_t>(register_bytes_.size());
    // Those beyond the limit count as not declared.
    const std::uint32_t count =
        std::min<std::uint32_t>(variable.count, most_registers - std::min(first, most_registers));
    scopes_[scope].families.push_back({variable.name, count, first});
    register_bytes_.resize(first + count, lane_bytes(variable.type));
}

void ScopeTree::declare(std::uint32_t scope, const std::string& name, const NamedPlace& place) {
    scopes_[scope].places[name] = place;
}

void ScopeTree::declare_label(std::uint32_t scope, const std::string& name, std::uint32_t item) {
    scopes_[scope].labels[name] = item;
}

void ScopeTree::declare_targets(std::uint32_t scope, const std::string& name, const std::vector<std::string>& targets) {
    scopes_[scope].targets[name] = targets;
}

RegisterId ScopeTree::find_register(std::uint32_t scope, std::string_view name) const {
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
    std::uint32_t number = no_index;
    std::from_chars(name.data() + digits, name.data() + name.size(), number);
    std::string_view prefix = name.substr(0, digits);
    const std::string whole(name);
    for (; scope != no_index; scope = scopes_[scope].parent) {
        const Scope& s = scopes_[scope];
        if (auto found = s.registers.find(whole); found != s.registers.end())
            return {found->second, register_bytes_[found->second]};
        for (const Family& family : s.families)
            if (family.prefix == prefix && number < family.count)
                return {family.first + number, register_bytes_[family.first + number]};
    }
    return {};
}

std::vector<ScopeTree::NamedRegister> ScopeTree::function_registers() const {
    const Scope& scope = scopes_.front();
    std::vector<NamedRegister> all;
    for (const auto& [name, number] : scope.registers) all.push_back({name, number});
    for (const Family& family : scope.families)
        for (std::uint32_t i = 0; i < family.count; ++i)
            all.push_back({family.prefix + std::to_string(i), family.first + i});
    return all;
}

std::optional<NamedPlace> ScopeTree::find_place(std::uint32_t scope, const std::string& name) const {
    for (; scope != no_index; scope = scopes_[scope].parent)
        if (auto found = scopes_[scope].places.find(name); found != scopes_[scope].places.end()) return found->second;
    return std::nullopt;
}

std::optional<std::uint32_t> ScopeTree::find_label(std::uint32_t scope, const std::string& name) const {
    for (; scope != no_index; scope = scopes_[scope].parent)
        if (auto found = scopes_[scope].labels.find(name); found != scopes_[scope].labels.end()) return found->second;
    return std::nullopt;
}

const std::vector<std::string>* ScopeTree::find_targets(std::uint32_t scope, const std::string& name) const {
    for (; scope != no_index; scope = scopes_[scope].parent)
        if (auto found = scopes_[scope].targets.find(name); found != scopes_[scope].targets.end())
            return &found->second;
    return nullptr;
}

}  // namespace cudash::virtual_gpu
