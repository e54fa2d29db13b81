// What the debug information of a unit says: functions, variables and types, as plain data. Addresses of code are lines
// of the unit's PTX (runtime_wrappers/virtual_gpu/ptx/debug_sections.h).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cudash::session::debug {

using TypeId = std::uint32_t;
inline constexpr TypeId no_type = 0;  ///< void, or not known

struct DebugType {
    enum class Kind : std::uint8_t {
        none,
        boolean,
        signed_integer,
        unsigned_integer,
        character,
        floating,
        pointer,
        reference,
        array,
        record,
        enumeration
    };
    struct Member {
        std::string name;  ///< empty: a base class, or an unnamed member
        TypeId type = no_type;
        std::uint64_t offset = 0;  ///< bytes
    };
    Kind kind = Kind::none;
    std::string name;         ///< as the source has it; of a pointer and an array it is made of its target's
    std::uint64_t bytes = 0;  ///< 0: not known
    TypeId target = no_type;  ///< of a pointer, a reference, an array
    std::uint64_t count = 0;  ///< of an array; 0: not known
    std::vector<Member> members;
    std::vector<std::pair<std::string, std::int64_t>> enumerators;
};

/// Where a variable is while a thread is on certain lines of PTX.
struct VariablePlace {
    /// The state spaces, as NVIDIA's debug information numbers them.
    enum class Class : std::uint8_t {
        reg = 2,
        constant = 4,
        global = 5,
        local = 6,
        param = 7,
        shared = 8,
        generic = 12
    };
    std::uint64_t begin = 0, end = ~std::uint64_t{0};
    Class address_class = Class::generic;
    std::string symbol;  ///< of PTX: a register, or a variable
    std::uint64_t offset = 0;
};

struct DebugVariable {
    std::string name;
    TypeId type = no_type;
    bool is_parameter = false;
    unsigned line = 0;
    std::vector<VariablePlace> places;
};

/// A block of a function, or a function that was inlined.
struct DebugScope {
    std::uint64_t begin = 0, end = 0;
    std::string inlined;                    ///< the function's name
    unsigned call_file = 0, call_line = 0;  ///< of what was inlined: where it is called; file 0: that of the caller
    std::vector<DebugVariable> variables;
    std::vector<DebugScope> inner;
};

struct DebugFunction {
    std::string name, symbol;  ///< "twice" and "_Z5twicei"
    unsigned file = 0, line = 0;
    DebugScope scope;
};

/// The blocks of the function that hold this line of PTX, innermost first; the last one is the function's own.
std::vector<const DebugScope*> scopes_at(const DebugFunction& function, std::uint64_t ptx_line);

struct DebugInfo {
    std::vector<DebugType> types{1};
    std::vector<DebugFunction> functions;
    std::vector<DebugVariable> globals;

    using Renames = std::map<std::string, std::string, std::less<>>;
    /// Adds that of another module, whose symbols a linker renamed.
    void append(DebugInfo other, const Renames& renamed);
    const DebugFunction* function(std::string_view symbol) const {
        for (const DebugFunction& each : functions)
            if (each.symbol == symbol) return &each;
        return nullptr;
    }
};

}  // namespace cudash::session::debug
