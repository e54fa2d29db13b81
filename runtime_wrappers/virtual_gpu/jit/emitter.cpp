#include "runtime_wrappers/virtual_gpu/jit/emitter.h"

#include <algorithm>
#include <cstddef>
#include <functional>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include "runtime_wrappers/virtual_gpu/exec/block.h"

namespace cudash::virtual_gpu {
namespace {

using llvm::BasicBlock;
using llvm::Constant;
using llvm::ConstantInt;
using llvm::PHINode;

}  // namespace

Emitter::Emitter(const KernelPlan& plan, OperationBodies& bodies, llvm::Module& module,
                 std::deque<std::array<Instruction, 2>>& alone, std::vector<const Instruction*>& handled)
    : plan_(plan),
      code_(plan.code()),
      bodies_(bodies),
      module_(module),
      alone_(alone),
      handled_(handled),
      context_(module.getContext()),
      b_(context_) {
    llvm::MDBuilder metadata(context_);
    auto* domain = metadata.createAnonymousAliasScopeDomain("cudash");
    llvm::Metadata* own = metadata.createAnonymousAliasScope(domain, "own");
    llvm::Metadata* data = metadata.createAnonymousAliasScope(domain, "data");
    llvm::Metadata* input = metadata.createAnonymousAliasScope(domain, "input");
    own_scope_ = llvm::MDNode::get(context_, own);
    data_scope_ = llvm::MDNode::get(context_, data);
    input_scope_ = llvm::MDNode::get(context_, input);
    not_own_ = llvm::MDNode::get(context_, {data, input});
    not_data_ = llvm::MDNode::get(context_, {own, input});
    not_input_ = llvm::MDNode::get(context_, {own, data});
}

// ---- The function and its pieces

Emitter::Entries Emitter::emit(const std::string& name) {
    auto* returned = llvm::StructType::get(b_.getPtrTy(), b_.getInt32Ty());  // CompiledReturn
    auto* type = llvm::FunctionType::get(returned, {b_.getPtrTy(), b_.getInt32Ty(), b_.getInt32Ty()}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
    function_->setDoesNotThrow();
    state_ = function_->getArg(0);
    auto* entry = BasicBlock::Create(context_, "entry", function_);
    b_.SetInsertPoint(entry);
    const auto field = [&](llvm::Type* type_of, std::size_t offset) {
        return own_load(type_of, state_field(offset), 8);
    };
    block_ = field(b_.getPtrTy(), offsetof(CompiledState, of));
    ranges_ = own_load(b_.getPtrTy(), block_field(offsetof(CompiledBlock, ranges)), 8);
    parameters_ = own_load(b_.getPtrTy(), block_field(offsetof(CompiledBlock, parameters)), 8);
    shared_ = own_load(b_.getInt64Ty(), block_field(offsetof(CompiledBlock, shared)), 8);
    shared_begin_ = own_load(b_.getInt64Ty(), block_field(offsetof(CompiledBlock, shared_begin)), 8);
    shared_bytes_ = own_load(b_.getInt64Ty(), block_field(offsetof(CompiledBlock, shared_bytes)), 8);
    begin_turns(entry);
    registers_ = field(b_.getPtrTy(), offsetof(CompiledState, registers));
    kept_words_ = field(b_.getPtrTy(), offsetof(CompiledState, kept_words));
    if (!plan_.whole()) {
        mask_ = root_mask_ = own_load(b_.getInt32Ty(), state_field(offsetof(CompiledState, mask)), 4);
        active_ = root_active_ = b_.CreateBitCast(mask_, vector(integer(1)));
    }
    auto* nowhere = BasicBlock::Create(context_, "nowhere", function_);
    llvm::Value* const resumed = own_load(b_.getInt32Ty(), state_field(offsetof(CompiledState, entry)), 4);
    auto* choice = b_.CreateSwitch(b_.CreateSelect(turns_.first_turn, function_->getArg(1), resumed), nowhere);
    b_.SetInsertPoint(nowhere);
    b_.CreateUnreachable();
    make_heads();
    entries_.numbers.assign(plan_.count(), no_index);
    entries_.parted.assign(plan_.count(), no_index);
    std::uint32_t number = 0;
    for (std::uint32_t p = 0; p < plan_.pieces().size(); ++p) {
        const Piece& piece = plan_.pieces()[p];
        if (!piece.is_entry) continue;
        auto* block = BasicBlock::Create(context_, "enter", function_);
        choice->addCase(b_.getInt32(number), block);
        b_.SetInsertPoint(block);
        emit_entry(p);
        entries_.numbers[piece.first] = number;
        // Lanes that have met go on behind the join.
        const Work first = plan_.plan(piece.first).work;
        const bool joins = (first == Work::nothing || first == Work::meet) && piece.first < piece.last;
        if (joins) {
            entries_.numbers[piece.first + 1] = number;
            entries_.kept[piece.first + 1] = entries_.kept[piece.first];
        }
        ++number;
    }
    std::map<std::uint32_t, BasicBlock*> behind_turns;
    for (std::uint32_t p = 0; p < plan_.pieces().size(); ++p) {
        const Piece& piece = plan_.pieces()[p];
        if (!piece.reached || !piece.is_masked() || !plan_.is_turn(piece.last)) continue;
        auto* block = behind_turns[p] = BasicBlock::Create(context_, "enter_parted", function_);
        choice->addCase(b_.getInt32(number), block);
        entries_.parted[piece.last + 1] = number++;
    }
    for (std::uint32_t p = 0; p < plan_.pieces().size(); ++p)
        if (plan_.pieces()[p].reached) emit_piece(p);
    for (const auto& [p, head] : run_alone_) emit_lane_loop(p);
    for (const auto& [p, block] : behind_turns) {
        b_.SetInsertPoint(block);
        enter_parted(p);
    }
    end_turns();
    return std::move(entries_);
}

// ---- From and to the executor: progressions are words of their own there (KeptRegister).

KeptRegister Emitter::kept_as(std::uint32_t r, const LaneShape& shape) const {
    return {r, bits_of(r) / 8, shape.step.known, shape.half.known, shape.step.value, shape.half.value};
}

/// A register as the executor has it, behind `words` of others.
Emitter::Value Emitter::kept_value(std::uint32_t r, const LaneShape& shape, unsigned& words) {
    if (!shape.affine) return load_register(r);
    const unsigned bits = bits_of(r);
    Value value{shape, bits, nullptr, nullptr, nullptr, nullptr};
    if (bits == 1) {
        llvm::Value* mask = own_load(b_.getInt32Ty(), own_register(r), 4);
        value.base = b_.CreateICmpNE(b_.CreateAnd(mask, root_mask()), b_.getInt32(0));
        return value;
    }
    const auto word = [&] { return own_load(integer(bits), kept_word(words++), 8); };
    value.base = word();
    if (!shape.step.known) value.step = word();
    if (!shape.half.known) value.half = word();
    return value;
}

void Emitter::emit_entry(std::uint32_t p) {
    const Piece& piece = plan_.pieces()[p];
    definitions_.clear();
    nodes_.clear();
    std::vector<KeptRegister>& kept = entries_.kept[piece.first];
    unsigned words = 0;
    for (std::uint32_t r : piece.held) {
        if (!piece.live_in.contains(r)) continue;
        const LaneShape& shape = piece.shapes.at(r);
        if (shape.affine) kept.push_back(kept_as(r, shape));
        definitions_[r] = {-1, kept_value(r, shape, words)};
    }
    entries_.words = std::max(entries_.words, words);
    enter_piece(p);
}

/// Gives registers to the executor, which finds what they are by the number of the way out.
void Emitter::hand_over(const std::map<std::uint32_t, Value>& values) {
    std::vector<KeptRegister> kept;
    unsigned words = 0;
    for (const auto& [r, value] : values) {
        if (!value.shape.affine || value.bits == 1) {
            store_register(r, value);
            continue;
        }
        kept.push_back(kept_as(r, value.shape));
        const auto keep = [&](llvm::Value* word) { own_store(word, kept_word(words++), 8); };
        keep(value.base);
        if (!value.shape.step.known) keep(value.step);
        if (!value.shape.half.known) keep(value.half);
    }
    entries_.words = std::max(entries_.words, words);
    auto way = std::ranges::find(entries_.ways_out, kept);
    if (way == entries_.ways_out.end()) way = entries_.ways_out.insert(way, std::move(kept));
    own_store(b_.getInt32(static_cast<std::uint32_t>(way - entries_.ways_out.begin())),
              state_field(offsetof(CompiledState, way_out)), 4);
}

void Emitter::leave_at_barrier(std::uint32_t p) {
    const std::uint32_t at = plan_.pieces()[p].last;
    const Piece& next = plan_.pieces()[plan_.piece_at(at + 1)];
    const Piece& here = plan_.pieces()[p];
    std::set<std::uint32_t> living = next.is_masked() ? next.carried : next.live_in;
    if (here.is_masked())
        for (std::uint32_t other : plan_.others_behind(here)) {
            const std::set<std::uint32_t>& also = plan_.pieces()[other].carried;
            living.insert(also.begin(), also.end());
        }
    std::map<std::uint32_t, Value> values;
    for (std::uint32_t r : living) {
        if (in_frame_.contains(r)) {
            if (here.is_masked()) behind_turn_[p][r] = {};
            continue;
        }
        const auto known = definitions_.find(r);
        const Value value = known != definitions_.end()
                                ? value_of(r, known->second)
                                : lanes(llvm::PoisonValue::get(vector(integer(bits_of(r)))), bits_of(r));
        values[r] = here.is_masked() ? value : coerce(value, next.shapes.at(r));
        if (here.is_masked()) behind_turn_[p][r] = value.shape;
    }
    hand_over(values);
    leave_waiting(CompiledExit::barrier, at);
}

void Emitter::emit_barrier(std::uint32_t p) {
    flush_checks();
    if (plan_.whole()) return leave_at_barrier(p);
    auto* alone = BasicBlock::Create(context_, "alone", function_);
    auto* together = BasicBlock::Create(context_, "together", function_);
    llvm::Value* all = own_load(b_.getInt8Ty(), state_field(offsetof(CompiledState, together)), 1);
    b_.CreateCondBr(b_.CreateICmpNE(all, b_.getInt8(0)), together, alone);
    b_.SetInsertPoint(alone);
    leave_here(plan_.pieces()[p].last);
    b_.SetInsertPoint(together);
    leave_at_barrier(p);
}

void Emitter::emit_piece(std::uint32_t p) {
    const Piece& piece = plan_.pieces()[p];
    piece_ = p;
    lanes_ = &heads_[p].lanes;
    b_.SetInsertPoint(heads_[p].block);
    nodes_.clear();
    definitions_.clear();
    scaled_.clear();
    for (const auto& [r, value] : heads_[p].values) definitions_[r] = {-1, value};
    in_frame_ = piece.in_frame;
    mask_ = piece.is_masked() ? heads_[p].lanes.mask : root_mask_;
    active_ = piece.is_masked() ? b_.CreateBitCast(mask_, vector(integer(1))) : root_active_;
    begin_segment(piece.first);
    for (std::uint32_t i = piece.first; i <= piece.last; ++i) {
        const Plan& plan = plan_.plan(i);
        switch (plan.work) {
            case Work::nothing:
                // The interpreter comes from here to the entry behind it: it must not be sent back here.
                if (i == piece.first && i != piece.last) begin_segment(i + 1);
                break;
            case Work::branch:
            case Work::barrier:
            case Work::leave:
                break;
            case Work::meet: {
                llvm::Value* waits = own_load(b_.getInt32Ty(), state_field(offsetof(CompiledState, join)), 4);
                auto* arrived = BasicBlock::Create(context_, "arrived", function_);
                auto* passes = BasicBlock::Create(context_, "passes", function_);
                b_.CreateCondBr(b_.CreateICmpEQ(waits, b_.getInt32(i)), arrived, passes);
                b_.SetInsertPoint(arrived);
                leave_at(i, segment_values_);
                b_.SetInsertPoint(passes);
                if (i != piece.last) begin_segment(i + 1);
                break;
            }
            case Work::store:
            case Work::handler: {
                const std::uint32_t node = add_node(i);
                finish_segment(i);
                if (plan.work == Work::store) {
                    store(nodes_[node]);
                } else {
                    call_handler(nodes_[node]);
                }
                begin_segment(i + 1);
                break;
            }
            default:
                add_node(i);
        }
    }
    emit_terminator(p);
}

// ---- Segments: what lies between two changes of memory. Where a check fails, the interpreter starts again from a
// segment's first instruction.

void Emitter::begin_segment(std::uint32_t instruction) {
    segment_begin_ = instruction;
    segment_values_ = values_before(instruction);
    leaving_ = nullptr;
    segment_loads_.clear();
    first_node_ = static_cast<std::uint32_t>(nodes_.size());
}

std::uint32_t Emitter::add_node(std::uint32_t i) {
    const Plan& plan = plan_.plan(i);
    const auto number = static_cast<std::uint32_t>(nodes_.size());
    Node& node = nodes_.emplace_back();
    node.instruction = i;
    const auto source = [&](std::uint32_t r) {
        const auto found = definitions_.find(r);
        if (found == definitions_.end()) {
            // Of lanes that are elsewhere, which have nothing in it.
            llvm::Value* nothing = llvm::PoisonValue::get(vector(integer(bits_of(r))));
            definitions_[r] = {-1, lanes(nothing, bits_of(r))};
            node.sources[r] = definitions_[r];
            return;
        }
        node.sources[r] = found->second;
        if (found->second.node >= 0) {
            const Node& from = nodes_[static_cast<std::size_t>(found->second.node)];
            node.after_load |= !from.done && (from.after_load || plan_.plan(from.instruction).work == Work::load);
        }
    };
    for (std::uint32_t r : plan.reads) source(r);
    for (std::uint32_t r : plan.writes)
        if ((plan.may_keep || is_kept(r)) && !node.sources.contains(r)) source(r);
    if (plan.work == Work::load) segment_loads_.push_back(number);
    if (plan.work != Work::store && plan.work != Work::handler)
        for (std::uint32_t r : plan.writes) {
            definitions_[r] = {static_cast<int>(number), {}};
            in_frame_.erase(r);
        }
    return number;
}

/// Everything up to, and not with, what comes at `end` is done: accesses whose places are known before anything is
/// loaded are checked together.
void Emitter::finish_segment(std::uint32_t end) {
    std::vector<std::uint32_t> known;
    for (std::uint32_t number : segment_loads_)
        if (!nodes_[number].after_load) known.push_back(number);
    resolve_together(known);
    flush_checks();
    for (std::uint32_t number : segment_loads_) evaluate(nodes_[number]);
    for (std::uint32_t r : kept_before(end)) value_of(r, definitions_.at(r));
    flush_checks();
}

const Emitter::Value& Emitter::value_of(std::uint32_t offset, Definition& definition) {
    if (definition.node >= 0) {
        Node& node = nodes_[static_cast<std::size_t>(definition.node)];
        evaluate(node);
        definition.value = node.results.at(offset);
        definition.node = -1;
    }
    return definition.value;
}

Emitter::Value Emitter::operand(Node& node, std::uint32_t offset, unsigned bits) {
    if (plan_.is_constant(offset)) return constant(offset, bits);
    return value_of(offset, node.sources.at(offset));
}

llvm::BasicBlock* Emitter::leaving() {
    if (leaving_) return leaving_;
    leaving_ = BasicBlock::Create(context_, "leaving", function_);
    llvm::IRBuilderBase::InsertPointGuard guard(b_);
    b_.SetInsertPoint(leaving_);
    leave_at(segment_begin_, segment_values_);
    return leaving_;
}

void Emitter::flush_checks() {
    if (checks_.empty()) return;
    llvm::Value* all = checks_.front();
    for (std::size_t c = 1; c < checks_.size(); ++c) all = b_.CreateAnd(all, checks_[c]);
    checks_.clear();
    auto* go_on = BasicBlock::Create(context_, "checked", function_);
    b_.CreateCondBr(all, go_on, leaving(), llvm::MDBuilder(context_).createBranchWeights(1000, 1));
    b_.SetInsertPoint(go_on);
}

}  // namespace cudash::virtual_gpu
