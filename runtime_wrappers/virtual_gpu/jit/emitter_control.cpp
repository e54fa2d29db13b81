// The part of the emitter that has control flow: what pieces begin with, the ways between them, lanes that part, and
// the ways out.
#include <cstddef>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/isa/handlers.h"
#include "runtime_wrappers/virtual_gpu/jit/emitter.h"

namespace cudash::virtual_gpu {
namespace {

using llvm::BasicBlock;
using llvm::PHINode;

void add_incoming(llvm::Value* phi, llvm::Value* value, BasicBlock* from) {
    llvm::cast<PHINode>(phi)->addIncoming(value, from);
}

}  // namespace

// ---- What pieces begin with

Emitter::Head Emitter::make_head(const Piece& piece) {
    Head head;
    head.block = BasicBlock::Create(context_, "piece", function_);
    b_.SetInsertPoint(head.block);
    const auto word = [&] { return b_.CreatePHI(b_.getInt32Ty(), 2); };
    head.counts.executed = b_.CreatePHI(b_.getInt64Ty(), 2);
    head.counts.segment = word();
    head.counts.slice = word();
    if (!plan_.levels().empty()) head.counts.fewer = b_.CreatePHI(b_.getInt64Ty(), 2);
    if (piece.is_masked()) head.lanes.mask = word();
    for (std::uint32_t level : piece.levels) head.lanes.expected[level] = word();
    for (std::uint32_t branch : piece.sides) head.lanes.pending[branch] = word();
    for (std::uint32_t r : piece.held) {
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
    return head;
}

void Emitter::make_heads() {
    heads_.resize(plan_.pieces().size());
    for (std::uint32_t p = 0; p < heads_.size(); ++p) {
        const Piece& piece = plan_.pieces()[p];
        if (!piece.reached) continue;
        heads_[p] = make_head(piece);
        if (piece.by_lane) run_alone_[p] = make_head(piece);
    }
}

Emitter::Head& Emitter::head_before(std::uint32_t piece) {
    const auto alone = run_alone_.find(piece);
    return alone == run_alone_.end() ? heads_[piece] : alone->second;
}

/// To what begins with `head`, for the lanes `to`.
void Emitter::connect(Head& head, const Counts& counts, const Lanes& to) {
    std::vector<std::pair<llvm::Value*, llvm::Value*>> values;
    for (auto& [r, phi] : head.values) {
        const auto known = definitions_.find(r);
        const bool is_known = known != definitions_.end() &&
                              (known->second.node < 0 || nodes_[static_cast<std::size_t>(known->second.node)].done);
        if (!is_known) {  // nobody will read it
            for (llvm::Value* part : {phi.base, phi.step, phi.half})
                if (part) values.emplace_back(part, llvm::PoisonValue::get(part->getType()));
            if (!phi.lanes) continue;
            llvm::Value* whole = phi.bits == 1 ? llvm::cast<llvm::CastInst>(phi.lanes)->getOperand(0) : phi.lanes;
            values.emplace_back(whole, llvm::PoisonValue::get(whole->getType()));
            continue;
        }
        const Value from = coerce(value_of(r, known->second), phi.shape);
        if (!phi.shape.affine) {
            llvm::Value* lanes_phi = phi.lanes;
            llvm::Value* given = from.lanes;
            if (phi.bits == 1) {
                lanes_phi = llvm::cast<llvm::CastInst>(phi.lanes)->getOperand(0);
                given = b_.CreateBitCast(given, b_.getInt32Ty());
            }
            values.emplace_back(lanes_phi, given);
            continue;
        }
        values.emplace_back(phi.base, from.base);
        if (phi.step) values.emplace_back(phi.step, from.step);
        if (phi.half) values.emplace_back(phi.half, from.half);
    }
    BasicBlock* from = b_.GetInsertBlock();
    for (auto& [phi, value] : values) add_incoming(phi, value, from);
    add_incoming(head.counts.executed, counts.executed, from);
    add_incoming(head.counts.segment, counts.segment, from);
    add_incoming(head.counts.slice, counts.slice, from);
    if (head.counts.fewer) add_incoming(head.counts.fewer, counts.fewer, from);
    if (head.lanes.mask) add_incoming(head.lanes.mask, to.mask, from);
    for (const auto& [level, phi] : head.lanes.expected) add_incoming(phi, to.expected.at(level), from);
    for (const auto& [branch, phi] : head.lanes.pending) add_incoming(phi, to.pending.at(branch), from);
    b_.CreateBr(head.block);
}

/// From the executor, or from nowhere: all lanes that there are go through it together.
void Emitter::enter_piece(std::uint32_t p) {
    const Piece& piece = plan_.pieces()[p];
    Lanes all;
    all.mask = root_mask();
    for (std::uint32_t level : piece.levels) all.expected[level] = root_mask();
    for (std::uint32_t branch : piece.sides) all.pending[branch] = b_.getInt32(0);
    connect(head_before(p), counts_before(piece), all);
}

Emitter::Counts Emitter::counts_before(const Piece& piece) {
    llvm::Value* slice = own_load(b_.getInt32Ty(), state_field(offsetof(CompiledState, slice)), 4);
    slice = b_.CreateSelect(starts_slice_, b_.getInt32(static_cast<std::uint32_t>(working_slice)), slice);
    // A first turn begins behind a barrier, or with the kernel.
    llvm::Value* segment = own_load(b_.getInt32Ty(), state_field(offsetof(CompiledState, segment)), 4);
    segment = b_.CreateSelect(starts_slice_, b_.getInt32(code_.instructions[piece.first].counted_from), segment);
    return {b_.getInt64(0), segment, slice, b_.getInt64(0)};
}

/// Behind the turn that piece `p` ends with: the lanes are those that came to it, and may be at their join.
void Emitter::enter_parted(std::uint32_t p) {
    const Piece& piece = plan_.pieces()[p];
    const std::uint32_t to = plan_.piece_at(piece.last + 1);
    piece_ = p;
    definitions_.clear();
    nodes_.clear();
    unsigned words = 0;
    for (const auto& [r, shape] : behind_turn_[p]) definitions_[r] = {-1, kept_value(r, shape, words)};
    const auto get = [&](llvm::Value* place) { return own_load(b_.getInt32Ty(), place, 4); };
    Lanes those;  // and not what the piece begins with, to which other ways may still lead
    lanes_ = &those;
    those.mask = mask_ = get(state_field(offsetof(CompiledState, active)));
    own_store(b_.getInt32(0), state_field(offsetof(CompiledState, depth)), 4);
    const auto partings = partings_of(piece);
    for (std::size_t k = 0; k < partings.size(); ++k) {
        const auto [level, branch] = partings[k];
        those.expected[level] = get(parting_field(k, offsetof(CompiledParting, expected)));
        if (branch != no_index) those.pending[branch] = get(parting_field(k, offsetof(CompiledParting, pending)));
    }
    const std::uint32_t ordinal = code_.instructions[piece.last + 1].ordinal;
    go_to(to, counted(counts_before(plan_.pieces()[to]), ordinal, ordinal), nullptr);
    lanes_ = nullptr;
}

// ---- Ways from piece to piece

/// Instructions up to, and not with, the one of ordinal `end` were executed by the lanes that are here.
Emitter::Counts Emitter::counted(const Counts& counts, std::uint32_t end, std::uint32_t next) {
    Counts made = counts;
    llvm::Value* executed = b_.CreateZExt(b_.CreateSub(b_.getInt32(end), counts.segment), b_.getInt64Ty());
    made.executed = b_.CreateAdd(counts.executed, executed);
    made.segment = b_.getInt32(next);
    if (mask_ != root_mask_ && counts.fewer) {
        llvm::Value* missing = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, b_.CreateXor(root_mask(), mask_));
        made.fewer = b_.CreateAdd(counts.fewer, b_.CreateMul(executed, b_.CreateZExt(missing, b_.getInt64Ty())));
    }
    return made;
}

/// The lanes `now` go on to a piece. `split`: they have just parted from others.
void Emitter::pass(std::uint32_t to, const Counts& counts, llvm::Value* now, const Split* split) {
    const Piece& there = plan_.pieces()[to];
    const Lanes& lanes_here = *lanes_;
    Lanes made;
    made.mask = now;
    bool inside = false;  // of the level at whose join the others wait
    for (std::uint32_t level : there.levels) {
        const auto known = lanes_here.expected.find(level);
        llvm::Value* entering = split && !inside ? mask_or_all() : now;
        made.expected[level] = known != lanes_here.expected.end() ? known->second : entering;
        inside |= split && split->level == level;
    }
    for (std::uint32_t branch : there.sides) {
        const auto known = lanes_here.pending.find(branch);
        const bool same_side =
            known != lanes_here.pending.end() &&
            plan_.parting(branch)->taken_pieces.contains(piece_) == plan_.parting(branch)->taken_pieces.contains(to);
        made.pending[branch] = same_side ? known->second : b_.getInt32(0);
        if (split && split->branch == branch) made.pending[branch] = split->pending;
    }
    connect(to == piece_ ? heads_[to] : head_before(to), counts, made);
}

/// The lanes that are here, or those of `split`, go on to a piece; where it is a join, others come first, or with them.
void Emitter::go_to(std::uint32_t to, Counts counts, const Split* split) {
    const Piece& here = plan_.pieces()[piece_];
    const Lanes& lanes_here = *lanes_;
    llvm::Value* now = split ? split->mask : mask_or_all();
    for (std::uint32_t level : here.levels) {
        if (plan_.levels()[level].join != to) continue;
        for (auto branch = here.sides.rbegin(); branch != here.sides.rend(); ++branch) {
            const Parting& parting = *plan_.parting(*branch);
            if (parting.level != level) continue;
            const std::uint32_t other = parting.taken_pieces.contains(piece_) ? parting.rest : parting.taken;
            llvm::Value* pending = lanes_here.pending.at(*branch);
            auto* others = BasicBlock::Create(context_, "others", function_);
            auto* done = BasicBlock::Create(context_, "done", function_);
            b_.CreateCondBr(b_.CreateICmpNE(pending, b_.getInt32(0)), others, done);
            b_.SetInsertPoint(others);
            Counts from_there = counts;
            from_there.segment = b_.getInt32(code_.instructions[plan_.pieces()[other].first].ordinal);
            pass(other, from_there, pending, nullptr);
            b_.SetInsertPoint(done);
        }
        now = lanes_here.expected.at(level);
    }
    pass(to, counts, now, split);
}

void Emitter::emit_terminator(std::uint32_t p) {
    const Piece& piece = plan_.pieces()[p];
    const Plan& plan = plan_.plan(piece.last);
    const Instruction& last = code_.instructions[piece.last];
    const Counts counts = heads_[p].counts;
    finish_segment(piece.last + 1);
    // Whatever any way needs is there before they part.
    for (std::uint32_t r : kept_before(piece.last)) value_of(r, definitions_.at(r));
    if (plan.work == Work::leave) {
        flush_checks();
        if (last.run != run_exit || piece.is_masked()) return leave_here(piece.last);
        hand_over(values_before(piece.last));
        return leave_waiting(CompiledExit::exit, piece.last);
    }
    if (plan.work == Work::barrier) return emit_barrier(p);
    const auto fall_through = [&] {
        const std::uint32_t next = piece.last + 1;
        if (next >= plan_.count()) return leave_here(piece.last);
        const std::uint32_t to = plan_.piece_at(next), ordinal = code_.instructions[next].ordinal;
        const bool counts_now = piece.is_masked() || plan_.pieces()[to].is_masked();
        go_to(to, counts_now ? counted(counts, ordinal, ordinal) : counts, nullptr);
    };
    if (plan.work != Work::branch) {
        if (piece.last + 1 < plan_.count())
            for (auto& [r, value] : heads_[plan_.piece_at(piece.last + 1)].values)
                if (const auto known = definitions_.find(r); known != definitions_.end()) value_of(r, known->second);
        flush_checks();
        return fall_through();
    }
    Value condition;
    if (last.guard != no_index) {
        const std::uint32_t offset = last.guard & ~1u;
        condition = plan_.is_constant(offset) ? constant(offset, 1) : value_of(offset, definitions_.at(offset));
    }
    flush_checks();
    if (last.guard == no_index) return take_branch(p);
    const bool negated = (last.guard & 1) != 0;
    auto* taken = BasicBlock::Create(context_, "taken", function_);
    auto* rest = BasicBlock::Create(context_, "rest", function_);
    if (condition.shape.affine) {
        b_.CreateCondBr(condition.base, negated ? rest : taken, negated ? taken : rest);
    } else {
        llvm::Value* going = b_.CreateBitCast(condition.lanes, b_.getInt32Ty());
        if (negated) going = b_.CreateNot(going);
        if (mask_) going = b_.CreateAnd(going, mask_);
        auto* some = BasicBlock::Create(context_, "some", function_);
        auto* part = BasicBlock::Create(context_, "part", function_);
        b_.CreateCondBr(b_.CreateICmpEQ(going, b_.getInt32(0)), rest, some);
        b_.SetInsertPoint(some);
        b_.CreateCondBr(b_.CreateICmpEQ(going, mask_or_all()), taken, part);
        b_.SetInsertPoint(part);
        part_lanes(p, going);
    }
    b_.SetInsertPoint(taken);
    take_branch(p);
    b_.SetInsertPoint(rest);
    fall_through();
}

/// All lanes that are here go where the branch leads.
void Emitter::take_branch(std::uint32_t p) {
    const Piece& piece = plan_.pieces()[p];
    const Instruction& last = code_.instructions[piece.last];
    const auto target = static_cast<std::uint32_t>(last.target - code_.instructions.data());
    const std::uint32_t to = plan_.piece_at(target);
    Counts counts = counted(heads_[p].counts, last.ordinal + 1, code_.instructions[target].ordinal);
    if (target > piece.last) return go_to(to, counts, nullptr);
    counts.slice = b_.CreateSub(counts.slice, b_.getInt32(1));
    auto* loop = BasicBlock::Create(context_, "again", function_);
    auto* over = BasicBlock::Create(context_, "over", function_);
    b_.CreateCondBr(b_.CreateICmpSGT(counts.slice, b_.getInt32(0)), loop, over,
                    llvm::MDBuilder(context_).createBranchWeights(1000, 1));
    b_.SetInsertPoint(over);
    std::set<std::uint32_t> living = plan_.pieces()[to].live_in;
    living.insert(piece.kept.begin(), piece.kept.end());
    std::map<std::uint32_t, Value> values;
    for (std::uint32_t r : living)
        if (const auto known = definitions_.find(r); known != definitions_.end() && !in_frame_.contains(r))
            values[r] = value_of(r, known->second);
    hand_over(values);
    leave_with(CompiledExit::slice, counts, target);
    b_.SetInsertPoint(loop);
    go_to(to, counts, nullptr);
}

/// `taken` go where the branch leads, the others do not. As Warp::diverge has it.
void Emitter::part_lanes(std::uint32_t p, llvm::Value* taken) {
    const Piece& piece = plan_.pieces()[p];
    const Parting* parting = plan_.parting(p);
    if (!parting) return leave_here(piece.last);
    const Instruction& last = code_.instructions[piece.last];
    const auto target = static_cast<std::uint32_t>(last.target - code_.instructions.data());
    const auto ordinal = [&](std::uint32_t to) { return code_.instructions[plan_.pieces()[to].first].ordinal; };
    Counts counts = heads_[p].counts;
    if (target <= piece.last) counts.slice = b_.CreateSub(counts.slice, b_.getInt32(1));
    counts = counted(counts, last.ordinal + 1, 0);
    llvm::Value* rest = b_.CreateXor(mask_or_all(), taken);
    const auto go = [&](std::uint32_t to, llvm::Value* lanes_there, llvm::Value* others) {
        const Split split{lanes_there, parting->level, others ? p : no_index, others};
        Counts there = counts;
        there.segment = b_.getInt32(ordinal(to));
        go_to(to, there, &split);
    };
    if (!parting->has_two_sides) {
        if (parting->taken == no_index) return go(parting->rest, rest, nullptr);
        return go(parting->taken, taken, nullptr);
    }
    const auto size = [&](llvm::Value* mask) { return b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask); };
    auto* taken_first = BasicBlock::Create(context_, "taken_first", function_);
    auto* rest_first = BasicBlock::Create(context_, "rest_first", function_);
    b_.CreateCondBr(b_.CreateICmpULT(size(taken), size(rest)), taken_first, rest_first);
    b_.SetInsertPoint(taken_first);
    go(parting->taken, taken, rest);
    b_.SetInsertPoint(rest_first);
    go(parting->rest, rest, taken);
}

// ---- Ways out

/// What the interpreter needs of a piece's registers at one of its instructions.
std::vector<std::uint32_t> Emitter::kept_before(std::uint32_t instruction) const {
    std::vector<std::uint32_t> made;
    const std::set<std::uint32_t>& kept = plan_.pieces()[piece_].kept;
    if (instruction < plan_.count())
        for (std::uint32_t r : plan_.live_before(instruction))
            if (definitions_.contains(r)) made.push_back(r);
    for (std::uint32_t r : kept)
        if (definitions_.contains(r) && (instruction >= plan_.count() || !plan_.live_before(instruction).contains(r)))
            made.push_back(r);
    return made;
}

void Emitter::store_counts(const Counts& counts) {
    own_store(counts.executed, state_field(offsetof(CompiledState, executed)), 8);
    own_store(counts.segment, state_field(offsetof(CompiledState, segment)), 4);
    own_store(counts.slice, state_field(offsetof(CompiledState, slice)), 4);
    if (counts.fewer) own_store(counts.fewer, state_field(offsetof(CompiledState, fewer)), 8);
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> Emitter::partings_of(const Piece& piece) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> made;
    for (std::uint32_t level : piece.levels) {
        const std::size_t before = made.size();
        for (std::uint32_t branch : piece.sides)
            if (plan_.parting(branch)->level == level) made.emplace_back(level, branch);
        if (made.size() == before) made.emplace_back(level, no_index);
    }
    return made;
}

llvm::Value* Emitter::parting_field(std::size_t number, std::size_t member) {
    return state_field(offsetof(CompiledState, partings) + number * sizeof(CompiledParting) + member);
}

/// Where other lanes are, the outermost level first.
void Emitter::store_partings() {
    const Piece& piece = plan_.pieces()[piece_];
    if (!piece.is_masked()) return;
    const Lanes& lanes_here = *lanes_;
    const auto partings = partings_of(piece);
    for (std::size_t k = 0; k < partings.size(); ++k) {
        const auto [level, branch] = partings[k];
        const auto put = [&](std::size_t member, llvm::Value* value) { own_store(value, parting_field(k, member), 4); };
        llvm::Value* pending = b_.getInt32(0);
        std::uint32_t other = 0;
        if (branch != no_index) {
            const Parting& parting = *plan_.parting(branch);
            pending = lanes_here.pending.at(branch);
            other = plan_.pieces()[parting.taken_pieces.contains(piece_) ? parting.rest : parting.taken].first;
        }
        put(offsetof(CompiledParting, join), b_.getInt32(plan_.pieces()[plan_.levels()[level].join].first));
        put(offsetof(CompiledParting, expected), lanes_here.expected.at(level));
        put(offsetof(CompiledParting, pending), pending);
        put(offsetof(CompiledParting, pending_at), b_.getInt32(other));
    }
    own_store(b_.getInt32(static_cast<std::uint32_t>(partings.size())), state_field(offsetof(CompiledState, depth)), 4);
    own_store(mask_, state_field(offsetof(CompiledState, active)), 4);
}

void Emitter::leave_with(CompiledExit how, const Counts& counts, std::uint32_t next) {
    store_counts(counts);
    store_partings();
    own_store(b_.getInt32(next), state_field(offsetof(CompiledState, next)), 4);
    come_back(b_.getInt32(static_cast<std::uint32_t>(how)));
}

/// At the barrier, turn or exit `stop`, registers having been handed over.
void Emitter::leave_waiting(CompiledExit how, std::uint32_t stop) {
    const Counts& counts = heads_[piece_].counts;
    auto* alone = BasicBlock::Create(context_, "waits_alone", function_);
    auto* in_block = BasicBlock::Create(context_, "waits_in_block", function_);
    b_.CreateCondBr(alone_mode_, alone, in_block);
    b_.SetInsertPoint(alone);
    leave_with(how, counts, stop);

    b_.SetInsertPoint(in_block);
    const Instruction& at = code_.instructions[stop];
    const bool is_exit = how == CompiledExit::exit;
    const std::uint32_t end = plan_.is_turn(stop) ? at.counted_from : at.ordinal + 1;
    const Counts all = counted(counts, end, is_exit ? end : code_.instructions[stop + 1].counted_from);
    const auto add = [&](std::size_t member, llvm::Value* number) {
        llvm::Value* place = state_field(member);
        own_store(b_.CreateAdd(own_load(b_.getInt64Ty(), place, 8), number), place, 8);
    };
    add(offsetof(CompiledState, warp_instructions), all.executed);
    llvm::Value* lanes_there = b_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, root_mask());
    llvm::Value* by_lanes = b_.CreateMul(all.executed, b_.CreateZExt(lanes_there, b_.getInt64Ty()));
    if (all.fewer) by_lanes = b_.CreateSub(by_lanes, all.fewer);
    add(offsetof(CompiledState, thread_instructions), by_lanes);
    own_store(all.segment, state_field(offsetof(CompiledState, segment)), 4);
    own_store(all.slice, state_field(offsetof(CompiledState, slice)), 4);
    store_partings();
    own_store(b_.getInt32(stop), state_field(offsetof(CompiledState, next)), 4);
    own_store(round_, state_field(offsetof(CompiledState, round)), 4);
    if (plan_.is_turn(stop)) {
        const auto& entries = plan_.pieces()[piece_].is_masked() ? entries_.parted : entries_.numbers;
        own_store(b_.getInt32(entries[stop + 1]), state_field(offsetof(CompiledState, entry)), 4);
    }
    stop_how_->addIncoming(b_.getInt32(static_cast<std::uint32_t>(how)), in_block);
    stop_->addIncoming(b_.getInt32(stop), in_block);
    is_turn_->addIncoming(b_.getInt1(plan_.is_turn(stop)), in_block);
    b_.CreateBr(end_);
}

void Emitter::leave_at(std::uint32_t instruction, const std::map<std::uint32_t, Value>& values) {
    hand_over(values);
    leave_with(CompiledExit::go_on, heads_[piece_].counts, instruction);
}

/// Of the registers that the interpreter needs there, and that the frame has not.
std::map<std::uint32_t, Emitter::Value> Emitter::values_before(std::uint32_t instruction) {
    std::map<std::uint32_t, Value> values;
    for (std::uint32_t r : kept_before(instruction))
        if (!in_frame_.contains(r)) values[r] = value_of(r, definitions_.at(r));
    return values;
}

void Emitter::leave_here(std::uint32_t instruction) {
    leave_at(instruction, values_before(instruction));
}

}  // namespace cudash::virtual_gpu
