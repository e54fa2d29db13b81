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

constexpr unsigned half_warp = 16;

template <class T>
bool is_power_of_two(T value) {
    return value != 0 && (value & (value - 1)) == 0;
}

unsigned type_bits(ptx::Type type) {
    return std::max(8u, type_bytes(type) * 8);
}
bool is_real(ptx::Type type) {
    return type == ptx::Type::f32 || type == ptx::Type::f64;
}

}  // namespace

Emitter::Emitter(const KernelPlan& plan, OperationBodies& bodies, llvm::Module& module,
                 std::deque<std::array<Instruction, 2>>& alone)
    : plan_(plan),
      code_(plan.code()),
      bodies_(bodies),
      module_(module),
      alone_(alone),
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

// ---- Values

llvm::IntegerType* Emitter::integer(unsigned bits) {
    return b_.getIntNTy(bits);
}
llvm::FixedVectorType* Emitter::vector(llvm::Type* element, unsigned count) {
    return llvm::FixedVectorType::get(element, count);
}
llvm::Value* Emitter::splat(llvm::Value* scalar, unsigned count) {
    return b_.CreateVectorSplat(count, scalar);
}
unsigned Emitter::bits_of(std::uint32_t offset) const {
    const std::uint32_t bytes = plan_.bytes_of(offset);
    return bytes == 0 ? 1 : bytes * 8;
}

Emitter::Value Emitter::uniform(llvm::Value* base, unsigned bits) const {
    return {LaneShape::uniform(), bits, base, nullptr, nullptr, nullptr};
}
Emitter::Value Emitter::lanes(llvm::Value* vector, unsigned bits) const {
    return {LaneShape{}, bits, nullptr, nullptr, nullptr, vector};
}

Emitter::Value Emitter::constant(std::uint32_t offset, unsigned bits) const {
    return uniform(ConstantInt::get(llvm::IntegerType::get(context_, bits),
                                    bits == 1 ? plan_.constant(offset) & 1 : plan_.constant(offset)),
                   bits);
}

llvm::Constant* Emitter::lane_numbers(unsigned bits, bool halves) {
    std::vector<Constant*> numbers;
    for (unsigned l = 0; l < lanes_of_warp; ++l)
        numbers.push_back(ConstantInt::get(integer(bits), halves ? l / half_warp : l % half_warp));
    return llvm::ConstantVector::get(numbers);
}

llvm::Value* Emitter::distance(const Distance& known, llvm::Value* dynamic, unsigned bits) {
    if (known.known) return ConstantInt::get(integer(bits), static_cast<std::uint64_t>(known.value), true);
    return dynamic;
}

llvm::Value* Emitter::vector_of(const Value& value) {
    if (!value.shape.affine) return value.lanes;
    llvm::Value* made = splat(value.base);
    if (value.shape.is_uniform()) return made;
    if (value.shape.step == Distance{} && !value.shape.half.known) {
        llvm::Value* upper = b_.CreateAdd(value.base, value.half);
        std::vector<int> both;
        for (int l = 0; l < static_cast<int>(lanes_of_warp); ++l) both.push_back(l);
        return b_.CreateShuffleVector(splat(value.base, half_warp), splat(upper, half_warp), both);
    }
    for (bool halves : {false, true}) {
        const Distance& known = halves ? value.shape.half : value.shape.step;
        if (known == Distance{}) continue;
        llvm::Value* each = splat(distance(known, halves ? value.half : value.step, value.bits));
        made = b_.CreateAdd(made, b_.CreateMul(each, lane_numbers(value.bits, halves)));
    }
    return made;
}

Emitter::Value Emitter::coerce(const Value& value, const LaneShape& shape) {
    if (!shape.affine) return value.shape.affine ? lanes(vector_of(value), value.bits) : value;
    Value made = value;
    made.shape = shape;
    if (!shape.step.known) made.step = distance(value.shape.step, value.step, value.bits);
    if (!shape.half.known) made.half = distance(value.shape.half, value.half, value.bits);
    return made;
}

Emitter::Value Emitter::choose(llvm::Value* condition, const Value& yes, const Value& no, const LaneShape& shape) {
    const Value a = coerce(yes, shape), c = coerce(no, shape);
    Value made = a;
    if (!shape.affine) {
        made.lanes = b_.CreateSelect(condition, a.lanes, c.lanes);
        return made;
    }
    made.base = b_.CreateSelect(condition, a.base, c.base);
    if (!shape.step.known) made.step = b_.CreateSelect(condition, a.step, c.step);
    if (!shape.half.known) made.half = b_.CreateSelect(condition, a.half, c.half);
    return made;
}

llvm::Value* Emitter::all_of(llvm::Value* bits) {
    if (!plan_.whole()) bits = b_.CreateOr(bits, b_.CreateNot(active_));
    return b_.CreateICmpEQ(b_.CreateBitCast(bits, integer(lanes_of_warp)), b_.getInt32(~0u));
}

/// Of some lanes, in that order; nullptr: all are active.
llvm::Value* Emitter::active_in_order(const std::vector<int>& order) {
    return plan_.whole() ? nullptr : b_.CreateShuffleVector(active_, order);
}

/// As the function takes it: its low bits, as a float where it is one.
llvm::Value* Emitter::to_type(const Value& value, ptx::Type type, bool as_lanes) {
    llvm::Value* made = as_lanes ? vector_of(value) : value.base;
    const auto shaped = [&](llvm::Type* scalar) -> llvm::Type* { return as_lanes ? vector(scalar) : scalar; };
    if (type == ptx::Type::f32) return b_.CreateBitCast(made, shaped(b_.getFloatTy()));
    if (type == ptx::Type::f64) return b_.CreateBitCast(made, shaped(b_.getDoubleTy()));
    return b_.CreateZExtOrTrunc(made, shaped(integer(type_bits(type))));
}
llvm::Value* Emitter::from_type(llvm::Value* value, ptx::Type type, unsigned bits, bool as_lanes) {
    const auto shaped = [&](llvm::Type* scalar) -> llvm::Type* { return as_lanes ? vector(scalar) : scalar; };
    if (is_real(type)) return b_.CreateBitCast(value, shaped(integer(type_bits(type))));
    return b_.CreateZExtOrTrunc(value, shaped(integer(bits)));
}

// ---- Memory of ours, and of the kernel

llvm::Value* Emitter::input_load(llvm::Type* type, llvm::Value* pointer, unsigned alignment) {
    auto* made = b_.CreateAlignedLoad(type, pointer, llvm::Align(alignment));
    made->setMetadata(llvm::LLVMContext::MD_alias_scope, input_scope_);
    made->setMetadata(llvm::LLVMContext::MD_noalias, not_input_);
    return made;
}
llvm::Value* Emitter::own_load(llvm::Type* type, llvm::Value* pointer, unsigned alignment) {
    auto* made = b_.CreateAlignedLoad(type, pointer, llvm::Align(alignment));
    made->setMetadata(llvm::LLVMContext::MD_alias_scope, own_scope_);
    made->setMetadata(llvm::LLVMContext::MD_noalias, not_own_);
    return made;
}
void Emitter::own_store(llvm::Value* value, llvm::Value* pointer, unsigned alignment) {
    auto* made = b_.CreateAlignedStore(value, pointer, llvm::Align(alignment));
    made->setMetadata(llvm::LLVMContext::MD_alias_scope, own_scope_);
    made->setMetadata(llvm::LLVMContext::MD_noalias, not_own_);
}
void Emitter::mark_data(llvm::Instruction* access) {
    access->setMetadata(llvm::LLVMContext::MD_alias_scope, data_scope_);
    access->setMetadata(llvm::LLVMContext::MD_noalias, not_data_);
}
llvm::Value* Emitter::state_field(std::size_t offset) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), state_, offset);
}
llvm::Value* Emitter::data_pointer(llvm::Value* address) {
    llvm::Type* type = b_.getPtrTy();
    if (address->getType()->isVectorTy()) type = vector(type);
    return b_.CreateIntToPtr(address, type);
}

void Emitter::store_register(std::uint32_t offset, const Value& value) {
    llvm::Value* place = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), registers_, offset);
    if (value.bits != 1) {
        llvm::Value* all = vector_of(value);
        if (!plan_.whole()) all = b_.CreateSelect(active_, all, own_load(all->getType(), place, 64));
        return own_store(all, place, 64);
    }
    llvm::Value* mask = value.shape.affine ? b_.CreateSExt(value.base, b_.getInt32Ty())
                                           : b_.CreateBitCast(value.lanes, b_.getInt32Ty());
    if (!plan_.whole())
        mask = b_.CreateOr(b_.CreateAnd(mask, mask_),
                           b_.CreateAnd(own_load(b_.getInt32Ty(), place, 4), b_.CreateNot(mask_)));
    own_store(mask, place, 4);
}
Emitter::Value Emitter::load_register(std::uint32_t offset) {
    llvm::Value* place = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), registers_, offset);
    const unsigned bits = bits_of(offset);
    if (bits != 1) return lanes(own_load(vector(integer(bits)), place, 64), bits);
    return lanes(b_.CreateBitCast(own_load(b_.getInt32Ty(), place, 4), vector(integer(1))), 1);
}

// ---- The function and its pieces

std::vector<std::uint32_t> Emitter::emit(const std::string& name) {
    auto* type = llvm::FunctionType::get(b_.getInt32Ty(), {b_.getPtrTy(), b_.getInt32Ty()}, false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module_);
    function_->setDoesNotThrow();
    state_ = function_->getArg(0);
    auto* entry = BasicBlock::Create(context_, "entry", function_);
    b_.SetInsertPoint(entry);
    const auto field = [&](llvm::Type* type_of, std::size_t offset) {
        return own_load(type_of, state_field(offset), 8);
    };
    registers_ = field(b_.getPtrTy(), offsetof(CompiledState, registers));
    ranges_ = field(b_.getPtrTy(), offsetof(CompiledState, ranges));
    parameters_ = field(b_.getPtrTy(), offsetof(CompiledState, parameters));
    shared_ = field(b_.getInt64Ty(), offsetof(CompiledState, shared));
    shared_begin_ = field(b_.getInt64Ty(), offsetof(CompiledState, shared_begin));
    shared_bytes_ = field(b_.getInt64Ty(), offsetof(CompiledState, shared_bytes));
    if (!plan_.whole()) {
        mask_ = own_load(b_.getInt32Ty(), state_field(offsetof(CompiledState, mask)), 4);
        active_ = b_.CreateBitCast(mask_, vector(integer(1)));
    }
    auto* nowhere = BasicBlock::Create(context_, "nowhere", function_);
    auto* choice = b_.CreateSwitch(function_->getArg(1), nowhere);
    b_.SetInsertPoint(nowhere);
    b_.CreateUnreachable();
    make_heads();
    std::vector<std::uint32_t> entries(plan_.count(), no_index);
    std::uint32_t number = 0;
    for (std::uint32_t p = 0; p < plan_.pieces().size(); ++p) {
        const Piece& piece = plan_.pieces()[p];
        if (!piece.is_entry) continue;
        auto* block = BasicBlock::Create(context_, "enter", function_);
        choice->addCase(b_.getInt32(number), block);
        b_.SetInsertPoint(block);
        emit_entry(p);
        entries[piece.first] = number;
        // Lanes that have met go on behind the join.
        const Work first = plan_.plan(piece.first).work;
        const bool joins = (first == Work::nothing || first == Work::meet) && piece.first < piece.last;
        if (joins) entries[piece.first + 1] = number;
        ++number;
    }
    for (std::uint32_t p = 0; p < plan_.pieces().size(); ++p)
        if (plan_.pieces()[p].reached) emit_piece(p);
    return entries;
}

void Emitter::make_heads() {
    heads_.resize(plan_.pieces().size());
    for (std::uint32_t p = 0; p < heads_.size(); ++p) {
        const Piece& piece = plan_.pieces()[p];
        if (!piece.reached) continue;
        Head& head = heads_[p];
        head.block = BasicBlock::Create(context_, "piece", function_);
        b_.SetInsertPoint(head.block);
        head.executed = b_.CreatePHI(b_.getInt64Ty(), 2);
        head.segment = b_.CreatePHI(b_.getInt32Ty(), 2);
        head.slice = b_.CreatePHI(b_.getInt32Ty(), 2);
        for (std::uint32_t r : piece.live_in) {
            const LaneShape& shape = piece.shapes.at(r);
            const unsigned bits = bits_of(r);
            Value value{shape, bits, nullptr, nullptr, nullptr, nullptr};
            if (!shape.affine) {
                value.lanes =
                    b_.CreatePHI(bits == 1 ? static_cast<llvm::Type*>(b_.getInt32Ty()) : vector(integer(bits)), 2);
            } else {
                value.base = b_.CreatePHI(integer(bits), 2);
                if (!shape.step.known) value.step = b_.CreatePHI(integer(bits), 2);
                if (!shape.half.known) value.half = b_.CreatePHI(integer(bits), 2);
            }
            head.values[r] = value;
        }
        // Predicates are masks where they go from piece to piece.
        for (auto& [r, value] : head.values)
            if (value.bits == 1 && !value.shape.affine) {
                auto* mask = llvm::cast<PHINode>(value.lanes);
                value.lanes = b_.CreateBitCast(mask, vector(integer(1)));
            }
    }
}

namespace {

void add_incoming(llvm::Value* phi, llvm::Value* value, BasicBlock* from) {
    llvm::cast<PHINode>(phi)->addIncoming(value, from);
}

}  // namespace

void Emitter::go_to(std::uint32_t piece, llvm::Value* executed, llvm::Value* segment, llvm::Value* slice) {
    Head& head = heads_[piece];
    std::vector<std::pair<llvm::Value*, llvm::Value*>> values;
    for (auto& [r, to] : head.values) {
        const Value from = coerce(value_of(r, definitions_.at(r)), to.shape);
        if (!to.shape.affine) {
            llvm::Value* lanes_phi = to.lanes;
            llvm::Value* given = from.lanes;
            if (to.bits == 1) {
                lanes_phi = llvm::cast<llvm::CastInst>(to.lanes)->getOperand(0);
                given = b_.CreateBitCast(given, b_.getInt32Ty());
            }
            values.emplace_back(lanes_phi, given);
            continue;
        }
        values.emplace_back(to.base, from.base);
        if (to.step) values.emplace_back(to.step, from.step);
        if (to.half) values.emplace_back(to.half, from.half);
    }
    BasicBlock* from = b_.GetInsertBlock();
    for (auto& [phi, value] : values) add_incoming(phi, value, from);
    add_incoming(head.executed, executed, from);
    add_incoming(head.segment, segment, from);
    add_incoming(head.slice, slice, from);
    b_.CreateBr(head.block);
}

/// What lane 0 has, or would have, in a progression: of the first active one.
llvm::Value* Emitter::base_of_active(const Value& value, const LaneShape& shape) {
    llvm::Value* lane = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, mask_, b_.getTrue());
    llvm::Value* base = b_.CreateExtractElement(value.lanes, lane);
    if (shape.is_uniform()) return base;
    const auto past = [&](llvm::Value* count, const Distance& distance_of) {
        return b_.CreateMul(b_.CreateZExtOrTrunc(count, integer(value.bits)),
                            distance(distance_of, nullptr, value.bits));
    };
    base = b_.CreateSub(base, past(b_.CreateAnd(lane, half_warp - 1), shape.step));
    return b_.CreateSub(base, past(b_.CreateUDiv(lane, b_.getInt32(half_warp)), shape.half));
}

/// The registers must be what the code was made for.
void Emitter::emit_entry(std::uint32_t p) {
    const Piece& piece = plan_.pieces()[p];
    definitions_.clear();
    nodes_.clear();
    llvm::Value* different = nullptr;
    for (std::uint32_t r : piece.live_in) {
        Value value = load_register(r);
        const LaneShape& shape = piece.shapes.at(r);
        if (shape.affine) {
            Value made{shape,   value.bits, b_.CreateExtractElement(value.lanes, std::uint64_t{0}),
                       nullptr, nullptr,    nullptr};
            if (!plan_.whole()) made.base = base_of_active(value, shape);
            if (!shape.step.known)
                made.step = b_.CreateSub(b_.CreateExtractElement(value.lanes, std::uint64_t{1}), made.base);
            if (!shape.half.known)
                made.half = b_.CreateSub(b_.CreateExtractElement(value.lanes, std::uint64_t{half_warp}), made.base);
            llvm::Value* wrong = b_.CreateICmpNE(value.lanes, vector_of(made));
            if (!plan_.whole()) wrong = b_.CreateAnd(wrong, active_);
            different = different ? b_.CreateOr(different, wrong) : wrong;
            value = made;
        }
        definitions_[r] = {-1, value};
    }
    if (different) {
        auto* fits = BasicBlock::Create(context_, "fits", function_);
        auto* refused = BasicBlock::Create(context_, "refused", function_);
        llvm::Value* any = b_.CreateICmpNE(b_.CreateBitCast(different, b_.getInt32Ty()), b_.getInt32(0));
        b_.CreateCondBr(any, refused, fits);
        b_.SetInsertPoint(refused);
        b_.CreateRet(b_.getInt32(static_cast<std::uint32_t>(CompiledExit::refused)));
        b_.SetInsertPoint(fits);
    }
    go_to(p, b_.getInt64(0), own_load(b_.getInt32Ty(), state_field(offsetof(CompiledState, segment)), 4),
          own_load(b_.getInt32Ty(), state_field(offsetof(CompiledState, slice)), 4));
}

void Emitter::emit_piece(std::uint32_t p) {
    const Piece& piece = plan_.pieces()[p];
    piece_ = p;
    b_.SetInsertPoint(heads_[p].block);
    nodes_.clear();
    definitions_.clear();
    for (const auto& [r, value] : heads_[p].values) definitions_[r] = {-1, value};
    begin_segment(piece.first);
    for (std::uint32_t i = piece.first; i <= piece.last; ++i) {
        const Plan& plan = plan_.plan(i);
        switch (plan.work) {
            case Work::nothing:
            case Work::branch:
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

void Emitter::emit_terminator(std::uint32_t p) {
    const Piece& piece = plan_.pieces()[p];
    const Plan& plan = plan_.plan(piece.last);
    const Instruction& last = code_.instructions[piece.last];
    const Head& head = heads_[p];
    finish_segment(piece.last + 1);
    const auto leave_here = [&](std::uint32_t at) {
        std::map<std::uint32_t, Value> values;
        for (std::uint32_t r : plan_.live_before(at))
            if (definitions_.contains(r)) values[r] = value_of(r, definitions_.at(r));
        flush_checks();
        leave_at(at, values);
    };
    if (plan.work == Work::leave) return leave_here(piece.last);
    const auto fall_through = [&] {
        const std::uint32_t next = piece.last + 1;
        if (next >= plan_.count()) return leave_here(piece.last);
        for (auto& [r, value] : heads_[plan_.piece_at(next)].values) value_of(r, definitions_.at(r));
        flush_checks();
        go_to(plan_.piece_at(next), head.executed, head.segment, head.slice);
    };
    if (plan.work != Work::branch) return fall_through();

    const auto target = static_cast<std::uint32_t>(last.target - code_.instructions.data());
    const std::uint32_t to = plan_.piece_at(target);
    // Whatever any way needs is there before they part.
    for (std::uint32_t r : plan_.live_before(piece.last))
        if (definitions_.contains(r)) value_of(r, definitions_.at(r));
    Value condition;
    if (last.guard != no_index) {
        const std::uint32_t offset = last.guard & ~1u;
        condition = plan_.is_constant(offset) ? constant(offset, 1) : value_of(offset, definitions_.at(offset));
    }
    flush_checks();
    const auto take = [&] {
        llvm::Value* executed = b_.CreateAdd(
            head.executed, b_.CreateZExt(b_.CreateSub(b_.getInt32(last.ordinal + 1), head.segment), b_.getInt64Ty()));
        llvm::Value* segment = b_.getInt32(code_.instructions[target].ordinal);
        if (target > piece.last) return go_to(to, executed, segment, head.slice);
        llvm::Value* slice = b_.CreateSub(head.slice, b_.getInt32(1));
        auto* loop = BasicBlock::Create(context_, "again", function_);
        auto* over = BasicBlock::Create(context_, "over", function_);
        b_.CreateCondBr(b_.CreateICmpSGT(slice, b_.getInt32(0)), loop, over,
                        llvm::MDBuilder(context_).createBranchWeights(1000, 1));
        b_.SetInsertPoint(over);
        for (std::uint32_t r : plan_.pieces()[to].live_in) store_register(r, value_of(r, definitions_.at(r)));
        own_store(executed, state_field(offsetof(CompiledState, executed)), 8);
        own_store(segment, state_field(offsetof(CompiledState, segment)), 4);
        own_store(slice, state_field(offsetof(CompiledState, slice)), 4);
        own_store(b_.getInt32(target), state_field(offsetof(CompiledState, next)), 4);
        b_.CreateRet(b_.getInt32(static_cast<std::uint32_t>(CompiledExit::slice)));
        b_.SetInsertPoint(loop);
        go_to(to, executed, segment, slice);
    };
    if (last.guard == no_index) return take();
    const bool negated = (last.guard & 1) != 0;
    auto* taken = BasicBlock::Create(context_, "taken", function_);
    auto* rest = BasicBlock::Create(context_, "rest", function_);
    if (condition.shape.affine) {
        b_.CreateCondBr(condition.base, negated ? rest : taken, negated ? taken : rest);
    } else {
        llvm::Value* mask = b_.CreateBitCast(condition.lanes, b_.getInt32Ty());
        auto* some = BasicBlock::Create(context_, "some", function_);
        auto* part = BasicBlock::Create(context_, "part", function_);
        llvm::Value *all = plan_.whole() ? b_.getInt32(~0u) : mask_, *none = b_.getInt32(0);
        if (!plan_.whole()) mask = b_.CreateAnd(mask, mask_);
        b_.CreateCondBr(b_.CreateICmpEQ(mask, negated ? all : none), rest, some);
        b_.SetInsertPoint(some);
        b_.CreateCondBr(b_.CreateICmpEQ(mask, negated ? none : all), taken, part);
        b_.SetInsertPoint(part);
        leave_here(piece.last);
    }
    b_.SetInsertPoint(taken);
    take();
    b_.SetInsertPoint(rest);
    const std::uint32_t next = piece.last + 1;
    if (next >= plan_.count()) return leave_here(piece.last);
    go_to(plan_.piece_at(next), head.executed, head.segment, head.slice);
}

void Emitter::leave_at(std::uint32_t instruction, const std::map<std::uint32_t, Value>& values) {
    const Head& head = heads_[piece_];
    for (const auto& [r, value] : values) store_register(r, value);
    own_store(head.executed, state_field(offsetof(CompiledState, executed)), 8);
    own_store(head.segment, state_field(offsetof(CompiledState, segment)), 4);
    own_store(head.slice, state_field(offsetof(CompiledState, slice)), 4);
    own_store(b_.getInt32(instruction), state_field(offsetof(CompiledState, next)), 4);
    b_.CreateRet(b_.getInt32(static_cast<std::uint32_t>(CompiledExit::go_on)));
}

// ---- Segments: what lies between two changes of memory. Where a check fails, the interpreter starts again from a
// segment's first instruction.

void Emitter::begin_segment(std::uint32_t instruction) {
    segment_begin_ = instruction;
    segment_values_.clear();
    if (instruction < plan_.count())
        for (std::uint32_t r : plan_.live_before(instruction))
            if (const auto found = definitions_.find(r); found != definitions_.end())
                segment_values_[r] = value_of(r, found->second);
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
            definitions_[r] = {-1, load_register(r)};
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
    if (plan.may_keep)
        for (std::uint32_t r : plan.writes)
            if (!node.sources.contains(r)) source(r);
    if (plan.work == Work::load) segment_loads_.push_back(number);
    if (plan.work != Work::store && plan.work != Work::handler)
        for (std::uint32_t r : plan.writes) definitions_[r] = {static_cast<int>(number), {}};
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
    if (end < plan_.count()) {
        std::vector<std::uint32_t> live;
        for (std::uint32_t r : plan_.live_before(end)) live.push_back(r);
        for (std::uint32_t r : live)
            if (const auto found = definitions_.find(r); found != definitions_.end()) value_of(r, found->second);
    }
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

// ---- Instructions

void Emitter::evaluate(Node& node) {
    if (node.done) return;
    node.done = true;
    const std::uint32_t i = node.instruction;
    const Plan& plan = plan_.plan(i);
    const Instruction& instruction = code_.instructions[i];
    if (plan.work == Work::load) return load(node);
    if (plan.work == Work::compare) return compare(node);
    Value made;
    const unsigned bits = bits_of(plan.writes[0]);
    switch (plan.work) {
        case Work::compute:
            made = compute(node);
            break;
        case Work::copy: {
            made = operand(node, instruction.a, bits);
            if (code_.written[i]->mnemonic == "cvta" && instruction.immediate != 0) {
                auto* added = ConstantInt::get(integer(bits), static_cast<std::uint64_t>(instruction.immediate));
                if (made.shape.affine) {
                    made.base = b_.CreateAdd(made.base, added);
                } else {
                    made.lanes = b_.CreateAdd(made.lanes, splat(added));
                }
            }
            break;
        }
        case Work::special:
            made = special(plan);
            break;
        case Work::choose: {
            const Value condition = operand(node, instruction.c, 1);
            const Value yes = operand(node, instruction.a, bits), no = operand(node, instruction.b, bits);
            const bool together = condition.shape.affine && yes.shape.is_uniform() && no.shape.is_uniform();
            llvm::Value* chosen = together ? condition.base : vector_of(condition);
            made = choose(chosen, yes, no, together ? LaneShape::uniform() : LaneShape{});
            break;
        }
        case Work::combine:
            made = combine(node);
            break;
        case Work::parameter: {
            llvm::Value* place = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), parameters_,
                                                               static_cast<std::uint64_t>(instruction.immediate));
            llvm::Value* value = input_load(integer(plan.element * 8u), place, 1);
            value = plan.sign_extends ? b_.CreateSExtOrTrunc(value, integer(bits))
                                      : b_.CreateZExtOrTrunc(value, integer(bits));
            made = uniform(value, bits);
            break;
        }
        default:
            break;
    }
    if (instruction.guard != no_index) {
        const Value guard = operand(node, instruction.guard & ~1u, 1);
        const bool negated = (instruction.guard & 1) != 0;
        const Value old = value_of(plan.writes[0], node.sources.at(plan.writes[0]));
        const LaneShape shape = guard.shape.affine ? join(made.shape, old.shape) : LaneShape{};
        llvm::Value* condition = guard.shape.affine ? guard.base : guard.lanes;
        made = negated ? choose(condition, old, made, shape) : choose(condition, made, old, shape);
    }
    node.results[plan.writes[0]] = made;
}

Emitter::Value Emitter::special(const Plan& plan) {
    const auto field = [&](std::size_t offset) {
        return uniform(own_load(b_.getInt32Ty(), state_field(offset), 4), 32);
    };
    switch (plan.special) {
        case Special::ntid:
            return uniform(b_.getInt32(plan.number), 32);
        case Special::laneid:
            return {plan_.special_shape(plan), 32, b_.getInt32(0), nullptr, nullptr, nullptr};
        case Special::ctaid_x:
        case Special::ctaid_y:
        case Special::ctaid_z:
            return field(offsetof(CompiledState, block) +
                         4 * (static_cast<std::size_t>(plan.special) - static_cast<std::size_t>(Special::ctaid_x)));
        case Special::nctaid_x:
        case Special::nctaid_y:
        case Special::nctaid_z:
            return field(offsetof(CompiledState, grid) +
                         4 * (static_cast<std::size_t>(plan.special) - static_cast<std::size_t>(Special::nctaid_x)));
        default:
            break;
    }
    const auto axis = static_cast<std::size_t>(plan.special) - static_cast<std::size_t>(Special::tid_x);
    llvm::Value* tid = own_load(b_.getPtrTy(), state_field(offsetof(CompiledState, tid) + 8 * axis), 8);
    const LaneShape shape = plan_.special_shape(plan);
    if (!shape.affine) return lanes(own_load(vector(b_.getInt32Ty()), tid, 4), 32);
    return {shape, 32, own_load(b_.getInt32Ty(), tid, 4), nullptr, nullptr, nullptr};
}

Emitter::Value Emitter::compute(Node& node) {
    const std::uint32_t i = node.instruction;
    const Plan& plan = plan_.plan(i);
    const Instruction& instruction = code_.instructions[i];
    const LaneOperation& operation = *code_.operations[i];
    const std::uint32_t offsets[] = {instruction.a, instruction.b, instruction.c, instruction.extra};
    std::vector<Value> sources;
    bool all_uniform = true;
    for (unsigned s = 0; s < operation.count; ++s) {
        const unsigned bits = type_bytes(operation.sources[s]) > 4 ? 64 : 32;
        sources.push_back(operand(node, offsets[s], bits));
        all_uniform &= sources.back().shape.is_uniform();
    }
    if (!all_uniform && plan.rule != AffineRule::none) {
        const auto shape_of = [&](std::uint32_t offset) {
            return plan_.is_constant(offset) ? LaneShape::uniform() : value_of(offset, node.sources.at(offset)).shape;
        };
        const LaneShape shape = plan_.result(i, shape_of);
        if (shape.affine) return compute_affine(node, shape);
    }
    std::vector<llvm::Value*> arguments;
    for (unsigned s = 0; s < operation.count; ++s)
        arguments.push_back(to_type(sources[s], operation.sources[s], !all_uniform));
    llvm::Value* result = OperationBodies::apply(b_, *bodies_.find(operation.function), arguments, !all_uniform);
    const unsigned bits = bits_of(plan.writes[0]);
    result = from_type(result, operation.result, bits, !all_uniform);
    return all_uniform ? uniform(result, bits) : lanes(result, bits);
}

Emitter::Value Emitter::compute_affine(Node& node, const LaneShape& shape) {
    const Plan& plan = plan_.plan(node.instruction);
    const Instruction& instruction = code_.instructions[node.instruction];
    const bool from_32 = plan.rule == AffineRule::wide_product || plan.rule == AffineRule::wide_product_sum ||
                         plan.rule == AffineRule::widen;
    const unsigned bits = plan.bits, source_bits = from_32 ? 32 : plan.rule == AffineRule::narrow ? 64 : bits;
    struct Numbers {
        llvm::Value *base, *step, *half;
    };
    const auto numbers = [&](const Value& value) -> Numbers {
        return {value.base, distance(value.shape.step, value.step, value.bits),
                distance(value.shape.half, value.half, value.bits)};
    };
    /// 32 bits as 64: the lanes must not wrap around in 32.
    const auto widened = [&](const Value& value) -> Numbers {
        const auto extend = [&](llvm::Value* v, bool sign) {
            return sign ? b_.CreateSExt(v, integer(64)) : b_.CreateZExt(v, integer(64));
        };
        const Numbers narrow = numbers(value);
        const Numbers wide{extend(narrow.base, plan.is_signed), extend(narrow.step, true), extend(narrow.half, true)};
        if (value.shape.is_uniform()) return wide;
        llvm::Value* zero = b_.getInt64(0);
        llvm::Value* across = b_.CreateMul(wide.step, b_.getInt64(half_warp - 1));
        const auto extreme = [&](llvm::Intrinsic::ID id) {
            return b_.CreateAdd(wide.base, b_.CreateAdd(b_.CreateBinaryIntrinsic(id, zero, across),
                                                        b_.CreateBinaryIntrinsic(id, zero, wide.half)));
        };
        const std::int64_t least = plan.is_signed ? std::numeric_limits<std::int32_t>::min() : 0;
        const std::int64_t most = plan.is_signed ? std::numeric_limits<std::int32_t>::max()
                                                 : std::int64_t{std::numeric_limits<std::uint32_t>::max()};
        checks_.push_back(
            b_.CreateICmpSGE(extreme(llvm::Intrinsic::smin), b_.getInt64(static_cast<std::uint64_t>(least))));
        checks_.push_back(
            b_.CreateICmpSLE(extreme(llvm::Intrinsic::smax), b_.getInt64(static_cast<std::uint64_t>(most))));
        return wide;
    };
    const auto each = [&](const Numbers& a, const Numbers& c, auto&& combine_two) -> Numbers {
        return {combine_two(a.base, c.base), combine_two(a.step, c.step), combine_two(a.half, c.half)};
    };
    const auto add = [&](llvm::Value* x, llvm::Value* y) { return b_.CreateAdd(x, y); };
    const Value a = operand(node, instruction.a, source_bits);
    Numbers made{};
    const auto scaled = [&](const Numbers& progression, llvm::Value* factor) -> Numbers {
        return {b_.CreateMul(progression.base, factor), b_.CreateMul(progression.step, factor),
                b_.CreateMul(progression.half, factor)};
    };
    const auto product = [&]() -> Numbers {
        const Value second = operand(node, instruction.b, source_bits);
        const Numbers x = from_32 ? widened(a) : numbers(a), y = from_32 ? widened(second) : numbers(second);
        return second.shape.is_uniform() ? scaled(x, y.base) : scaled(y, x.base);
    };
    switch (plan.rule) {
        case AffineRule::sum:
            made = each(numbers(a), numbers(operand(node, instruction.b, bits)), add);
            break;
        case AffineRule::difference:
            made = each(numbers(a), numbers(operand(node, instruction.b, bits)),
                        [&](llvm::Value* x, llvm::Value* y) { return b_.CreateSub(x, y); });
            break;
        case AffineRule::product:
        case AffineRule::wide_product:
            made = product();
            break;
        case AffineRule::product_sum:
        case AffineRule::wide_product_sum:
            made = each(product(), numbers(operand(node, instruction.c, bits)), add);
            break;
        case AffineRule::shift:
            made = scaled(numbers(a),
                          ConstantInt::get(integer(bits), std::uint64_t{1} << (plan_.constant(instruction.b) & 63)));
            break;
        case AffineRule::widen:
            made = widened(a);
            break;
        case AffineRule::narrow: {
            const Numbers wide = numbers(a);
            made = {b_.CreateTrunc(wide.base, integer(bits)), b_.CreateTrunc(wide.step, integer(bits)),
                    b_.CreateTrunc(wide.half, integer(bits))};
            break;
        }
        case AffineRule::none:
            break;
    }
    return {shape,  bits, made.base, shape.step.known ? nullptr : made.step, shape.half.known ? nullptr : made.half,
            nullptr};
}

void Emitter::compare(Node& node) {
    const std::uint32_t i = node.instruction;
    const Plan& plan = plan_.plan(i);
    const Instruction& instruction = code_.instructions[i];
    const LaneOperation& operation = *code_.operations[i];
    const unsigned bits = type_bytes(operation.sources[0]) > 4 ? 64 : 32;
    const Value a = operand(node, instruction.a, bits), c = operand(node, instruction.b, bits);
    const bool combines = plan.to_value && instruction.option != 0;
    Value other;
    if (combines) other = operand(node, instruction.c, 1);
    const bool together = a.shape.is_uniform() && c.shape.is_uniform() && (!combines || other.shape.affine);
    llvm::Value* truth = OperationBodies::apply(
        b_, *bodies_.find(operation.function),
        {to_type(a, operation.sources[0], !together), to_type(c, operation.sources[1], !together)}, !together);
    const auto combined = [&](llvm::Value* value) {
        if (!combines) return value;
        llvm::Value* second = together ? other.base : vector_of(other);
        if (instruction.count != 0) second = b_.CreateNot(second);
        return instruction.option == 1   ? b_.CreateAnd(value, second)
               : instruction.option == 2 ? b_.CreateOr(value, second)
                                         : b_.CreateXor(value, second);
    };
    const auto result = [&](llvm::Value* value) { return together ? uniform(value, 1) : lanes(value, 1); };
    for (std::uint32_t r : plan.writes) {
        if (plan.to_value && r == instruction.extra && r != instruction.d) {
            node.results[r] = result(combined(b_.CreateNot(truth)));
        } else {
            node.results[r] = result(combined(truth));
        }
    }
}

Emitter::Value Emitter::combine(Node& node) {
    const std::uint32_t i = node.instruction;
    const Instruction& instruction = code_.instructions[i];
    const std::string& mnemonic = code_.written[i]->mnemonic;
    const Value a = operand(node, instruction.a, 1);
    const bool binary = mnemonic != "not" && mnemonic != "mov";
    Value second = a;
    if (binary) second = operand(node, instruction.b, 1);
    const bool together = a.shape.affine && second.shape.affine;
    llvm::Value *x = together ? a.base : vector_of(a), *y = together ? second.base : vector_of(second);
    if (mnemonic == "mov") {
        if (instruction.immediate != 0) x = b_.CreateNot(x);
    } else if (mnemonic == "not") {
        x = b_.CreateNot(x);
    } else {
        if (instruction.option & 1) x = b_.CreateNot(x);
        if (instruction.option & 2) y = b_.CreateNot(y);
        x = mnemonic == "and" ? b_.CreateAnd(x, y) : mnemonic == "or" ? b_.CreateOr(x, y) : b_.CreateXor(x, y);
    }
    return together ? uniform(x, 1) : lanes(x, 1);
}

// ---- Accesses

Emitter::Place Emitter::resolve(Node& node) {
    const Plan& plan = plan_.plan(node.instruction);
    const Instruction& instruction = code_.instructions[node.instruction];
    return resolve(node, instruction.immediate, std::uint64_t{plan.element} * std::max<unsigned>(instruction.count, 1));
}

/// Loads at distances from one address, as unrolled loops have them, are one span.
void Emitter::resolve_together(const std::vector<std::uint32_t>& loads) {
    const auto size_of = [&](const Node& node) {
        return std::int64_t{plan_.plan(node.instruction).element} *
               std::max<unsigned>(code_.instructions[node.instruction].count, 1);
    };
    const auto same_address = [&](Node& a, Node& other) {
        const std::uint32_t x = code_.instructions[a.instruction].a, y = code_.instructions[other.instruction].a;
        if (plan_.is_constant(x) || plan_.is_constant(y)) return false;
        const Value p = value_of(x, a.sources.at(x)), q = value_of(y, other.sources.at(y));
        return p.shape == q.shape && p.bits == q.bits && p.base == q.base && p.step == q.step && p.half == q.half &&
               p.lanes == q.lanes;
    };
    for (std::size_t first = 0; first < loads.size(); ++first) {
        Node& node = nodes_[loads[first]];
        if (node.place) continue;
        const std::int64_t size = size_of(node), own = code_.instructions[node.instruction].immediate;
        constexpr std::int64_t widest = 1 << 20;
        std::vector<Node*> group;
        std::int64_t low = own, high = own;
        for (std::size_t other = first; other < loads.size(); ++other) {
            Node& also = nodes_[loads[other]];
            const std::int64_t at = code_.instructions[also.instruction].immediate;
            const bool fits = !also.place && same_address(node, also) && size_of(also) == size &&
                              plan_.plan(also.instruction).shared == plan_.plan(node.instruction).shared &&
                              at > own - widest && at < own + widest && (at - own) % size == 0;
            if (&also != &node && !fits) continue;
            group.push_back(&also);
            low = std::min(low, at);
            high = std::max(high, at);
        }
        const Place all = resolve(node, low, static_cast<std::uint64_t>(high - low + size));
        checks_.push_back(all.ok);
        for (Node* each : group) {
            llvm::Value* further =
                b_.getInt64(static_cast<std::uint64_t>(code_.instructions[each->instruction].immediate - low));
            Place place = all;
            if (place.scattered) {
                place.lanes = b_.CreateAdd(place.lanes, splat(further));
            } else {
                place.base = b_.CreateAdd(place.base, further);
            }
            each->place = place;
        }
    }
}

/// Where the lanes of an access go, and whether they may: what exec/memory_access.h says of it.
Emitter::Place Emitter::resolve(Node& node, std::int64_t immediate, std::uint64_t extent) {
    const Plan& plan = plan_.plan(node.instruction);
    const Instruction& instruction = code_.instructions[node.instruction];
    const Value address = operand(node, instruction.a, plan_.is_constant(instruction.a) ? 64 : bits_of(instruction.a));
    const std::uint64_t size = std::uint64_t{plan.element} * std::max<unsigned>(instruction.count, 1);
    llvm::Value *begin, *bytes, *bias, *allowed = nullptr;
    if (plan.shared) {
        begin = shared_begin_;
        bytes = shared_bytes_;
        bias = b_.CreateSub(shared_, shared_begin_);
    } else {
        const auto field = [&](llvm::Type* type, std::size_t offset) {
            return input_load(
                type,
                b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), ranges_, instruction.cache * sizeof(Range) + offset),
                type->isIntegerTy(8) ? 1 : 8);
        };
        begin = field(b_.getInt64Ty(), offsetof(Range, begin));
        bytes = b_.CreateSub(field(b_.getInt64Ty(), offsetof(Range, end)), begin);
        bias = field(b_.getInt64Ty(), offsetof(Range, host_offset));
        if (plan.work == Work::store)
            allowed = b_.CreateICmpEQ(field(b_.getInt8Ty(), offsetof(Range, read_only)), b_.getInt8(0));
    }
    Place place;
    auto* added = ConstantInt::get(integer(address.bits), static_cast<std::uint64_t>(immediate));
    const auto to_64 = [&](llvm::Value* value, bool sign) {
        llvm::Type* type = integer(64);
        if (value->getType()->isVectorTy()) type = vector(type);
        return sign ? b_.CreateSExt(value, type) : b_.CreateZExt(value, type);
    };
    llvm::Value* ok;
    if (address.shape.affine) {
        place.step = address.shape.step;
        place.half = address.shape.half;
        constexpr std::int64_t longest = longest_step;
        std::vector<llvm::Value*> conditions;
        const auto bounded = [&](const Distance& known, llvm::Value* dynamic) -> llvm::Value* {
            if (known.known) {
                if (is_too_long(known.value)) conditions.push_back(b_.getFalse());
                return b_.getInt64(static_cast<std::uint64_t>(known.value));
            }
            llvm::Value* wide = to_64(dynamic, true);
            conditions.push_back(b_.CreateICmpULE(b_.CreateAdd(wide, b_.getInt64(static_cast<std::uint64_t>(longest))),
                                                  b_.getInt64(static_cast<std::uint64_t>(2 * longest))));
            return wide;
        };
        place.step_value = bounded(place.step, address.step);
        place.half_value = bounded(place.half, address.half);
        llvm::Value *zero = b_.getInt64(0), *across = b_.CreateMul(place.step_value, b_.getInt64(half_warp - 1));
        const auto extreme = [&](llvm::Intrinsic::ID id) -> llvm::Value* {
            return b_.CreateAdd(b_.CreateBinaryIntrinsic(id, zero, across),
                                b_.CreateBinaryIntrinsic(id, zero, place.half_value));
        };
        llvm::Value* low = address.shape.is_uniform() ? zero : extreme(llvm::Intrinsic::smin);
        llvm::Value* reach = address.shape.is_uniform() ? zero : b_.CreateSub(extreme(llvm::Intrinsic::smax), low);
        llvm::Value* first = b_.CreateAdd(address.base, added);
        llvm::Value* lowest = to_64(b_.CreateAdd(first, b_.CreateTrunc(low, integer(address.bits))), false);
        llvm::Value* before = b_.CreateSub(lowest, begin);
        ok = b_.CreateICmpULT(before, bytes);
        ok = b_.CreateAnd(ok, b_.CreateICmpUGE(b_.CreateSub(bytes, before), b_.CreateAdd(reach, b_.getInt64(extent))));
        for (llvm::Value* condition : conditions) ok = b_.CreateAnd(ok, condition);
        if (size > 1) {
            llvm::Value* all_bits = b_.CreateOr(lowest, b_.CreateOr(place.step_value, place.half_value));
            ok = b_.CreateAnd(ok, b_.CreateICmpEQ(b_.CreateAnd(all_bits, b_.getInt64(size - 1)), zero));
        }
        place.base = b_.CreateAdd(b_.CreateSub(lowest, low), bias);
    } else {
        place.scattered = true;
        llvm::Value* all = to_64(b_.CreateAdd(address.lanes, splat(added)), false);
        llvm::Value* room = b_.CreateSub(bytes, b_.getInt64(extent));
        llvm::Value* inside = b_.CreateICmpULE(b_.CreateSub(all, splat(begin)), splat(room));
        if (size > 1) {
            llvm::Value* low_bits = b_.CreateAnd(all, splat(b_.getInt64(size - 1)));
            inside = b_.CreateAnd(inside, b_.CreateICmpEQ(low_bits, llvm::Constant::getNullValue(low_bits->getType())));
        }
        ok = b_.CreateAnd(all_of(inside), b_.CreateICmpUGE(bytes, b_.getInt64(extent)));
        place.lanes = b_.CreateAdd(all, splat(bias));
    }
    if (allowed) ok = b_.CreateAnd(ok, allowed);
    place.ok = ok;
    return place;
}

llvm::Value* Emitter::gather_addresses(const Place& place) {
    if (place.scattered) return place.lanes;
    llvm::Value* steps = b_.CreateMul(splat(place.step_value), lane_numbers(64, false));
    llvm::Value* halves = b_.CreateMul(splat(place.half_value), lane_numbers(64, true));
    return b_.CreateAdd(splat(place.base), b_.CreateAdd(steps, halves));
}

void Emitter::load(Node& node) {
    const std::uint32_t i = node.instruction;
    const Plan& plan = plan_.plan(i);
    const Instruction& instruction = code_.instructions[i];
    if (!node.place) {
        node.place = resolve(node);
        checks_.push_back(node.place->ok);
        flush_checks();
    }
    const Place& place = *node.place;
    const bool uniform_address = !place.scattered && place.step == Distance{} && place.half == Distance{};
    const unsigned count = std::max<unsigned>(instruction.count, 1), size = plan.element * count;
    llvm::IntegerType* element = integer(plan.element * 8u);
    const llvm::Align alignment(plan.element);
    const auto offset_by = [&](llvm::Value* where, std::uint64_t bytes) {
        llvm::Value* more = ConstantInt::get(integer(64), bytes);
        if (where->getType()->isVectorTy()) more = splat(more);
        return bytes == 0 ? where : b_.CreateAdd(where, more);
    };
    const auto load_at = [&](llvm::Type* type, llvm::Value* where) -> llvm::Value* {
        auto* made = b_.CreateAlignedLoad(type, data_pointer(where), alignment);
        mark_data(made);
        return made;
    };
    const auto widened = [&](llvm::Value* value, unsigned to) {
        llvm::Type* type = integer(to);
        if (value->getType()->isVectorTy()) type = vector(type);
        return plan.sign_extends ? b_.CreateSExtOrTrunc(value, type) : b_.CreateZExtOrTrunc(value, type);
    };
    std::vector<llvm::Value*> rows;  // by element, where a whole row of memory was loaded
    const bool unit = !place.scattered && place.step == Distance{true, size};
    if (unit) {
        const bool one = place.half == Distance{true, std::int64_t{size} * half_warp};
        llvm::Value* row;
        std::vector<int> order;
        if (one) {
            row = load_at(vector(element, lanes_of_warp * count), place.base);
        } else {
            auto* half = vector(element, half_warp * count);
            llvm::Value* lower = load_at(half, place.base);
            llvm::Value* upper = load_at(half, b_.CreateAdd(place.base, place.half_value));
            for (unsigned l = 0; l < lanes_of_warp * count; ++l) order.push_back(static_cast<int>(l));
            row = b_.CreateShuffleVector(lower, upper, order);
        }
        for (unsigned e = 0; e < count; ++e) {
            if (count == 1) {
                rows.push_back(row);
                break;
            }
            order.clear();
            for (unsigned l = 0; l < lanes_of_warp; ++l) order.push_back(static_cast<int>(l * count + e));
            rows.push_back(b_.CreateShuffleVector(row, order));
        }
    }
    for (unsigned e = 0; e < count; ++e) {
        const std::uint32_t to = instruction.count ? code_.operands[instruction.extra + e] : instruction.d;
        if (std::ranges::find(plan.writes, to) == plan.writes.end()) continue;
        const unsigned to_bits = bits_of(to);
        const std::uint64_t at = std::uint64_t{e} * plan.element;
        if (uniform_address) {
            node.results[to] = uniform(widened(load_at(element, offset_by(place.base, at)), to_bits), to_bits);
        } else if (!place.scattered && place.step == Distance{} && instruction.count == 0) {
            llvm::Value* lower = widened(load_at(element, place.base), to_bits);
            llvm::Value* upper = widened(load_at(element, b_.CreateAdd(place.base, place.half_value)), to_bits);
            node.results[to] = {LaneShape{true, {}, {false, 0}}, to_bits, lower, nullptr,
                                b_.CreateSub(upper, lower),      nullptr};
        } else if (unit) {
            node.results[to] = lanes(widened(rows[e], to_bits), to_bits);
        } else {
            auto* made =
                b_.CreateMaskedGather(vector(element), data_pointer(offset_by(gather_addresses(place), at)), alignment,
                                      active_, active_ ? llvm::Constant::getNullValue(vector(element)) : nullptr);
            mark_data(made);
            node.results[to] = lanes(widened(made, to_bits), to_bits);
        }
    }
}

void Emitter::store(Node& node) {
    const std::uint32_t i = node.instruction;
    const Plan& plan = plan_.plan(i);
    const Instruction& instruction = code_.instructions[i];
    node.done = true;
    const Place place = resolve(node);
    const bool uniform_address = !place.scattered && place.step == Distance{} && place.half == Distance{};
    checks_.push_back(place.ok);
    const unsigned count = std::max<unsigned>(instruction.count, 1), size = plan.element * count;
    llvm::IntegerType* element = integer(plan.element * 8u);
    std::vector<Value> values;
    for (unsigned e = 0; e < count; ++e) {
        const std::uint32_t from = instruction.count ? code_.operands[instruction.extra + e] : instruction.d;
        values.push_back(operand(node, from, plan_.is_constant(from) ? (plan.element > 4 ? 64u : 32u) : bits_of(from)));
    }
    flush_checks();
    own_store(b_.getInt8(1), state_field(offsetof(CompiledState, wrote)), 1);
    const llvm::Align alignment(plan.element);
    const auto store_at = [&](llvm::Value* value, llvm::Value* where) {
        mark_data(b_.CreateAlignedStore(value, data_pointer(where), alignment));
    };
    const auto narrowed = [&](const Value& value) { return b_.CreateZExtOrTrunc(vector_of(value), vector(element)); };
    const unsigned at_once = std::min<unsigned>(lanes_of_warp, 128 / size);
    const bool unit = !place.scattered && place.step == Distance{true, size};
    const bool one = unit && place.half == Distance{true, std::int64_t{size} * half_warp};
    if (plan_.whole() && uniform_address) {
        // Of lanes that store to one place together the lowest stays; the last such part comes last.
        for (unsigned e = 0; e < count; ++e) {
            llvm::Value* value =
                values[e].shape.is_uniform()
                    ? values[e].base
                    : b_.CreateExtractElement(vector_of(values[e]), std::uint64_t{lanes_of_warp - at_once});
            store_at(b_.CreateZExtOrTrunc(value, element),
                     b_.CreateAdd(place.base, b_.getInt64(std::uint64_t{e} * plan.element)));
        }
        return;
    }
    if (one && (count == 1 || plan_.whole())) {
        llvm::Value* row = narrowed(values[0]);
        if (count > 1) {
            std::vector<llvm::Value*> parts;
            for (const Value& value : values) parts.push_back(narrowed(value));
            std::vector<int> both, order;
            for (unsigned l = 0; l < 2 * lanes_of_warp; ++l) both.push_back(static_cast<int>(l));
            llvm::Value* all = b_.CreateShuffleVector(parts[0], parts[1], both);
            if (count == 4) {
                llvm::Value* upper = b_.CreateShuffleVector(parts[2], parts[3], both);
                for (unsigned l = 0; l < 4 * lanes_of_warp; ++l) order.push_back(static_cast<int>(l));
                all = b_.CreateShuffleVector(all, upper, order);
                order.clear();
            }
            for (unsigned l = 0; l < lanes_of_warp; ++l)
                for (unsigned e = 0; e < count; ++e) order.push_back(static_cast<int>(e * lanes_of_warp + l));
            row = b_.CreateShuffleVector(all, order);
        }
        if (plan_.whole()) return store_at(row, place.base);
        mark_data(b_.CreateMaskedStore(row, data_pointer(place.base), alignment, active_));
        return;
    }
    if (unit && count == 1 && plan_.whole()) {
        llvm::Value* row = narrowed(values[0]);
        std::vector<int> lower, upper;
        for (unsigned l = 0; l < half_warp; ++l)
            lower.push_back(static_cast<int>(l)), upper.push_back(static_cast<int>(l + half_warp));
        const auto store_half = [&](bool second) {
            store_at(b_.CreateShuffleVector(row, second ? upper : lower),
                     second ? b_.CreateAdd(place.base, place.half_value) : place.base);
        };
        store_half(at_once == lanes_of_warp);
        store_half(at_once != lanes_of_warp);
        return;
    }
    // Lane by lane, in the order in which they store.
    std::vector<int> order;
    for (unsigned first = 0; first < lanes_of_warp; first += at_once)
        for (unsigned l = first + at_once; l-- > first;) order.push_back(static_cast<int>(l));
    llvm::Value* addresses = b_.CreateShuffleVector(gather_addresses(place), order);
    for (unsigned e = 0; e < count; ++e) {
        llvm::Value* where = addresses;
        if (e != 0) where = b_.CreateAdd(where, splat(b_.getInt64(std::uint64_t{e} * plan.element)));
        mark_data(b_.CreateMaskedScatter(b_.CreateShuffleVector(narrowed(values[e]), order), data_pointer(where),
                                         alignment, active_in_order(order)));
    }
}

void Emitter::call_handler(Node& node) {
    const std::uint32_t i = node.instruction;
    const Plan& plan = plan_.plan(i);
    node.done = true;
    for (auto& [r, definition] : node.sources) value_of(r, definition);
    flush_checks();
    for (auto& [r, definition] : node.sources) store_register(r, definition.value);
    const Instruction* instruction = &code_.instructions[i];
    if (plan.chains) {
        auto& copy = alone_.emplace_back();
        copy[0] = *instruction;
        copy[1].run = run_end_of_one;
        instruction = copy.data();
    }
    llvm::Value* only = b_.CreateIntToPtr(b_.getInt64(reinterpret_cast<std::uint64_t>(instruction)), b_.getPtrTy());
    auto* type = llvm::FunctionType::get(b_.getInt1Ty(), {b_.getPtrTy(), b_.getPtrTy()}, false);
    llvm::Value* callee =
        b_.CreateIntToPtr(b_.getInt64(reinterpret_cast<std::uint64_t>(&run_one_handler)), b_.getPtrTy());
    auto* call = b_.CreateCall(type, callee, {state_, only});
    call->addRetAttr(llvm::Attribute::ZExt);
    call->setDoesNotThrow();
    auto* done = BasicBlock::Create(context_, "handled", function_);
    auto* fault = BasicBlock::Create(context_, "fault", function_);
    b_.CreateCondBr(call, done, fault, llvm::MDBuilder(context_).createBranchWeights(1000, 1));
    b_.SetInsertPoint(fault);
    const Head& head = heads_[piece_];
    own_store(head.executed, state_field(offsetof(CompiledState, executed)), 8);
    own_store(head.segment, state_field(offsetof(CompiledState, segment)), 4);
    own_store(head.slice, state_field(offsetof(CompiledState, slice)), 4);
    b_.CreateRet(b_.getInt32(static_cast<std::uint32_t>(CompiledExit::fault)));
    b_.SetInsertPoint(done);
    for (std::uint32_t r : plan.writes) definitions_[r] = {-1, load_register(r)};
}

}  // namespace cudash::virtual_gpu
