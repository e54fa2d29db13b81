// The part of the emitter that finds the places of loads and stores, and whether they may be touched.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

#include <llvm/IR/Intrinsics.h>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/jit/emitter.h"

namespace cudash::virtual_gpu {
namespace {

using llvm::ConstantInt;

}  // namespace

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
            if (place.lanes) {
                place.lanes = b_.CreateAdd(place.lanes, splat(further));
            } else {
                place.base = b_.CreateAdd(place.base, further);
            }
            each->place = place;
        }
    }
}

/// What an access may touch.
Emitter::Window Emitter::window_of(const Plan& plan, const Instruction& instruction) {
    if (plan.shared) return {shared_begin_, shared_bytes_, b_.CreateSub(shared_, shared_begin_)};
    const auto field = [&](llvm::Type* type, std::size_t offset) {
        return input_load(
            type, b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), ranges_, instruction.cache * sizeof(Range) + offset),
            type->isIntegerTy(8) ? 1 : 8);
    };
    Window window;
    window.begin = field(b_.getInt64Ty(), offsetof(Range, begin));
    window.bytes = b_.CreateSub(field(b_.getInt64Ty(), offsetof(Range, end)), window.begin);
    window.bias = field(b_.getInt64Ty(), offsetof(Range, host_offset));
    if (plan.work == Work::store)
        window.allowed = b_.CreateICmpEQ(field(b_.getInt8Ty(), offsetof(Range, read_only)), b_.getInt8(0));
    return window;
}

llvm::Value* Emitter::to_64(llvm::Value* value, bool sign) {
    llvm::Type* type = integer(64);
    if (value->getType()->isVectorTy()) type = vector(type);
    return sign ? b_.CreateSExt(value, type) : b_.CreateZExt(value, type);
}

/// Where the lanes of an access go, and whether they may: what exec/memory_access.h says of it.
Emitter::Place Emitter::resolve(Node& node, std::int64_t immediate, std::uint64_t extent) {
    const Plan& plan = plan_.plan(node.instruction);
    const Instruction& instruction = code_.instructions[node.instruction];
    const Value address = operand(node, instruction.a, plan_.is_constant(instruction.a) ? 64 : bits_of(instruction.a));
    auto* added = ConstantInt::get(integer(address.bits), static_cast<std::uint64_t>(immediate));
    // A load of part of a row, or of a place that each half has of its own, is made for all lanes.
    const bool by_lane =
        plan.work == Work::store || (plan.element >= 4 && instruction.count <= 1 && address.shape.step != Distance{});
    const bool of_active = active_ && by_lane && address.shape.affine && !address.shape.is_uniform();
    if (address.shape.is_uniform()) return resolve_one(address, added, fence_of(plan, instruction, extent));
    const std::uint64_t size = std::uint64_t{plan.element} * std::max<unsigned>(instruction.count, 1);
    const Window window = window_of(plan, instruction);
    Place place = address.shape.affine ? resolve_affine(address, added, window, size, extent, of_active)
                                       : resolve_lanes(address, added, window, size, extent);
    if (window.allowed) place.ok = b_.CreateAnd(place.ok, window.allowed);
    return place;
}

/// What one place is compared with. In a loop that one lane goes through, all that the loop does not change is found
/// before it.
Emitter::Fence Emitter::fence_of(const Plan& plan, const Instruction& instruction, std::uint64_t extent) {
    llvm::IRBuilderBase::InsertPointGuard guard(b_);
    if (lane_) b_.SetInsertPoint(run_alone_.at(piece_).block->getTerminator());
    const std::uint64_t size = std::uint64_t{plan.element} * std::max<unsigned>(instruction.count, 1);
    const Window window = window_of(plan, instruction);
    Fence fence;
    fence.shift = b_.getInt64(static_cast<std::uint64_t>(std::countr_zero(size)));
    fence.begin = b_.CreateAnd(b_.CreateAdd(window.begin, b_.getInt64(size - 1)), b_.getInt64(~(size - 1)));
    llvm::Value* const end = b_.CreateAdd(window.begin, window.bytes);
    llvm::Value* const last = b_.CreateSub(b_.CreateSub(end, b_.getInt64(extent)), fence.begin);
    fence.count = b_.CreateSelect(b_.CreateICmpSLT(last, b_.getInt64(0)), b_.getInt64(0),
                                  b_.CreateAdd(b_.CreateLShr(last, fence.shift), b_.getInt64(1)));
    fence.bias = window.bias;
    fence.allowed = window.allowed;
    return fence;
}

/// One place for all lanes. Its distance from the first aligned one, turned by the bits that must be 0, is too large
/// where they are not: one comparison says whether the place is allowed.
Emitter::Place Emitter::resolve_one(const Value& address, ConstantInt* added, const Fence& fence) {
    Place place;
    place.step_value = place.half_value = b_.getInt64(0);
    llvm::Value* const where = to_64(b_.CreateAdd(address.base, added), false);
    llvm::Value* const distance = b_.CreateSub(where, fence.begin);
    llvm::Value* const turned =
        b_.CreateIntrinsic(llvm::Intrinsic::fshr, {b_.getInt64Ty()}, {distance, distance, fence.shift});
    place.ok = b_.CreateICmpULT(turned, fence.count);
    if (fence.allowed) place.ok = b_.CreateAnd(place.ok, fence.allowed);
    place.base = b_.CreateAdd(where, fence.bias);
    return place;
}

/// The lowest of the lanes' distances from lane 0, and how far the highest one is from it.
Emitter::Extremes Emitter::extremes_of(const Place& place) {
    const auto either = [&](llvm::Intrinsic::ID which, llvm::Value* a, llvm::Value* b) {
        return b_.CreateBinaryIntrinsic(which, a, b);
    };
    const auto wide = [&](llvm::Value* number) { return to_64(number, false); };
    // The first and the last lane of a half, or of the warp if that is one progression.
    const bool is_one = place.step.known && place.half == times(place.step, half_warp);
    llvm::Value *first = b_.getInt64(0), *last = b_.getInt64(half_warp - 1);
    llvm::Value *upper = place.half_value, *lower = first;
    if (place.of_active) {
        constexpr std::uint32_t half = 0xFFFF;
        llvm::Value* those = mask_;
        if (!is_one) those = b_.CreateAnd(b_.CreateOr(mask_, b_.CreateLShr(mask_, half_warp)), half);
        const auto zeros = [&](llvm::Intrinsic::ID which) {
            return b_.CreateBinaryIntrinsic(which, those, b_.getFalse());
        };
        first = wide(zeros(llvm::Intrinsic::cttz));
        last = wide(b_.CreateSub(b_.getInt32(lanes_of_warp - 1), zeros(llvm::Intrinsic::ctlz)));
        const auto any = [&](std::uint32_t lanes_there) {
            return b_.CreateICmpNE(b_.CreateAnd(mask_, lanes_there), b_.getInt32(0));
        };
        lower = b_.CreateSelect(any(half), lower, place.half_value);
        upper = b_.CreateSelect(any(~half), upper, b_.getInt64(0));
        if (is_one) lower = upper = b_.getInt64(0);
    }
    llvm::Value *from = b_.CreateMul(place.step_value, first), *to = b_.CreateMul(place.step_value, last);
    const auto extreme = [&](llvm::Intrinsic::ID which) {
        return b_.CreateAdd(either(which, from, to), either(which, lower, upper));
    };
    llvm::Value* low = extreme(llvm::Intrinsic::smin);
    return {low, b_.CreateSub(extreme(llvm::Intrinsic::smax), low)};
}

Emitter::Place Emitter::resolve_affine(const Value& address, ConstantInt* added, const Window& window,
                                       std::uint64_t size, std::uint64_t extent, bool of_active) {
    Place place;
    place.of_active = of_active;
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
    llvm::Value* zero = b_.getInt64(0);
    const auto [low, reach] = extremes_of(place);
    llvm::Value* first = b_.CreateAdd(address.base, added);
    llvm::Value* lowest = to_64(b_.CreateAdd(first, b_.CreateTrunc(low, integer(address.bits))), false);
    llvm::Value* before = b_.CreateSub(lowest, window.begin);
    place.ok = b_.CreateICmpULT(before, window.bytes);
    place.ok = b_.CreateAnd(
        place.ok, b_.CreateICmpUGE(b_.CreateSub(window.bytes, before), b_.CreateAdd(reach, b_.getInt64(extent))));
    for (llvm::Value* condition : conditions) place.ok = b_.CreateAnd(place.ok, condition);
    if (size > 1) {
        llvm::Value* all_bits = b_.CreateOr(lowest, b_.CreateOr(place.step_value, place.half_value));
        place.ok = b_.CreateAnd(place.ok, b_.CreateICmpEQ(b_.CreateAnd(all_bits, b_.getInt64(size - 1)), zero));
    }
    place.base = b_.CreateAdd(b_.CreateSub(lowest, low), window.bias);
    return place;
}

Emitter::Place Emitter::resolve_lanes(const Value& address, ConstantInt* added, const Window& window,
                                      std::uint64_t size, std::uint64_t extent) {
    Place place;
    place.scattered = true;
    llvm::Value* room = b_.CreateSub(window.bytes, b_.getInt64(extent));
    const auto scaled = scaled_.find(address.lanes);
    if (address.bits == 32) {
        const Scaled all{b_.getInt64(0), b_.CreateAdd(address.lanes, splat(added)), 1, false};
        resolve_scaled(all, window.begin, room, size, b_.getInt64(0), place);
        place.base = b_.CreateAdd(place.base, window.bias);
    } else if (scaled != scaled_.end()) {
        resolve_scaled(scaled->second, window.begin, room, size, added, place);
        place.base = b_.CreateAdd(place.base, window.bias);
    } else {
        llvm::Value* all = to_64(b_.CreateAdd(address.lanes, splat(added)), false);
        llvm::Value* inside = b_.CreateICmpULE(b_.CreateSub(all, splat(window.begin)), splat(room));
        if (size > 1) {
            llvm::Value* low_bits = b_.CreateAnd(all, splat(b_.getInt64(size - 1)));
            inside = b_.CreateAnd(inside, b_.CreateICmpEQ(low_bits, llvm::Constant::getNullValue(low_bits->getType())));
        }
        place.ok = all_of(inside);
        place.lanes = b_.CreateAdd(all, splat(window.bias));
    }
    place.ok = b_.CreateAnd(place.ok, b_.CreateICmpUGE(window.bytes, b_.getInt64(extent)));
    return place;
}

/// The instruction made lanes of 64 bits.
void Emitter::note_scaled(const Node& node, const std::vector<Value>& sources, llvm::Value* made) {
    const Plan& plan = plan_.plan(node.instruction);
    const auto literal = [&](const Value& value) {
        const auto* number = value.shape.is_uniform() ? llvm::dyn_cast<ConstantInt>(value.base) : nullptr;
        return number ? number->getZExtValue() : 0;
    };
    const auto known = [&](const Value& value) -> const Scaled* {
        const auto found = value.shape.affine ? scaled_.end() : scaled_.find(value.lanes);
        return found == scaled_.end() ? nullptr : &found->second;
    };
    Scaled result{b_.getInt64(0), nullptr, 1, plan.is_signed};
    const Value& first = sources[0];
    switch (plan.rule) {
        case AffineRule::widen:
            result.index = vector_of(first);
            break;
        case AffineRule::wide_product:
        case AffineRule::wide_product_sum:
            result.index = vector_of(first);
            result.scale = static_cast<unsigned>(std::min<std::uint64_t>(literal(sources[1]), 16));
            if (plan.rule == AffineRule::wide_product) break;
            if (!sources[2].shape.is_uniform()) return;
            result.base = sources[2].base;
            break;
        case AffineRule::shift: {
            const Scaled* from = plan.bits == 64 ? known(first) : nullptr;
            const std::uint64_t amount = literal(sources[1]);
            if (!from || amount == 0 || amount > 3) return;
            result = *from;
            result.base = b_.CreateShl(from->base, amount);
            result.scale = from->scale << amount;
            break;
        }
        case AffineRule::sum: {
            const Scaled* from = plan.bits == 64 ? known(first) : nullptr;
            const Value* other = &sources[1];
            if (!from && plan.bits == 64) from = known(sources[1]), other = &first;
            if (!from || !other->shape.is_uniform()) return;
            result = *from;
            result.base = b_.CreateAdd(from->base, other->base);
            break;
        }
        default:
            return;
    }
    // What a vector load can scale by.
    if (result.scale == 1 || result.scale == 2 || result.scale == 4 || result.scale == 8) scaled_[made] = result;
}

/// All lanes are in the range if their indices are between two numbers, which are the same for all.
void Emitter::resolve_scaled(const Scaled& from, llvm::Value* begin, llvm::Value* room, std::uint64_t size,
                             llvm::Value* added, Place& place) {
    const auto number = [&](std::int64_t value) { return b_.getInt64(static_cast<std::uint64_t>(value)); };
    const auto shift = static_cast<std::uint64_t>(std::countr_zero(from.scale));
    llvm::Value* first = b_.CreateAdd(from.base, added);
    llvm::Value* offset = b_.CreateSub(first, begin);
    // Further away nothing here could overflow, and no index would come back from there.
    constexpr std::int64_t far = std::int64_t{1} << 48;
    llvm::Value* near = b_.CreateICmpULE(b_.CreateAdd(offset, number(far)), number(2 * far));
    near = b_.CreateAnd(near, b_.CreateICmpULE(room, number(far)));
    llvm::Value* aligned = b_.CreateICmpEQ(b_.CreateAnd(first, b_.getInt64(size - 1)), b_.getInt64(0));
    llvm::Value* lowest = b_.CreateNeg(b_.CreateAShr(offset, shift));
    llvm::Value* highest = b_.CreateAShr(b_.CreateSub(room, offset), shift);
    constexpr std::int64_t least = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    constexpr std::int64_t most_unsigned = std::numeric_limits<std::uint32_t>::max();
    lowest = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, lowest, number(from.is_signed ? least : 0));
    highest = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, highest, number(from.is_signed ? most : most_unsigned));
    llvm::Value* reach = b_.CreateSub(highest, lowest);
    llvm::Value* fits = b_.CreateICmpULE(reach, number(most));
    llvm::Value* narrow_lowest = b_.CreateTrunc(lowest, b_.getInt32Ty());
    place.index = b_.CreateSub(from.index, splat(narrow_lowest));
    llvm::Value* inside = b_.CreateICmpULE(place.index, splat(b_.CreateTrunc(reach, b_.getInt32Ty())));
    if (size > from.scale) {
        llvm::Value* steps =
            b_.CreateAnd(from.index, splat(b_.getInt32(static_cast<std::uint32_t>(size / from.scale) - 1)));
        inside = b_.CreateAnd(inside, b_.CreateICmpEQ(steps, llvm::Constant::getNullValue(steps->getType())));
    }
    place.scale = from.scale;
    place.base = b_.CreateAdd(first, b_.CreateShl(lowest, shift));
    place.ok = b_.CreateAnd(all_of(inside), b_.CreateAnd(b_.CreateAnd(near, aligned), fits));
}

llvm::Value* Emitter::lane_pointers(const Place& place, std::uint64_t bytes, const std::vector<int>& order) {
    const auto ordered = [&](llvm::Value* all) { return order.empty() ? all : b_.CreateShuffleVector(all, order); };
    if (place.index) {
        llvm::Value* first = data_pointer(b_.CreateAdd(place.base, b_.getInt64(bytes)));
        return b_.CreateGEP(integer(8 * place.scale), first, ordered(place.index));
    }
    llvm::Value* all = place.lanes;
    if (!place.scattered) {
        llvm::Value* steps = b_.CreateMul(splat(place.step_value), lane_numbers(64, false));
        llvm::Value* halves = b_.CreateMul(splat(place.half_value), lane_numbers(64, true));
        all = b_.CreateAdd(splat(place.base), b_.CreateAdd(steps, halves));
    }
    all = ordered(all);
    return data_pointer(bytes == 0 ? all : b_.CreateAdd(all, splat(b_.getInt64(bytes))));
}

}  // namespace cudash::virtual_gpu
