// The part of the emitter that has loops that one lane after the other goes through (lane_loop_plan.cpp). Nothing in
// such a loop changes what others see. So where a check fails all is as before it, and the lanes go through the loop
// together, as through any other, to where the interpreter finds the mistake. Instructions are counted as if they had
// been together all the time: as many rounds as the slowest lane needs.
#include <algorithm>

#include <llvm/IR/Intrinsics.h>

#include "runtime_wrappers/virtual_gpu/jit/emitter.h"

namespace cudash::virtual_gpu {
namespace {

using llvm::BasicBlock;
using llvm::PHINode;

}  // namespace

struct Emitter::LaneLoop {
    std::uint32_t piece = 0;
    Head* head = nullptr;
    std::set<std::uint32_t> written;  ///< registers
    Definitions before;               ///< of all lanes
    std::map<std::uint32_t, llvm::AllocaInst*> words;
    llvm::Value* limit = nullptr;  ///< rounds
    BasicBlock *next_lane = nullptr, *lane_ends = nullptr, *ends = nullptr, *together = nullptr;
    // Of the lanes so far: those to come, their rounds, the most of them, and those that have more to do.
    PHINode *lanes = nullptr, *rounds = nullptr, *most = nullptr, *left = nullptr;
    // Of the lane.
    std::map<std::uint32_t, Value> values;
    llvm::Value *own_rounds = nullptr, *goes_on = nullptr;
    // Of all of them.
    llvm::Value *all_rounds = nullptr, *most_rounds = nullptr, *all_left = nullptr;
};

llvm::AllocaInst* Emitter::words_of_lanes(unsigned bits) {
    llvm::IRBuilderBase::InsertPointGuard guard(b_);
    BasicBlock& entry = function_->getEntryBlock();
    b_.SetInsertPoint(&entry, entry.begin());
    auto* made = b_.CreateAlloca(vector(integer(bits == 1 ? 8 : bits)));
    made->setAlignment(llvm::Align(64));
    return made;
}

void Emitter::emit_lane_loop(std::uint32_t p) {
    const Piece& piece = plan_.pieces()[p];
    Head& head = run_alone_.at(p);
    piece_ = p;
    lanes_ = &head.lanes;
    b_.SetInsertPoint(head.block);
    nodes_.clear();
    definitions_.clear();
    scaled_.clear();
    in_frame_ = piece.in_frame;
    mask_ = head.lanes.mask;
    active_ = nullptr;
    for (const auto& [r, value] : head.values) definitions_[r] = {-1, value};

    LaneLoop loop;
    loop.piece = p;
    loop.head = &head;
    loop.before = definitions_;
    std::set<std::uint32_t> touched;
    for (std::uint32_t i = piece.first; i <= piece.last; ++i) {
        const Plan& plan = plan_.plan(i);
        loop.written.insert(plan.writes.begin(), plan.writes.end());
        touched.insert(plan.reads.begin(), plan.reads.end());
    }
    touched.insert(loop.written.begin(), loop.written.end());
    for (const auto& [r, value] : head.values) {
        if (!touched.contains(r) || (value.shape.is_uniform() && !loop.written.contains(r))) continue;
        llvm::AllocaInst* const words = loop.words[r] = words_of_lanes(value.bits);
        llvm::Value* all = vector_of(value);
        if (value.bits == 1) all = b_.CreateZExt(all, vector(integer(8)));
        b_.CreateAlignedStore(all, words, words->getAlign());
    }
    for (BasicBlock** block : {&loop.next_lane, &loop.lane_ends, &loop.ends, &loop.together})
        *block = BasicBlock::Create(context_, "by_lane", function_);
    // The last round of a slice is one of all lanes, which ends it.
    loop.limit = b_.CreateSub(head.counts.slice, b_.getInt32(1));
    b_.CreateCondBr(b_.CreateICmpSGT(loop.limit, b_.getInt32(0)), loop.next_lane, loop.together);
    begin_lane(loop);
    emit_round(loop);
    end_lane(loop);
    end_lane_loop(loop);
    b_.SetInsertPoint(loop.together);
    definitions_ = loop.before;
    in_frame_ = piece.in_frame;
    connect(heads_[p], head.counts, head.lanes);
}

void Emitter::begin_lane(LaneLoop& loop) {
    b_.SetInsertPoint(loop.next_lane);
    for (PHINode** phi : {&loop.lanes, &loop.rounds, &loop.most, &loop.left}) {
        *phi = b_.CreatePHI(b_.getInt32Ty(), 2);
        (*phi)->addIncoming(*phi == loop.lanes ? mask_ : b_.getInt32(0), loop.head->block);
    }
    lane_ = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, loop.lanes, b_.getTrue());
    for (const auto& [r, value] : loop.head->values) {
        const auto words = loop.words.find(r);
        if (words == loop.words.end()) {
            if (value.shape.is_uniform()) loop.values[r] = value;
            continue;
        }
        llvm::Type* const word = integer(value.bits == 1 ? 8 : value.bits);
        llvm::Value* own = b_.CreateLoad(word, b_.CreateGEP(word, words->second, lane_));
        if (value.bits == 1) own = b_.CreateTrunc(own, integer(1));
        loop.values[r] = uniform(own, value.bits);
    }
}

/// All that a lane's round does, as of values that are the same in all lanes.
void Emitter::emit_round(LaneLoop& loop) {
    const Piece& piece = plan_.pieces()[loop.piece];
    BasicBlock* const before = b_.GetInsertBlock();
    auto* const round = BasicBlock::Create(context_, "round", function_);
    b_.CreateBr(round);
    b_.SetInsertPoint(round);
    auto* const done = b_.CreatePHI(b_.getInt32Ty(), 2);
    done->addIncoming(b_.getInt32(0), before);
    nodes_.clear();
    definitions_.clear();
    std::map<std::uint32_t, PHINode*> phis;
    for (std::uint32_t r : loop.written) {
        const unsigned bits = bits_of(r);
        const auto known = loop.values.find(r);
        if (known == loop.values.end()) {
            definitions_[r] = {-1, uniform(llvm::PoisonValue::get(integer(bits)), bits)};
            continue;
        }
        phis[r] = b_.CreatePHI(integer(bits), 2);
        phis[r]->addIncoming(known->second.base, before);
        known->second = uniform(phis[r], bits);
    }
    for (const auto& [r, value] : loop.values) definitions_[r] = {-1, value};
    segment_loads_.clear();
    first_node_ = 0;
    leaving_ = loop.together;
    for (std::uint32_t i = piece.first; i < piece.last; ++i)
        if (plan_.plan(i).work != Work::nothing) add_node(i);
    finish_segment(piece.last + 1);
    for (auto& [r, value] : loop.values) value = value_of(r, definitions_.at(r));
    const Instruction& last = code_.instructions[piece.last];
    const std::uint32_t guard = last.guard & ~1u;
    loop.goes_on = plan_.is_constant(guard) ? constant(guard, 1).base : value_of(guard, definitions_.at(guard)).base;
    if ((last.guard & 1) != 0) loop.goes_on = b_.CreateNot(loop.goes_on);
    flush_checks();
    loop.own_rounds = b_.CreateAdd(done, b_.getInt32(1));
    llvm::Value* const again = b_.CreateAnd(loop.goes_on, b_.CreateICmpSLT(loop.own_rounds, loop.limit));
    BasicBlock* const end = b_.GetInsertBlock();
    done->addIncoming(loop.own_rounds, end);
    for (const auto& [r, phi] : phis) phi->addIncoming(loop.values.at(r).base, end);
    b_.CreateCondBr(again, round, loop.lane_ends);
}

void Emitter::end_lane(LaneLoop& loop) {
    b_.SetInsertPoint(loop.lane_ends);
    for (const auto& [r, words] : loop.words) {
        if (!loop.written.contains(r)) continue;
        const Value& value = loop.values.at(r);
        llvm::Type* const word = integer(value.bits == 1 ? 8 : value.bits);
        b_.CreateStore(b_.CreateZExt(value.base, word), b_.CreateGEP(word, words, lane_));
    }
    loop.all_rounds = b_.CreateAdd(loop.rounds, loop.own_rounds);
    loop.most_rounds = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, loop.most, loop.own_rounds);
    llvm::Value* const bit = b_.CreateShl(b_.CreateZExt(loop.goes_on, b_.getInt32Ty()), lane_);
    loop.all_left = b_.CreateOr(loop.left, bit);
    llvm::Value* const others = b_.CreateAnd(loop.lanes, b_.CreateSub(loop.lanes, b_.getInt32(1)));
    loop.lanes->addIncoming(others, loop.lane_ends);
    loop.rounds->addIncoming(loop.all_rounds, loop.lane_ends);
    loop.most->addIncoming(loop.most_rounds, loop.lane_ends);
    loop.left->addIncoming(loop.all_left, loop.lane_ends);
    b_.CreateCondBr(b_.CreateICmpNE(others, b_.getInt32(0)), loop.next_lane, loop.ends);
    lane_ = nullptr;
}

/// The first round may have begun in the midst of what is counted together.
Emitter::Counts Emitter::counts_behind(const LaneLoop& loop) {
    const Piece& piece = plan_.pieces()[loop.piece];
    const Counts& before = loop.head->counts;
    const auto wide = [&](llvm::Value* number) { return b_.CreateZExt(number, b_.getInt64Ty()); };
    const auto lanes_in = [&](llvm::Value* mask) {
        return wide(b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask));
    };
    const std::uint32_t end = code_.instructions[piece.last].ordinal + 1;
    llvm::Value* const first = wide(b_.CreateSub(b_.getInt32(end), before.segment));
    llvm::Value* const each = b_.getInt64(end - code_.instructions[piece.first].ordinal);
    llvm::Value* const more = b_.CreateSub(wide(loop.most_rounds), b_.getInt64(1));
    llvm::Value* const executed = b_.CreateAdd(first, b_.CreateMul(more, each));
    llvm::Value* const there = lanes_in(mask_);
    llvm::Value* const by_lanes =
        b_.CreateAdd(b_.CreateMul(first, there), b_.CreateMul(each, b_.CreateSub(wide(loop.all_rounds), there)));
    Counts made = before;
    made.executed = b_.CreateAdd(before.executed, executed);
    made.fewer = b_.CreateAdd(before.fewer, b_.CreateSub(b_.CreateMul(executed, lanes_in(root_mask())), by_lanes));
    made.slice = b_.CreateSub(before.slice, loop.most_rounds);
    return made;
}

/// The lanes that have more to do go on together.
void Emitter::end_lane_loop(LaneLoop& loop) {
    const Piece& piece = plan_.pieces()[loop.piece];
    b_.SetInsertPoint(loop.ends);
    nodes_.clear();
    definitions_ = loop.before;
    const auto written_word = [&](std::uint32_t r, llvm::AllocaInst* words) {
        const unsigned bits = bits_of(r);
        llvm::Value* all = b_.CreateAlignedLoad(words->getAllocatedType(), words, words->getAlign());
        if (bits == 1) all = b_.CreateTrunc(all, vector(integer(1)));
        return lanes(all, bits);
    };
    for (const auto& [r, words] : loop.words)
        if (loop.written.contains(r)) definitions_[r] = {-1, written_word(r, words)};
    for (std::uint32_t r : loop.written) in_frame_.erase(r);
    Counts counts = counts_behind(loop);
    auto* const over = BasicBlock::Create(context_, "all_are_through", function_);
    auto* const more = BasicBlock::Create(context_, "some_go_on", function_);
    b_.CreateCondBr(b_.CreateICmpEQ(loop.all_left, b_.getInt32(0)), over, more);

    b_.SetInsertPoint(over);
    Counts behind = counts;
    // Who leaves the loop does not come back to its begin.
    behind.slice = b_.CreateAdd(counts.slice, b_.getInt32(1));
    behind.segment = b_.getInt32(code_.instructions[piece.last + 1].ordinal);
    go_to(plan_.piece_at(piece.last + 1), behind, nullptr);

    b_.SetInsertPoint(more);
    llvm::Value* const any = b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, loop.all_left, b_.getTrue());
    for (const auto& [r, words] : loop.words) {
        const Value& value = loop.head->values.at(r);
        if (!loop.written.contains(r) || !value.shape.affine) continue;
        definitions_[r] = {-1, uniform(b_.CreateExtractElement(definitions_.at(r).value.lanes, any), value.bits)};
    }
    counts.segment = b_.getInt32(code_.instructions[piece.first].ordinal);
    Lanes those = loop.head->lanes;
    those.mask = loop.all_left;
    connect(heads_[loop.piece], counts, those);
}

}  // namespace cudash::virtual_gpu
