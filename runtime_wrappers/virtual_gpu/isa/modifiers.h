// The dotted part of an instruction, sorted out once: "ld.volatile.global.v2.f32" has modifiers {volatile, v2}, space
// global and type f32.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "runtime_wrappers/virtual_gpu/ptx/ast.h"

namespace cudash::virtual_gpu {

enum class Mod : std::uint8_t {
#define PTX_MODIFIER(name, text) name,
#include "runtime_wrappers/virtual_gpu/isa/modifiers.def"
#undef PTX_MODIFIER
    count
};

class ModSet {
public:
    ModSet() = default;
    ModSet(std::initializer_list<Mod> mods) {
        for (Mod mod : mods) add(mod);
    }
    void add(Mod mod) { bits_.set(static_cast<std::size_t>(mod)); }
    bool has(Mod mod) const { return bits_.test(static_cast<std::size_t>(mod)); }
    /// What is in neither: the modifiers that a row does not allow.
    ModSet without(const ModSet& other) const {
        ModSet rest;
        rest.bits_ = bits_ & ~other.bits_;
        return rest;
    }
    bool empty() const { return bits_.none(); }
    friend ModSet operator|(ModSet left, const ModSet& right) {
        left.bits_ |= right.bits_;
        return left;
    }

private:
    std::bitset<static_cast<std::size_t>(Mod::count)> bits_;
};

struct ParsedModifiers {
    ModSet set;
    std::vector<ptx::Type> types;           ///< in the order written
    std::vector<ptx::Space> spaces;         ///< in the order written; `const` is constant
    std::vector<Mod> layouts;               ///< .row and .col in the order written
    std::vector<std::string_view> unknown;  ///< neither type, space nor in modifiers.def; eviction hints are dropped
    bool shared_cluster = false;            ///< .shared::cluster was named
    unsigned columns = 0, depth = 0;        ///< of a shape with Mod::m64
};

/// Reads the modifiers as the parser left them.
ParsedModifiers parse_modifiers(const std::vector<std::string>& written);

/// Bytes of one value; 0 for pred and the opaque types. Types of less than a byte (.s4, .u4, .b1) count as one.
unsigned type_bytes(ptx::Type type);
std::string_view type_name(ptx::Type type);
bool is_signed(ptx::Type type);
bool is_float(ptx::Type type);

/// One bit for each ptx::Type: the types column of instructions.def.
using TypeSet = std::uint64_t;
constexpr TypeSet types(std::initializer_list<ptx::Type> list) {
    TypeSet set = 0;
    for (ptx::Type type : list) set |= TypeSet{1} << static_cast<unsigned>(type);
    return set;
}
constexpr bool contains(TypeSet set, ptx::Type type) {
    return set >> static_cast<unsigned>(type) & 1;
}

}  // namespace cudash::virtual_gpu
