// A function as the passes of decoding read it: its names and instructions in a row, and how control and registers
// connect them. make_flow_graph() makes it. After that it does not change.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "runtime_wrappers/virtual_gpu/isa/decode.h"
#include "runtime_wrappers/virtual_gpu/isa/decode/control_flow.h"
#include "runtime_wrappers/virtual_gpu/isa/decode/register_allocation.h"
#include "runtime_wrappers/virtual_gpu/isa/decode/scope.h"
#include "runtime_wrappers/virtual_gpu/isa/stop_checks.h"

namespace cudash::virtual_gpu {

/// A written instruction, or a helper of ours, before it has a place in the code.
struct FlowItem {
    enum class Kind : std::uint8_t { plain, unguarded, skip, helper, pause, end };
    enum class Flow : std::uint8_t { none, branch, jump, leave };
    const ptx::Instruction* written;
    std::uint32_t scope;
    const InstructionRow* row;  ///< null where the instruction is refused
    ParsedModifiers modifiers;
    Kind kind;
    std::vector<std::uint32_t> targets;  ///< items
    Flow flow = Flow::none;
    bool leaves = false;

    bool is(Class instruction_class) const { return row && row->instruction_class == instruction_class; }
    bool is(Control control) const { return row && row->behavior.control == control; }
    bool is(Effect effect) const { return row && row->behavior.effect == effect; }
    /// Its first space, or none.
    ptx::Space space() const { return modifiers.spaces.empty() ? ptx::Space::none : modifiers.spaces.front(); }
};

/// What a function keeps in its frame, as it is declared.
struct FrameLayout {
    std::vector<ValuePlace> parameters, results;  ///< those in registers by number
    std::vector<std::uint32_t> registers;         ///< that pass values
    std::uint64_t local_bytes = 0;
    std::uint64_t depot_bytes = 0;  ///< of .local variables
};

struct FlowGraph {
    const ptx::Function* function = nullptr;
    Surroundings* outside = nullptr;
    bool unstopped = false;  ///< debug code without stops (decode_unstopped)
    FrameLayout frame;
    ScopeTree scopes;
    std::deque<ptx::Instruction> made;  ///< instructions that nobody wrote
    std::vector<FlowItem> items;
    std::vector<FlowBlock> blocks;
    std::vector<std::uint32_t> block_of;         ///< by item
    std::vector<std::uint32_t> post_dominators;  ///< by block
    std::vector<bool> joins;                     ///< by block: lanes that parted meet at its beginning
    std::vector<RegisterUse> uses;               ///< by item
    std::vector<bool> checked;                   ///< by register: a check may read it; empty: there are none

    std::size_t registers() const { return scopes.register_bytes().size(); }
    RegisterId register_of(const FlowItem& item, const ptx::Operand& operand) const {
        return scopes.find_register(item.scope, operand.name);
    }
    /// A name's place inside the function, or outside.
    std::optional<NamedPlace> place_of(const FlowItem& item, const std::string& name) const;
    bool is_checked(std::uint32_t r) const { return !checked.empty() && checked[r]; }
    /// By register: how many instructions read it, and how many write it.
    std::vector<std::uint32_t> count_reads() const;
    std::vector<std::uint32_t> count_definitions() const;
    /// By item: whether threads can get there from behind `start` without a barrier on the way.
    std::vector<bool> reached_without_barrier(std::uint32_t start) const;
    /// Whether control can come back to the item.
    bool is_in_loop(std::uint32_t item) const;
};

/// What can't be declared goes to the program's list of what is not supported.
FlowGraph make_flow_graph(const ptx::Function& function, Surroundings& surroundings, bool unstopped);

/// The steps of that. flatten() fills names, frame and items.
void flatten(FlowGraph& graph);
void find_flow(FlowGraph& graph);
void note_register_uses(FlowGraph& graph);

/// What a check reads is what debug code has there.
std::vector<bool> find_checked_registers(const FlowGraph& graph, const StopChecks& checks);

/// The program can't be launched, for what stands at `location`.
void refuse_program(Program& program, const ptx::Location& location, std::string message, std::string code);

}  // namespace cudash::virtual_gpu
