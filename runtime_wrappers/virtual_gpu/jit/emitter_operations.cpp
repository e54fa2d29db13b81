// The part of the emitter that has what instructions compute.
#include <cstddef>
#include <limits>

#include <llvm/IR/Intrinsics.h>

#include "runtime_wrappers/virtual_gpu/isa/semantics_shuffle.h"
#include "runtime_wrappers/virtual_gpu/jit/emitter.h"

namespace cudash::virtual_gpu {
namespace {

using llvm::ConstantInt;

}  // namespace

void Emitter::evaluate(Node& node) {
    if (node.done) return;
    node.done = true;
    evaluate_for_active(node);
    for (auto& [r, made] : node.results)
        if (is_kept(r) && !lane_) made = choose(active_, made, value_of(r, node.sources.at(r)), LaneShape{});
}

/// Of lanes that are elsewhere the result is anything.
void Emitter::evaluate_for_active(Node& node) {
    const std::uint32_t i = node.instruction;
    const Plan& plan = plan_.plan(i);
    const Instruction& instruction = code_.instructions[i];
    if (plan.work == Work::load) return load(node);
    if (plan.work == Work::compare) return compare(node);
    if (plan.work == Work::shuffle) return shuffle(node);
    if (plan.work == Work::vote) return vote(node);
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
        return uniform(own_load(b_.getInt32Ty(), block_field(offset), 4), 32);
    };
    switch (plan.special) {
        case Special::ntid:
            return uniform(b_.getInt32(plan.number), 32);
        case Special::laneid:
            if (lane_) return uniform(lane_, 32);
            return {plan_.special_shape(plan), 32, b_.getInt32(0), nullptr, nullptr, nullptr};
        case Special::ctaid_x:
        case Special::ctaid_y:
        case Special::ctaid_z:
            return field(offsetof(CompiledBlock, block) +
                         4 * (static_cast<std::size_t>(plan.special) - static_cast<std::size_t>(Special::ctaid_x)));
        case Special::nctaid_x:
        case Special::nctaid_y:
        case Special::nctaid_z:
            return field(offsetof(CompiledBlock, grid) +
                         4 * (static_cast<std::size_t>(plan.special) - static_cast<std::size_t>(Special::nctaid_x)));
        default:
            break;
    }
    const auto axis = static_cast<std::size_t>(plan.special) - static_cast<std::size_t>(Special::tid_x);
    llvm::Value* tid = own_load(b_.getPtrTy(), state_field(offsetof(CompiledState, tid) + 8 * axis), 8);
    if (lane_) return uniform(own_load(b_.getInt32Ty(), b_.CreateGEP(b_.getInt32Ty(), tid, lane_), 4), 32);
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
    if (!all_uniform && bits == 64) note_scaled(node, sources, result);
    return all_uniform ? uniform(result, bits) : lanes(result, bits);
}

Emitter::Progression Emitter::progression_of(const Value& value) {
    return {value.base, distance(value.shape.step, value.step, value.bits),
            distance(value.shape.half, value.half, value.bits)};
}

/// 32 bits as 64: the lanes must not wrap around in 32.
Emitter::Progression Emitter::widened_progression(const Value& value, bool is_signed) {
    const auto extend = [&](llvm::Value* v, bool sign) {
        return sign ? b_.CreateSExt(v, integer(64)) : b_.CreateZExt(v, integer(64));
    };
    const Progression narrow = progression_of(value);
    const Progression wide{extend(narrow.base, is_signed), extend(narrow.step, true), extend(narrow.half, true)};
    if (value.shape.is_uniform()) return wide;
    llvm::Value* zero = b_.getInt64(0);
    llvm::Value* across = b_.CreateMul(wide.step, b_.getInt64(half_warp - 1));
    const auto extreme = [&](llvm::Intrinsic::ID id) {
        return b_.CreateAdd(wide.base, b_.CreateAdd(b_.CreateBinaryIntrinsic(id, zero, across),
                                                    b_.CreateBinaryIntrinsic(id, zero, wide.half)));
    };
    const std::int64_t least = is_signed ? std::numeric_limits<std::int32_t>::min() : 0;
    const std::int64_t most =
        is_signed ? std::numeric_limits<std::int32_t>::max() : std::int64_t{std::numeric_limits<std::uint32_t>::max()};
    checks_.push_back(b_.CreateICmpSGE(extreme(llvm::Intrinsic::smin), b_.getInt64(static_cast<std::uint64_t>(least))));
    checks_.push_back(b_.CreateICmpSLE(extreme(llvm::Intrinsic::smax), b_.getInt64(static_cast<std::uint64_t>(most))));
    return wide;
}

/// Of two progressions, one of which has the same number in all lanes.
Emitter::Progression Emitter::affine_product(Node& node, const Value& first, bool from_32, unsigned source_bits) {
    const Plan& plan = plan_.plan(node.instruction);
    const Value second = operand(node, code_.instructions[node.instruction].b, source_bits);
    const auto numbers = [&](const Value& value) {
        return from_32 ? widened_progression(value, plan.is_signed) : progression_of(value);
    };
    const Progression x = numbers(first), y = numbers(second);
    return second.shape.is_uniform() ? scaled(x, y.base) : scaled(y, x.base);
}

Emitter::Progression Emitter::scaled(const Progression& progression, llvm::Value* factor) {
    return {b_.CreateMul(progression.base, factor), b_.CreateMul(progression.step, factor),
            b_.CreateMul(progression.half, factor)};
}

Emitter::Value Emitter::compute_affine(Node& node, const LaneShape& shape) {
    const Plan& plan = plan_.plan(node.instruction);
    const Instruction& instruction = code_.instructions[node.instruction];
    const bool from_32 = plan.rule == AffineRule::wide_product || plan.rule == AffineRule::wide_product_sum ||
                         plan.rule == AffineRule::widen;
    const unsigned bits = plan.bits, source_bits = from_32 ? 32 : plan.rule == AffineRule::narrow ? 64 : bits;
    const auto add = [&](const Progression& x, const Progression& y) -> Progression {
        return {b_.CreateAdd(x.base, y.base), b_.CreateAdd(x.step, y.step), b_.CreateAdd(x.half, y.half)};
    };
    const auto subtract = [&](const Progression& x, const Progression& y) -> Progression {
        return {b_.CreateSub(x.base, y.base), b_.CreateSub(x.step, y.step), b_.CreateSub(x.half, y.half)};
    };
    const Value a = operand(node, instruction.a, source_bits);
    Progression made{};
    switch (plan.rule) {
        case AffineRule::sum:
            made = add(progression_of(a), progression_of(operand(node, instruction.b, bits)));
            break;
        case AffineRule::difference:
            made = subtract(progression_of(a), progression_of(operand(node, instruction.b, bits)));
            break;
        case AffineRule::product:
        case AffineRule::wide_product:
            made = affine_product(node, a, from_32, source_bits);
            break;
        case AffineRule::product_sum:
        case AffineRule::wide_product_sum:
            made = affine_product(node, a, from_32, source_bits);
            made = add(made, progression_of(operand(node, instruction.c, bits)));
            break;
        case AffineRule::shift:
            made = scaled(progression_of(a),
                          ConstantInt::get(integer(bits), std::uint64_t{1} << (plan_.constant(instruction.b) & 63)));
            break;
        case AffineRule::widen:
            made = widened_progression(a, plan.is_signed);
            break;
        case AffineRule::narrow: {
            const Progression wide = progression_of(a);
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

void Emitter::shuffle(Node& node) {
    const Plan& plan = plan_.plan(node.instruction);
    const Instruction& instruction = code_.instructions[node.instruction];
    const ModSet modifiers = parse_modifiers(code_.written[node.instruction]->modifiers).set;
    const semantics::Shuffle mode = modifiers.has(Mod::up)     ? semantics::Shuffle::up
                                    : modifiers.has(Mod::down) ? semantics::Shuffle::down
                                    : modifiers.has(Mod::bfly) ? semantics::Shuffle::bfly
                                                               : semantics::Shuffle::idx;
    std::vector<int> from;
    std::uint32_t valid = 0;
    for (unsigned l = 0; l < lanes_of_warp; ++l) {
        const auto [source, inside] = semantics::shuffle_source(mode, l, plan.distance, plan.clamp);
        from.push_back(static_cast<int>(inside ? source : l));
        valid |= std::uint32_t{inside} << l;
    }
    for (std::uint32_t r : plan.writes) {
        const bool is_value = bits_of(r) != 1;
        node.results[r] = is_value
                              ? lanes(b_.CreateShuffleVector(vector_of(operand(node, instruction.a, 32)), from), 32)
                              : lanes(b_.CreateBitCast(b_.getInt32(valid), vector(integer(1))), 1);
    }
}

void Emitter::vote(Node& node) {
    const Instruction& instruction = code_.instructions[node.instruction];
    const ModSet modifiers = parse_modifiers(code_.written[node.instruction]->modifiers).set;
    llvm::Value* votes = b_.CreateBitCast(vector_of(operand(node, instruction.a, 1)), b_.getInt32Ty());
    if (instruction.immediate != 0) votes = b_.CreateNot(votes);
    llvm::Value* any = b_.CreateICmpNE(votes, b_.getInt32(0));
    llvm::Value* all = b_.CreateICmpEQ(votes, b_.getInt32(~0u));
    for (std::uint32_t r : plan_.plan(node.instruction).writes)
        node.results[r] = modifiers.has(Mod::ballot) ? uniform(votes, 32)
                          : modifiers.has(Mod::all)  ? uniform(all, 1)
                          : modifiers.has(Mod::any)  ? uniform(any, 1)
                                                     : uniform(b_.CreateOr(all, b_.CreateNot(any)), 1);
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

}  // namespace cudash::virtual_gpu
