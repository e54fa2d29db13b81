// The part of the emitter that has turns (CompiledMode): where a warp's begins, what it comes to, and whose follows.
#include <cstddef>

#include <llvm/IR/CFG.h>

#include "runtime_wrappers/virtual_gpu/jit/emitter.h"

namespace cudash::virtual_gpu {
namespace {

using llvm::BasicBlock;

}  // namespace

/// `begin_`, behind `entry`, is where each warp's turn begins, and `end_` where one ends that has come to a barrier, a
/// turn or an exit. Warps whose turns follow each other are a list; those that come to a turn are the next one.
void Emitter::begin_turns(BasicBlock* entry) {
    llvm::Value* const mode = function_->getArg(2);
    const auto is = [&](CompiledMode which) {
        return b_.CreateICmpEQ(mode, b_.getInt32(static_cast<std::uint32_t>(which)));
    };
    round_ = own_load(b_.getInt32Ty(), block_field(offsetof(CompiledBlock, round)), 4);
    alone_mode_ = is(CompiledMode::alone);
    llvm::Value* const chained = is(CompiledMode::chained);
    llvm::Value* const nobody = llvm::ConstantPointerNull::get(b_.getPtrTy());
    begin_ = BasicBlock::Create(context_, "begin", function_);
    end_ = BasicBlock::Create(context_, "end", function_);
    auto* follows = BasicBlock::Create(context_, "follows", function_);
    auto* single = BasicBlock::Create(context_, "single", function_);
    b_.CreateBr(begin_);

    b_.SetInsertPoint(begin_);
    state_ = turns_.warp = b_.CreatePHI(b_.getPtrTy(), 3);
    turns_.first_turn = b_.CreatePHI(b_.getInt1Ty(), 3);
    turns_.first_again = b_.CreatePHI(b_.getPtrTy(), 3);
    turns_.last_again = b_.CreatePHI(b_.getPtrTy(), 3);
    turns_.stop = b_.CreatePHI(b_.getInt32Ty(), 3);
    turns_.same = b_.CreatePHI(b_.getInt1Ty(), 3);
    begin_turn({function_->getArg(0), b_.getTrue(), nobody, nobody, b_.getInt32(no_index), b_.getTrue()}, entry);
    starts_slice_ = b_.CreateAnd(turns_.first_turn, chained);

    b_.SetInsertPoint(end_);
    stop_how_ = b_.CreatePHI(b_.getInt32Ty(), 2);
    stop_ = b_.CreatePHI(b_.getInt32Ty(), 2);
    is_turn_ = b_.CreatePHI(b_.getInt1Ty(), 2);
    b_.CreateCondBr(chained, follows, single);
    b_.SetInsertPoint(single);
    come_back(stop_how_);
    b_.SetInsertPoint(follows);
    emit_following();
    b_.SetInsertPoint(begin_);
}

/// All has been emitted. Where warps only leave for the interpreter, no turn ends here.
void Emitter::end_turns() {
    if (!llvm::pred_empty(end_)) return;
    for (llvm::PHINode* each : {stop_how_, stop_, is_turn_}) {
        each->replaceAllUsesWith(llvm::PoisonValue::get(each->getType()));
        each->eraseFromParent();
    }
}

/// Of the warp `now.warp`, behind `from`.
void Emitter::begin_turn(const Turns<llvm::Value>& now, BasicBlock* from) {
    turns_.warp->addIncoming(now.warp, from);
    turns_.first_turn->addIncoming(now.first_turn, from);
    turns_.first_again->addIncoming(now.first_again, from);
    turns_.last_again->addIncoming(now.last_again, from);
    turns_.stop->addIncoming(now.stop, from);
    turns_.same->addIncoming(now.same, from);
}

/// The warp of `begin_` has had its turn. At a turn, it goes behind those that go on when this list is done.
void Emitter::emit_following() {
    const auto again_of = [&](llvm::Value* warp) {
        return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), warp, offsetof(CompiledState, again));
    };
    auto* again = BasicBlock::Create(context_, "again", function_);
    auto* append = BasicBlock::Create(context_, "append", function_);
    auto* waits = BasicBlock::Create(context_, "waits", function_);
    auto* next = BasicBlock::Create(context_, "next", function_);
    llvm::Value* const in_order = own_load(b_.getPtrTy(), state_field(offsetof(CompiledState, following)), 8);
    llvm::Value* const in_list = own_load(b_.getPtrTy(), again_of(state_), 8);
    llvm::Value* const following = b_.CreateSelect(turns_.first_turn, in_order, in_list);
    b_.CreateCondBr(is_turn_, again, waits);

    b_.SetInsertPoint(again);
    llvm::Value* const is_first = b_.CreateIsNull(turns_.first_again);
    llvm::Value* const first_then = b_.CreateSelect(is_first, state_, turns_.first_again);
    b_.CreateCondBr(is_first, next, append);
    b_.SetInsertPoint(append);
    own_store(state_, again_of(turns_.last_again), 8);
    b_.CreateBr(next);

    b_.SetInsertPoint(waits);
    llvm::Value* const is_first_stop = b_.CreateICmpEQ(turns_.stop, b_.getInt32(no_index));
    llvm::Value* const expected = b_.CreateSelect(is_first_stop, stop_, turns_.stop);
    llvm::Value* const same = b_.CreateAnd(turns_.same, b_.CreateICmpEQ(stop_, expected));
    b_.CreateBr(next);

    b_.SetInsertPoint(next);
    const auto either = [&](llvm::Value* of_turn, llvm::Value* of_stop) {
        auto* made = b_.CreatePHI(of_turn->getType(), 3);
        for (BasicBlock* from : {again, append}) made->addIncoming(of_turn, from);
        made->addIncoming(of_stop, waits);
        return made;
    };
    Turns<llvm::Value> now;
    now.warp = following;
    now.first_turn = turns_.first_turn;
    now.first_again = either(first_then, turns_.first_again);
    now.last_again = either(state_, turns_.last_again);
    now.stop = either(turns_.stop, expected);
    now.same = either(turns_.same, same);
    auto* over = BasicBlock::Create(context_, "list_is_over", function_);
    b_.CreateCondBr(b_.CreateIsNull(following), over, begin_);
    begin_turn(now, next);
    b_.SetInsertPoint(over);
    emit_next_list(now);
}

/// All of a list have had their turns: those that came to turns go on; where there are none, all wait.
void Emitter::emit_next_list(const Turns<llvm::Value>& now) {
    auto* some = BasicBlock::Create(context_, "some_again", function_);
    auto* none = BasicBlock::Create(context_, "all_wait", function_);
    b_.CreateCondBr(b_.CreateIsNull(now.first_again), none, some);

    b_.SetInsertPoint(some);
    llvm::Value* const nobody = llvm::ConstantPointerNull::get(b_.getPtrTy());
    own_store(nobody, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), now.last_again, offsetof(CompiledState, again)), 8);
    b_.CreateBr(begin_);
    begin_turn({now.first_again, b_.getFalse(), nobody, nobody, now.stop, now.same}, some);

    b_.SetInsertPoint(none);
    const auto number = [&](CompiledExit how) { return b_.getInt32(static_cast<std::uint32_t>(how)); };
    come_back(b_.CreateSelect(now.same, number(CompiledExit::together), number(CompiledExit::apart)));
}

void Emitter::come_back(llvm::Value* how) {
    llvm::Value* made = llvm::PoisonValue::get(function_->getReturnType());
    made = b_.CreateInsertValue(made, state_, 0);
    b_.CreateRet(b_.CreateInsertValue(made, how, 1));
}

}  // namespace cudash::virtual_gpu
