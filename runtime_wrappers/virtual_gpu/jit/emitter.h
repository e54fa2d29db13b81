// From a plan to LLVM's instructions: one function that takes a whole warp, its registers as vectors of 32 lanes, as
// progressions, or as one value (README.md).
#pragma once

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "runtime_wrappers/virtual_gpu/exec/compiled_kernel.h"
#include "runtime_wrappers/virtual_gpu/jit/kernel_plan.h"
#include "runtime_wrappers/virtual_gpu/jit/operation_body.h"

namespace cudash::virtual_gpu {

constexpr unsigned half_warp = 16;

class Emitter {
public:
    /// `alone`: takes copies of instructions whose handlers go on to the next one, each with one that stops.
    /// `handled`: takes the instructions whose handlers are called.
    Emitter(const KernelPlan& plan, OperationBodies& bodies, llvm::Module& module,
            std::deque<std::array<Instruction, 2>>& alone, std::vector<const Instruction*>& handled);

    /// How the executor comes into the function, and what it finds when it comes out.
    struct Entries {
        std::vector<std::uint32_t> numbers;                       ///< by plain instruction; no_index: none
        std::vector<std::uint32_t> parted;                        ///< of lanes that parted before a turn, by the same
        std::map<std::uint32_t, std::vector<KeptRegister>> kept;  ///< by the same: what the entry takes as words
        std::vector<std::vector<KeptRegister>> ways_out;
        unsigned words = 0;  ///< at most
    };
    /// The function, named `name`.
    Entries emit(const std::string& name);

private:
    /// A register's value: a progression of integers (or one predicate), or lanes.
    struct Value {
        LaneShape shape;
        unsigned bits = 32;                                             ///< 1: a predicate
        llvm::Value *base = nullptr, *step = nullptr, *half = nullptr;  ///< step and half: where they are not known
        llvm::Value* lanes = nullptr;
    };
    /// Where a register's value comes from: an instruction that may not have been emitted yet.
    struct Definition {
        int node = -1;
        Value value;
    };
    /// The bytes that an access may touch, from where in the device's addresses, and how far the host's lie from those.
    struct Window {
        llvm::Value *begin = nullptr, *bytes = nullptr, *bias = nullptr;
        llvm::Value* allowed = nullptr;  ///< of stores: whether it may be written; null: it may
    };
    /// The same for one place at a time: how many aligned ones there are from the first one on.
    struct Fence {
        llvm::Value *begin = nullptr, *count = nullptr, *shift = nullptr, *bias = nullptr, *allowed = nullptr;
    };
    struct Place {
        bool scattered = false;
        bool of_active = false;  ///< only the places of active lanes may be touched
        Distance step, half;
        llvm::Value *step_value = nullptr, *half_value = nullptr;  ///< 64 bits
        llvm::Value* base = nullptr;                               ///< host address of lane 0, 64 bits
        llvm::Value* lanes = nullptr;                              ///< host addresses
        llvm::Value* index =
            nullptr;  ///< instead of `lanes`: `scale` bytes each from `base` on, 32 bits, none negative
        unsigned scale = 1;
        llvm::Value* ok = nullptr;
    };
    /// Lanes of 64 bits that were made of 32: base + scale * index.
    struct Scaled {
        llvm::Value *base = nullptr, *index = nullptr;
        unsigned scale = 1;
        bool is_signed = false;
    };
    struct Node {
        std::uint32_t instruction = 0;
        std::map<std::uint32_t, Definition> sources;
        std::map<std::uint32_t, Value> results;
        bool done = false, after_load = false;
        std::optional<Place> place;  ///< of a load that is checked already
    };
    struct Counts {
        llvm::Value *executed = nullptr, *segment = nullptr, *slice = nullptr;
        llvm::Value* fewer = nullptr;  ///< CompiledState::fewer; nullptr where lanes never part
    };
    /// Which lanes go through a piece; nothing where all that there are do.
    struct Lanes {
        llvm::Value* mask = nullptr;
        std::map<std::uint32_t, llvm::Value*> expected;  ///< by level: those that meet at its join
        std::map<std::uint32_t, llvm::Value*> pending;   ///< by piece: those that its branch left for later
    };
    /// Lanes that part: those that go on, and, of a branch with two sides, its piece and those that come later.
    struct Split {
        llvm::Value* mask = nullptr;
        std::uint32_t level = no_index, branch = no_index;
        llvm::Value* pending = nullptr;
    };
    /// What a piece begins with, one for each way that leads there: all are phis.
    struct Head {
        llvm::BasicBlock* block = nullptr;
        Counts counts;
        Lanes lanes;
        std::map<std::uint32_t, Value> values;
    };
    using Definitions = std::map<std::uint32_t, Definition>;

    void make_heads();
    Head make_head(const Piece& piece);
    /// Where a way from elsewhere leads.
    Head& head_before(std::uint32_t piece);
    // Loops that one lane after the other goes through (emitter_lane_loops.cpp).
    struct LaneLoop;
    void emit_lane_loop(std::uint32_t piece);
    void begin_lane(LaneLoop& loop);
    void emit_round(LaneLoop& loop);
    void end_lane(LaneLoop& loop);
    void end_lane_loop(LaneLoop& loop);
    Counts counts_behind(const LaneLoop& loop);
    /// A register's words of all lanes, for code that takes one of them; predicates are bytes there.
    llvm::AllocaInst* words_of_lanes(unsigned bits);
    void emit_entry(std::uint32_t piece);
    KeptRegister kept_as(std::uint32_t r, const LaneShape& shape) const;
    void hand_over(const std::map<std::uint32_t, Value>& values);
    void enter_piece(std::uint32_t piece);
    void enter_parted(std::uint32_t piece);
    Value kept_value(std::uint32_t r, const LaneShape& shape, unsigned& words);
    Counts counts_before(const Piece& piece);
    /// Of a piece, in the order of CompiledState::partings: a level, and a branch of it that has two sides.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> partings_of(const Piece& piece) const;
    llvm::Value* parting_field(std::size_t number, std::size_t member);
    void leave_at_barrier(std::uint32_t piece);
    void store_counts(const Counts& counts);
    void store_partings();
    void emit_piece(std::uint32_t piece);
    void emit_barrier(std::uint32_t piece);

    // From piece to piece.
    void emit_terminator(std::uint32_t piece);
    void take_branch(std::uint32_t piece);
    void part_lanes(std::uint32_t piece, llvm::Value* taken);
    Counts counted(const Counts& counts, std::uint32_t end, std::uint32_t next);
    void go_to(std::uint32_t piece, Counts counts, const Split* split);
    void pass(std::uint32_t piece, const Counts& counts, llvm::Value* now, const Split* split);
    void connect(Head& head, const Counts& counts, const Lanes& to);

    // Within a piece.
    std::uint32_t add_node(std::uint32_t instruction);
    void finish_segment(std::uint32_t end);
    void begin_segment(std::uint32_t instruction);
    const Value& value_of(std::uint32_t offset, Definition& definition);
    Value operand(Node& node, std::uint32_t offset, unsigned bits);
    void evaluate(Node& node);
    void evaluate_for_active(Node& node);
    Value compute(Node& node);
    Value compute_affine(Node& node, const LaneShape& shape);
    /// Lane 0's number, the distance to the next lane, and that of the two halves of a warp.
    struct Progression {
        llvm::Value *base, *step, *half;
    };
    Progression progression_of(const Value& value);
    Progression widened_progression(const Value& value, bool is_signed);
    Progression scaled(const Progression& progression, llvm::Value* factor);
    Progression affine_product(Node& node, const Value& first, bool from_32, unsigned source_bits);
    void compare(Node& node);
    void shuffle(Node& node);
    void vote(Node& node);
    Value combine(Node& node);
    Value special(const Plan& plan);
    void load(Node& node);
    llvm::Value* load_row(const Place& place, llvm::FixedVectorType* type, llvm::Value* where, llvm::Align alignment,
                          unsigned first);
    void store(Node& node);
    // Its ways; `element`: bytes.
    void store_at(llvm::Value* value, llvm::Value* where, unsigned element);
    llvm::Value* narrowed(const Value& value, unsigned element);
    llvm::Value* interleaved(const std::vector<Value>& values, unsigned element);
    void store_to_one_place(const Place& place, const std::vector<Value>& values, unsigned element);
    void store_halves(const Place& place, llvm::Value* row, unsigned element);
    void store_by_lane(const Place& place, const std::vector<Value>& values, unsigned element);
    void call_handler(Node& node);
    /// Of `extent` bytes by lane, from `immediate` behind the address.
    Place resolve(Node& node, std::int64_t immediate, std::uint64_t extent);
    Place resolve(Node& node);
    Window window_of(const Plan& plan, const Instruction& instruction);
    Fence fence_of(const Plan& plan, const Instruction& instruction, std::uint64_t extent);
    Place resolve_one(const Value& address, llvm::ConstantInt* added, const Fence& fence);
    Place resolve_affine(const Value& address, llvm::ConstantInt* added, const Window& window, std::uint64_t size,
                         std::uint64_t extent, bool of_active);
    struct Extremes {
        llvm::Value *low, *reach;
    };
    Extremes extremes_of(const Place& place);
    Place resolve_lanes(const Value& address, llvm::ConstantInt* added, const Window& window, std::uint64_t size,
                        std::uint64_t extent);
    llvm::Value* to_64(llvm::Value* value, bool sign);
    void resolve_together(const std::vector<std::uint32_t>& loads);
    void note_scaled(const Node& node, const std::vector<Value>& sources, llvm::Value* made);
    void resolve_scaled(const Scaled& from, llvm::Value* begin, llvm::Value* room, std::uint64_t size,
                        llvm::Value* added, Place& place);
    /// By lane, so many bytes further; `order`: of the lanes, if not as they are.
    llvm::Value* lane_pointers(const Place& place, std::uint64_t bytes, const std::vector<int>& order);
    void flush_checks();
    llvm::BasicBlock* leaving();
    void leave_at(std::uint32_t instruction, const std::map<std::uint32_t, Value>& values);
    std::map<std::uint32_t, Value> values_before(std::uint32_t instruction);
    void leave_here(std::uint32_t instruction);
    void leave_with(CompiledExit how, const Counts& counts, std::uint32_t next);
    void leave_waiting(CompiledExit how, std::uint32_t stop);
    // Turns of warps, whose lists code goes through in CompiledMode::chained.
    template <class V>
    struct Turns {
        V* warp = nullptr;                                ///< a CompiledState
        V* first_turn = nullptr;                          ///< since the executor began it
        V *first_again = nullptr, *last_again = nullptr;  ///< of those that came to turns
        V *stop = nullptr, *same = nullptr;               ///< what the others wait at, if they are at the `same`
    };
    void begin_turns(llvm::BasicBlock* entry);
    void end_turns();
    void begin_turn(const Turns<llvm::Value>& now, llvm::BasicBlock* from);
    void emit_following();
    void emit_next_list(const Turns<llvm::Value>& now);
    void come_back(llvm::Value* how);
    std::vector<std::uint32_t> kept_before(std::uint32_t instruction) const;
    bool is_kept(std::uint32_t r) const { return plan_.pieces()[piece_].kept.contains(r); }

    // Values.
    Value uniform(llvm::Value* base, unsigned bits) const;
    Value lanes(llvm::Value* vector, unsigned bits) const;
    Value constant(std::uint32_t offset, unsigned bits) const;
    llvm::Value* distance(const Distance& known, llvm::Value* dynamic, unsigned bits);
    llvm::Value* vector_of(const Value& value);
    Value coerce(const Value& value, const LaneShape& shape);
    Value choose(llvm::Value* condition, const Value& yes, const Value& no, const LaneShape& shape);
    llvm::Value* all_of(llvm::Value* lanes_of_bits);  ///< of the active ones
    llvm::Value* active_in_order(const std::vector<int>& order);
    unsigned bits_of(std::uint32_t offset) const;
    llvm::IntegerType* integer(unsigned bits);
    llvm::FixedVectorType* vector(llvm::Type* element, unsigned count = 32);
    llvm::Value* splat(llvm::Value* scalar, unsigned count = 32);
    /// l % 16 or l / 16, by lane.
    llvm::Constant* lane_numbers(unsigned bits, bool halves);
    llvm::Value* to_type(const Value& value, ptx::Type type, bool as_lanes);
    llvm::Value* from_type(llvm::Value* value, ptx::Type type, unsigned bits, bool as_lanes);

    // Memory.
    /// What nothing here writes: ranges, parameters.
    llvm::Value* input_load(llvm::Type* type, llvm::Value* pointer, unsigned alignment);
    llvm::Value* own_load(llvm::Type* type, llvm::Value* pointer, unsigned alignment);
    void own_store(llvm::Value* value, llvm::Value* pointer, unsigned alignment);
    llvm::Value* state_field(std::size_t offset);
    llvm::Value* block_field(std::size_t offset);
    llvm::Value* own_register(std::uint32_t offset);
    llvm::Value* mask_or_all();
    llvm::Value* root_mask();
    llvm::Value* kept_word(unsigned number);
    llvm::Value* data_pointer(llvm::Value* address);
    void mark_data(llvm::Instruction* access);
    void store_register(std::uint32_t offset, const Value& value);
    Value load_register(std::uint32_t offset);

    const KernelPlan& plan_;
    const Code& code_;
    OperationBodies& bodies_;
    llvm::Module& module_;
    std::deque<std::array<Instruction, 2>>& alone_;
    std::vector<const Instruction*>& handled_;
    llvm::LLVMContext& context_;
    llvm::IRBuilder<> b_;
    llvm::Function* function_ = nullptr;
    Turns<llvm::PHINode> turns_;  ///< of `begin_`
    // Where a turn begins, and where it ends: how, and at which instruction.
    llvm::BasicBlock *begin_ = nullptr, *end_ = nullptr;
    llvm::PHINode *stop_how_ = nullptr, *stop_ = nullptr, *is_turn_ = nullptr;
    llvm::Value *round_ = nullptr, *alone_mode_ = nullptr, *starts_slice_ = nullptr;
    /// Of lanes of which some may be missing, 32 bits and as lanes: those that came from the executor, and those that
    /// go through the piece being emitted. nullptr: all are there.
    llvm::Value *root_mask_ = nullptr, *root_active_ = nullptr, *mask_ = nullptr, *active_ = nullptr;
    llvm::Value *block_ = nullptr, *state_ = nullptr, *registers_ = nullptr, *ranges_ = nullptr, *parameters_ = nullptr;
    llvm::Value *shared_ = nullptr, *shared_begin_ = nullptr, *shared_bytes_ = nullptr;
    llvm::MDNode *own_scope_ = nullptr, *data_scope_ = nullptr, *input_scope_ = nullptr;
    llvm::MDNode *not_own_ = nullptr, *not_data_ = nullptr, *not_input_ = nullptr;
    llvm::Value* kept_words_ = nullptr;
    Entries entries_;
    std::vector<Head> heads_;                  ///< by piece
    std::map<std::uint32_t, Head> run_alone_;  ///< before the pieces that are run by lane
    llvm::Value* lane_ = nullptr;              ///< the one for which code is emitted; nullptr: for all
    /// What registers are that masked pieces give away before a turn, by piece.
    std::map<std::uint32_t, std::map<std::uint32_t, LaneShape>> behind_turn_;

    // The piece being emitted.
    std::uint32_t piece_ = 0;
    const Lanes* lanes_ = nullptr;  ///< that are there
    std::deque<Node> nodes_;
    Definitions definitions_;
    std::set<std::uint32_t> in_frame_;  ///< registers that the frame has as they are
    std::uint32_t segment_begin_ = 0;
    std::map<std::uint32_t, Value> segment_values_;
    llvm::BasicBlock* leaving_ = nullptr;
    std::vector<llvm::Value*> checks_;
    std::map<llvm::Value*, Scaled> scaled_;     ///< by what Value::lanes has
    std::vector<std::uint32_t> segment_loads_;  ///< nodes
    std::uint32_t first_node_ = 0;              ///< of the segment
};

}  // namespace cudash::virtual_gpu
