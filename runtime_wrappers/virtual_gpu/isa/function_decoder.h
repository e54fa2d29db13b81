// The state of decoding one function; decode.cpp says what its passes are.
#pragma once

#include "runtime_wrappers/virtual_gpu/isa/affine_registers.h"
#include "runtime_wrappers/virtual_gpu/isa/block_order.h"
#include "runtime_wrappers/virtual_gpu/isa/decode.h"
#include "runtime_wrappers/virtual_gpu/isa/register_allocation.h"
#include "runtime_wrappers/virtual_gpu/isa/scope.h"
#include "runtime_wrappers/virtual_gpu/isa/stop_checks.h"

namespace cudash::virtual_gpu {

class FunctionDecoder {
public:
    /// `checks`: of debug code without stops, where it has checks (decode_unstopped).
    FunctionDecoder(const ptx::Function& function, Surroundings& surroundings, const StopChecks* checks = nullptr);
    std::unique_ptr<Code> run();

private:
    friend class Site;
    class Trimming;

    /// A written instruction, or a helper of ours, before it has a place in the code.
    struct Item {
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
        bool dropped = false;  ///< counted and not executed
        ChooseAffine affine = nullptr;

        bool is(Class klass) const { return row && row->klass == klass; }
        bool is(Control control) const { return row && row->behavior.control == control; }
        bool is(Effect effect) const { return row && row->behavior.effect == effect; }
    };
    /// An instruction in its plain form.
    struct Plain {
        Instruction instruction;
        Chosen chosen;
    };

    void declare_parameters();
    void declare_variable(std::uint32_t scope, const ptx::Variable& variable);
    NamedPlace place_in_frame(const ptx::Variable& variable);
    /// The program can't be launched, for what is declared at `location`. Only the first such declaration is told.
    void refuse(const ptx::Location& location, std::string message, std::string code = "too-large");
    void flatten();
    void append(const ptx::Instruction& written, std::uint32_t scope);
    void append_pause(const ptx::Instruction& before, std::uint32_t scope);
    const ptx::Instruction& read_specials_first(const ptx::Instruction& written, std::uint32_t scope);
    void find_flow();
    bool jumps_to_next(std::uint32_t item) const;
    void note_register_uses();
    void find_block_order();
    void find_affine_registers();
    void place_affine_registers();
    void find_steady_registers();
    /// The item defines a steady register.
    bool is_steady(std::uint32_t item) const;
    void emit();
    Plain choose(const Item& item);
    FrameUse frame_use(std::uint32_t item);
    /// Changes `instruction`, the item's plain form, to its affine form if it has one.
    void make_affine(std::uint32_t item, Instruction& instruction);
    /// The register that the item defines, if it could be affine.
    std::uint32_t affine_target(const Item& item) const;
    /// Adds the affine form of the code; `item_of`: by plain instruction. The result: where the affine form of each is,
    /// or of the first after it that is not steady.
    std::vector<std::uint32_t> emit_affine(const std::vector<std::uint32_t>& item_of);
    /// Adds the form for all warps of a block in lockstep, if there is one; the result: where it is, by plain
    /// instruction.
    std::vector<std::uint32_t> emit_lockstep(const std::vector<std::uint32_t>& item_of,
                                             const std::vector<std::uint32_t>& places);
    /// Whether the order of warps shows in shared memory where they are not in lockstep.
    bool find_warp_order();
    /// Whether two places that lie in different memory are meant.
    bool lie_apart(std::uint32_t item, std::uint32_t other) const;
    /// The same of global memory, where somebody compares with warps that run one by one.
    bool find_warp_order_of_global();
    /// A thread comes to the same place by both, whenever it does, and each thread may have one of its own.
    bool may_be_own_place(std::uint32_t item, std::uint32_t other, const std::vector<std::uint32_t>& definitions);
    bool is_same_in_all_rounds(std::uint32_t r, const std::vector<std::uint32_t>& definitions, unsigned depth) const;
    /// Whether control can come back to the item.
    bool is_in_loop(std::uint32_t item) const;
    void find_polls();
    /// Fills turn_before_ and turn_after_.
    void find_turns();
    /// Debug code without stops: drops what nobody needs.
    void trim();
    void find_checked_registers();
    bool is_checked(std::uint32_t r) const { return !checked_.empty() && checked_[r]; }
    /// The item that is executed after it in the text.
    std::uint32_t next_kept(std::uint32_t item) const;
    bool is_last_kept(std::uint32_t item) const { return next_kept(item) > blocks_[block_of_[item]].last; }
    void push_turn(const Item& item, Turn turn);
    /// Debug code: each register gets a place of its own, and its name is kept.
    void keep_registers();
    void keep_places();
    void push_stop(const Item& item);
    bool may_be_shared(const Item& item) const;
    std::vector<bool> reached_without_barrier(std::uint32_t start) const;
    bool has_lockstep_form(const Item& item) const;
    /// Sequences of instructions that only compute, from `begin` on, are run warp by warp: adds them as plain ones.
    void emit_sequences(const std::vector<std::uint32_t>& item_of, std::uint32_t begin);
    void fuse_branches(const std::vector<std::uint32_t>& item_of, const std::vector<std::uint32_t>& places,
                       std::uint32_t moved);
    /// By register: how many instructions read it, and how many write it.
    std::vector<std::uint32_t> count_reads() const;
    std::vector<std::uint32_t> count_definitions() const;
    bool is_simple_if(std::uint32_t branch) const;
    void fuse_affine(const std::vector<std::uint32_t>& item_of, const std::vector<std::uint32_t>& places);
    AffineQuery affine_query(const Item& item) const;
    AffineChoice affine_choice(const Item& item) const;
    Shape affine_shape(const Item& item, const ptx::Operand& operand) const;
    std::uint32_t affine_place(const Item& item, const ptx::Operand& operand);
    std::uint32_t affine_constant(std::uint64_t value);
    /// A constant operand: a number, or a variable's address.
    std::optional<std::uint64_t> constant_value(const Item& item, const ptx::Operand& operand) const;
    void push(const Item& item, Plain plain, bool real);
    /// Changes an affine or plain instruction to what all warps do; false if there is no such form.
    bool make_lockstep(Instruction& instruction, Handler together, const AffineForms& affine, bool is_access) const;
    static ptx::Operand guard_operand(const ptx::Instruction& written);

    const ptx::Function& function_;
    Surroundings& surroundings_;
    const StopChecks* checks_;
    std::vector<bool> checked_;     ///< by register: a check may read it; or it is not the function's own
    std::vector<bool> own_places_;  ///< by item: its order among those of other warps was taken for no matter
    std::unique_ptr<Code> code_;
    std::vector<Handler> together_;  ///< by plain instruction: its form for all warps of a block
    ScopeTree scopes_;
    std::deque<ptx::Instruction> made_;  ///< instructions that nobody wrote
    std::vector<Item> items_;
    std::vector<FlowBlock> blocks_;
    std::vector<std::uint32_t> block_of_, post_dominators_;
    std::vector<bool> joins_;
    std::vector<RegisterUse> uses_;
    std::vector<bool> read_;  ///< by register: somebody reads it
    std::vector<std::uint32_t> always_live_;
    RegisterPlaces places_;
    AffineRegisters affine_;
    std::vector<std::uint32_t> affine_places_;  ///< by register
    std::map<std::uint64_t, std::uint32_t> affine_constants_;
    std::vector<OrderedAccess> accesses_;
    std::vector<Turn> turn_before_, turn_after_;       ///< by item
    std::size_t pause_at_ = 0;                         ///< items after which a pause is due
    std::uint64_t local_bytes_ = 0, depot_bytes_ = 0;  ///< of the frame; of its .local variables
    bool refused_ = false;
    std::uint32_t ordinal_ = 0;
    std::uint32_t dropped_from_ = no_index;  ///< ordinal of the first that was dropped before what comes next
    bool is_empty_so_far_ = true;            ///< the block that is emitted
    std::map<std::pair<std::uint64_t, unsigned>, std::uint32_t> constants_;
};

/// Debug code without stops, in all of the interpreter's forms. Its registers lie where debug code has them, and a
/// check (run_check) stands in place of each stop that `checks` names, by the stop's number.
std::unique_ptr<Code> decode_unstopped(const ptx::Function& function, Surroundings& surroundings,
                                       const StopChecks& checks);

}  // namespace cudash::virtual_gpu
