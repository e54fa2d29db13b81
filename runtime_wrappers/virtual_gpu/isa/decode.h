// Decoding: from a function's syntax tree to instructions that the executor runs.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/instruction.h"
#include "runtime_wrappers/virtual_gpu/isa/instruction_table.h"
#include "runtime_wrappers/virtual_gpu/isa/lane_operation.h"
#include "runtime_wrappers/virtual_gpu/isa/modifiers.h"
#include "runtime_wrappers/virtual_gpu/isa/stop_checks.h"

namespace cudash::virtual_gpu {

/// What a name that is not a register stands for.
struct NamedPlace {
    ptx::Space space = ptx::Space::none;
    std::uint64_t address = 0;  ///< in its space; for functions in the generic space
    std::uint64_t size = 0;
    bool in_frame = false;  ///< add the frame's place in local memory
    bool kernel_parameter = false;
};

/// What lies outside a function: module variables, functions, shared memory as laid out for the kernel.
class Surroundings {
public:
    virtual ~Surroundings() = default;
    virtual std::optional<NamedPlace> find(std::string_view name) = 0;
    /// Index into Program::functions of a function that is called by name, or no_index. The names of the runtime's own
    /// functions (vprintf, malloc, ...) give no_index.
    virtual std::uint32_t callee(std::string_view name) = 0;
    /// Lays out a shared variable declared inside a function.
    virtual NamedPlace place_shared(const ptx::Variable& variable) = 0;
    virtual std::uint32_t new_access_site() = 0;
    virtual Program& program() = 0;
};

/// Bytes of a variable with all its dimensions.
std::uint64_t variable_bytes(const ptx::Variable& variable);
std::uint64_t variable_alignment(const ptx::Variable& variable);

/// Decodes `function`. What is not supported goes to the program's list, and an instruction that stops stands for it.
std::unique_ptr<Code> decode(const ptx::Function& function, Surroundings& surroundings);
/// Debug code without stops, in all of the interpreter's forms. Its registers lie where debug code has them, and a
/// check (run_check) stands in place of each stop that `checks` names, by the stop's number.
std::unique_ptr<Code> decode_unstopped(const ptx::Function& function, Surroundings& surroundings,
                                       const StopChecks& checks);

struct RegisterId {
    std::uint32_t number = no_index;
    unsigned bytes = 0;  ///< of a lane: 0 for predicates, 4, 8 or 16
};

class Emission;

/// One instruction while its handler is chosen: the selectors of instructions.def read `written` through this and fill
/// `out`.
class Site {
public:
    Site(Emission& emission, const ptx::Instruction& written, const ParsedModifiers& modifiers, std::uint32_t scope)
        : written(written), modifiers(modifiers), emission_(emission), scope_(scope) {}

    const ptx::Instruction& written;
    const ParsedModifiers& modifiers;
    Instruction out;

    bool has(Mod mod) const { return modifiers.set.has(mod); }
    ptx::Type type(std::size_t i = 0) const {
        return i < modifiers.types.size() ? modifiers.types[i] : ptx::Type::none;
    }
    ptx::Space space(std::size_t i = 0) const {
        return i < modifiers.spaces.size() ? modifiers.spaces[i] : ptx::Space::none;
    }
    std::size_t operands() const { return written.operands.size(); }
    /// An instruction that lacks it is refused.
    const ptx::Operand& operand(std::size_t i);

    /// Of an access that no operand names.
    std::uint32_t new_access_site();
    /// Sets the handler; a null one refuses the form.
    void run(Chosen chosen);
    const Chosen& chosen() const { return chosen_; }
    void refuse(std::string why = {});
    bool refused() const { return refused_; }
    /// Whether a vector operand has as many elements as .v2, .v4 or .v8 says; false after refusing the form.
    bool fits_vector(std::size_t elements);

    /// Offset of the register that is written. A sink gives a scratch register. `bytes`: what the handler stores per
    /// lane; a register of another class refuses the form.
    std::uint32_t destination(const ptx::Operand& operand, unsigned bytes);
    /// Offset of a register, or of constant lanes for an immediate, a variable's address or a special constant.
    std::uint32_t source(const ptx::Operand& operand, ptx::Type type);
    std::uint32_t predicate(const ptx::Operand& operand);
    std::uint32_t predicate_destination(const ptx::Operand& operand);
    std::uint32_t predicate_destination_or_scratch(const ptx::Operand* operand);
    /// A constant in lanes of 4 or 8 bytes.
    std::uint32_t constant(std::uint64_t bits, unsigned bytes);
    /// Bytes per lane of the operand's register: 4, 8, 16; 0 for what is not a register.
    unsigned register_bytes(const ptx::Operand& operand) const;
    bool is_predicate(const ptx::Operand& operand) const;
    /// Whether any instruction of the function reads the register (or one of the vector).
    bool is_read(const ptx::Operand& operand) const;

    /// A memory operand: sets out.a, out.immediate and out.cache. `wide`: the register holds 64 bits.
    struct MemoryOperand {
        ptx::Space space = ptx::Space::none;
        bool wide = true;
        bool in_frame = false;          ///< a fixed place in the frame's local memory
        bool kernel_parameter = false;  ///< a fixed place in the kernel's parameters
        std::int64_t offset = 0;        ///< of a fixed place: from the variable's begin
        std::uint64_t size = 0;         ///< of a fixed place: the variable's bytes
        /// An access of `bytes` bytes stays inside the variable; places that are not fixed are checked as they run.
        bool holds(std::uint64_t bytes) const {
            if (!in_frame && !kernel_parameter) return true;
            return offset >= 0 && bytes <= size && static_cast<std::uint64_t>(offset) <= size - bytes;
        }
    };
    MemoryOperand memory(const ptx::Operand& operand, ptx::Space space);
    /// A texture or surface operand, [a, c] or [a]: sets out.a to the handle's register and out.cache.
    void image(const ptx::Operand& operand);

    /// Appends to Code::operands and returns the index of the first.
    std::uint32_t list(const std::vector<std::uint32_t>& offsets);
    std::optional<NamedPlace> place(const std::string& name) const;
    std::optional<std::uint32_t> label(const std::string& name) const;
    std::vector<std::string> branch_targets(const std::string& name) const;
    std::uint32_t callee(const std::string& name) const;
    Code& code() const;
    Program& program() const;
    bool in_kernel() const;
    /// Marks the kernel: results may depend on the order of blocks.
    void order_matters() const { program().ordered = true; }

private:
    Emission& emission_;
    std::uint32_t scope_;
    Chosen chosen_;
    bool refused_ = false;
};

/// The handler that reads the special register into lanes of `bytes`, or nullptr: no such register.
Handler select_special_register(std::string_view name, unsigned bytes, Site& site);
bool is_special_register(std::string_view name);
/// Between the warps of a block, at the same instruction: their numbers, and the clocks that count what each ran.
bool differs_between_warps(std::string_view name);
/// The handler of mov.v4 from %tid, %ntid, %ctaid or another special register of four parts; nullptr: it has none.
Handler select_special_vector(std::string_view name, Site& site);

}  // namespace cudash::virtual_gpu
