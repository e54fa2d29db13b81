// The syntax tree of a PTX module (PTX ISA 9.0, chapters 4 "Syntax", 5 "State Spaces, Types, and Variables" and
// 11 "Directives"). It says what was written and where, and knows nothing of what an instruction means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cudash::ptx {

/// Where a statement came from: the PTX line, and the source line that the last .loc before it named.
struct Location {
    unsigned ptx_line = 0;
    unsigned file = 0;  ///< index as .file declares it; 0: no .loc yet
    unsigned line = 0;
    unsigned column = 0;
    /// Innermost first would be the line itself; `inlined_at` is the index into Function::inline_sites, -1: not
    /// inlined.
    int inlined_at = -1;
    friend bool operator==(const Location&, const Location&) = default;
};

enum class Space : std::uint8_t { none, reg, param, local, shared, global, constant };

enum class Type : std::uint8_t {
    none,
    pred,
    b8,
    b16,
    b32,
    b64,
    b128,
    u8,
    u16,
    u32,
    u64,
    s8,
    s16,
    s32,
    s64,
    f16,
    f16x2,
    bf16,
    bf16x2,
    tf32,
    f32,
    f64,
    u16x2,
    s16x2,
    e4m3,
    e5m2,
    e4m3x2,
    e5m2x2,
    s4,
    u4,
    b1,
    texref,
    samplerref,
    surfref
};

struct Operand {
    enum class Kind : std::uint8_t {
        name,            ///< register, variable, label, function or special register ("%tid.x"), as written
        integer,         ///< `integer` (two's complement, 64 bits)
        real,            ///< `bits` of a f64 (0d...), or of a f32 (0f...) when `single` is set
        address,         ///< [name+offset], [name], [integer] with an empty name; elements is {x, y} of [tex, {x, y}]
        vector,          ///< {a, b, ...}
        predicate_pair,  ///< a|b, in elements
        sink             ///< _
    };
    Kind kind = Kind::name;
    std::string name;
    std::string selector;  ///< "b0", "h10": the part of a register that a video instruction uses
    std::int64_t integer = 0;
    std::uint64_t bits = 0;
    bool single = false;
    bool negated = false;  ///< !p or -x written before the operand
    std::int64_t offset = 0;
    std::vector<Operand> elements;
    friend bool operator==(const Operand&, const Operand&) = default;
};

/// `@!p mnemonic.modifier.modifier a, b, c;`. Modifiers keep their order and carry no dot: {"global", "nc", "v4",
/// "f32"}, and a modifier with a "::" stays one ("L2::cache_hint").
struct Instruction {
    std::string guard;  ///< predicate register, empty: unconditional
    bool guard_negated = false;
    std::string mnemonic;
    std::vector<std::string> modifiers;
    std::vector<Operand> operands;
    /// call: return list, callee, argument list and prototype, as written; operands is empty then.
    struct Call {
        std::vector<Operand> results;
        Operand callee;
        std::vector<Operand> arguments;
        std::string prototype;  ///< label of the .callprototype or .calltargets, empty for direct calls
        friend bool operator==(const Call&, const Call&) = default;
    };
    std::optional<Call> call;
    bool contracted = false;  ///< nobody wrote this fma: isa/contraction.h made it; -x is allowed in it
    Location location;
    friend bool operator==(const Instruction&, const Instruction&) = default;
};

struct Initializer {
    /// One scalar, or a symbol address (`name`, `offset`, generic(name)), or a nested list.
    std::optional<Operand> scalar;
    bool generic = false;
    /// 0xFF00(name): the bytes of the address that the mask names, shifted down to bit 0; all ones: the whole address.
    std::uint64_t mask = ~std::uint64_t{0};
    std::vector<Initializer> list;
    friend bool operator==(const Initializer&, const Initializer&) = default;
};

/// .ptr .global .align 4, said of what a kernel parameter points to.
struct Pointee {
    Space space = Space::none;
    unsigned alignment = 0;
    friend bool operator==(const Pointee&, const Pointee&) = default;
};

struct Variable {
    Space space = Space::none;
    Type type = Type::none;
    unsigned vector = 1;     ///< .v2, .v4
    unsigned alignment = 0;  ///< 0: natural
    std::string name;
    unsigned count = 0;  ///< %r<N>: N registers name0 .. name(N-1); 0: a single name
    /// Elements of each dimension; an empty dimension `[]` is 0; no entry: scalar.
    std::vector<std::uint64_t> dimensions;
    std::optional<Initializer> initializer;
    std::optional<Pointee> pointee;
    bool is_extern = false, is_visible = false, is_weak = false, is_common = false, is_managed = false;
    Location location;
    friend bool operator==(const Variable&, const Variable&) = default;
};

struct CallPrototype {
    std::string label;
    std::vector<Variable> results, parameters;
    friend bool operator==(const CallPrototype&, const CallPrototype&) = default;
};

struct Statement {
    enum class Kind : std::uint8_t { instruction, label, variable, prototype, branch_targets, block_begin, block_end };
    Kind kind = Kind::instruction;
    Instruction instruction;
    std::string label;
    Variable variable;
    CallPrototype prototype;
    std::vector<std::string> targets;  ///< .branchtargets, .calltargets
    friend bool operator==(const Statement&, const Statement&) = default;
};

struct InlineSite {
    std::string function;  ///< the inlined function's name, demangled by whoever prints it
    unsigned file = 0, line = 0, column = 0;
    int parent = -1;
    friend bool operator==(const InlineSite&, const InlineSite&) = default;
};

struct Function {
    bool is_entry = false;
    bool is_extern = false, is_visible = false, is_weak = false, is_noreturn = false;
    bool has_body = false;
    std::string name;
    std::vector<Variable> results, parameters;
    std::vector<Statement> body;
    std::vector<InlineSite> inline_sites;
    std::vector<std::uint32_t> maxntid, reqntid;  ///< .maxntid, .reqntid: one to three values
    std::optional<std::uint32_t> minnctapersm, maxnreg;
    std::vector<std::uint32_t> reqnctapercluster;
    std::optional<std::uint32_t> maxclusterrank;
    bool is_explicit_cluster = false;  ///< .explicitcluster
    Location location;
    friend bool operator==(const Function&, const Function&) = default;
};

/// .alias name, target;
struct Alias {
    std::string name, target;
    friend bool operator==(const Alias&, const Alias&) = default;
};

struct Module {
    unsigned version_major = 0, version_minor = 0;
    std::string target;  ///< "sm_75"
    unsigned address_size = 64;
    std::vector<std::string> files;  ///< files[i] is .file i; files[0] is ""
    std::vector<Variable> variables;
    std::vector<Function> functions;
    std::vector<Alias> aliases;
    friend bool operator==(const Module&, const Module&) = default;
};

}  // namespace cudash::ptx
