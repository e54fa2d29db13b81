// The state of decoding one function; decode.cpp says what its passes are.
#pragma once

#include "runtime_wrappers/virtual_gpu/isa/block_order.h"
#include "runtime_wrappers/virtual_gpu/isa/decode.h"
#include "runtime_wrappers/virtual_gpu/isa/register_allocation.h"
#include "runtime_wrappers/virtual_gpu/isa/scope.h"

namespace cudash::virtual_gpu {

class FunctionDecoder {
public:
    FunctionDecoder(const ptx::Function& function, Surroundings& surroundings);
    std::unique_ptr<Code> run();

private:
    friend class Site;

    /// A written instruction, or a helper of ours, before it has a place in the code.
    struct Item {
        enum class Kind : std::uint8_t { plain, unguarded, skip, helper, end };
        enum class Flow : std::uint8_t { none, branch, jump, leave };
        const ptx::Instruction* written;
        std::uint32_t scope;
        const InstructionRow* row;
        ParsedModifiers modifiers;
        Kind kind;
        std::vector<std::uint32_t> targets;  ///< items
        Flow flow = Flow::none;
        bool leaves = false;
    };

    void declare_parameters();
    void declare_variable(std::uint32_t scope, const ptx::Variable& variable);
    NamedPlace place_in_frame(const ptx::Variable& variable);
    void flatten();
    void append(const ptx::Instruction& written, std::uint32_t scope);
    const ptx::Instruction& read_specials_first(const ptx::Instruction& written, std::uint32_t scope);
    void find_flow();
    void note_register_uses();
    void find_block_order();
    void emit();
    Instruction choose(const Item& item);
    void push(const Item& item, Instruction instruction, bool real);
    static ptx::Operand guard_operand(const ptx::Instruction& written);

    const ptx::Function& function_;
    Surroundings& surroundings_;
    std::unique_ptr<Code> code_;
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
    std::uint64_t local_bytes_ = 0;
    std::uint32_t ordinal_ = 0;
    std::map<std::pair<std::uint64_t, unsigned>, std::uint32_t> constants_;
};

}  // namespace cudash::virtual_gpu
