// The part of the emitter that has loads, stores and calls of handlers.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>

#include "runtime_wrappers/virtual_gpu/exec/block.h"
#include "runtime_wrappers/virtual_gpu/jit/emitter.h"

namespace cudash::virtual_gpu {
namespace {

using llvm::BasicBlock;
using llvm::ConstantInt;

/// Lanes that store together to places of their own; those behind them come later.
unsigned stores_at_once(unsigned size) {
    return std::min<unsigned>(lanes_of_warp, 128 / size);
}

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
    const std::uint64_t size = std::uint64_t{plan.element} * std::max<unsigned>(instruction.count, 1);
    const Window window = window_of(plan, instruction);
    auto* added = ConstantInt::get(integer(address.bits), static_cast<std::uint64_t>(immediate));
    Place place = address.shape.affine ? resolve_affine(address, added, window, size, extent)
                                       : resolve_lanes(address, added, window, size, extent);
    if (window.allowed) place.ok = b_.CreateAnd(place.ok, window.allowed);
    return place;
}

Emitter::Place Emitter::resolve_affine(const Value& address, ConstantInt* added, const Window& window,
                                       std::uint64_t size, std::uint64_t extent) {
    Place place;
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
        return bytes == 0 ? where : b_.CreateAdd(where, b_.getInt64(bytes));
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
            auto* made = b_.CreateMaskedGather(vector(element), lane_pointers(place, at, {}), alignment, active_,
                                               active_ ? llvm::Constant::getNullValue(vector(element)) : nullptr);
            mark_data(made);
            node.results[to] = lanes(widened(made, to_bits), to_bits);
        }
    }
}

void Emitter::store(Node& node) {
    const Plan& plan = plan_.plan(node.instruction);
    const Instruction& instruction = code_.instructions[node.instruction];
    node.done = true;
    const Place place = resolve(node);
    checks_.push_back(place.ok);
    const unsigned count = std::max<unsigned>(instruction.count, 1), size = plan.element * count;
    std::vector<Value> values;
    for (unsigned e = 0; e < count; ++e) {
        const std::uint32_t from = instruction.count ? code_.operands[instruction.extra + e] : instruction.d;
        values.push_back(operand(node, from, plan_.is_constant(from) ? (plan.element > 4 ? 64u : 32u) : bits_of(from)));
    }
    flush_checks();
    own_store(b_.getInt8(1), state_field(offsetof(CompiledState, wrote)), 1);
    const bool uniform_address = !place.scattered && place.step == Distance{} && place.half == Distance{};
    const bool unit = !place.scattered && place.step == Distance{true, size};
    const bool one = unit && place.half == Distance{true, std::int64_t{size} * half_warp};
    if (!active_ && uniform_address) {
        store_to_one_place(place, values, plan.element);
    } else if (one && (count == 1 || !active_)) {
        llvm::Value* row = interleaved(values, plan.element);
        if (!active_) return store_at(row, place.base, plan.element);
        mark_data(b_.CreateMaskedStore(row, data_pointer(place.base), llvm::Align(plan.element), active_));
    } else if (unit && count == 1 && !active_) {
        store_halves(place, narrowed(values[0], plan.element), plan.element);
    } else {
        store_by_lane(place, values, plan.element);
    }
}

void Emitter::store_at(llvm::Value* value, llvm::Value* where, unsigned element) {
    mark_data(b_.CreateAlignedStore(value, data_pointer(where), llvm::Align(element)));
}

llvm::Value* Emitter::narrowed(const Value& value, unsigned element) {
    return b_.CreateZExtOrTrunc(vector_of(value), vector(integer(element * 8u)));
}

/// Of lanes that store to one place together the lowest stays; the last such part comes last.
void Emitter::store_to_one_place(const Place& place, const std::vector<Value>& values, unsigned element) {
    const unsigned at_once = stores_at_once(element * static_cast<unsigned>(values.size()));
    for (std::size_t e = 0; e < values.size(); ++e) {
        llvm::Value* value =
            values[e].shape.is_uniform()
                ? values[e].base
                : b_.CreateExtractElement(vector_of(values[e]), std::uint64_t{lanes_of_warp - at_once});
        store_at(b_.CreateZExtOrTrunc(value, integer(element * 8u)), b_.CreateAdd(place.base, b_.getInt64(e * element)),
                 element);
    }
}

/// The elements of all lanes as they lie in memory: those of a lane beside each other.
llvm::Value* Emitter::interleaved(const std::vector<Value>& values, unsigned element) {
    if (values.size() == 1) return narrowed(values[0], element);
    std::vector<llvm::Value*> parts;
    for (const Value& value : values) parts.push_back(narrowed(value, element));
    std::vector<int> both, order;
    for (unsigned l = 0; l < 2 * lanes_of_warp; ++l) both.push_back(static_cast<int>(l));
    llvm::Value* all = b_.CreateShuffleVector(parts[0], parts[1], both);
    if (values.size() == 4) {
        llvm::Value* upper = b_.CreateShuffleVector(parts[2], parts[3], both);
        for (unsigned l = 0; l < 4 * lanes_of_warp; ++l) order.push_back(static_cast<int>(l));
        all = b_.CreateShuffleVector(all, upper, order);
        order.clear();
    }
    for (unsigned l = 0; l < lanes_of_warp; ++l)
        for (std::size_t e = 0; e < values.size(); ++e) order.push_back(static_cast<int>(e * lanes_of_warp + l));
    return b_.CreateShuffleVector(all, order);
}

/// The halves of a warp, each a row of its own.
void Emitter::store_halves(const Place& place, llvm::Value* row, unsigned element) {
    std::vector<int> lower, upper;
    for (unsigned l = 0; l < half_warp; ++l)
        lower.push_back(static_cast<int>(l)), upper.push_back(static_cast<int>(l + half_warp));
    const auto store_half = [&](bool second) {
        store_at(b_.CreateShuffleVector(row, second ? upper : lower),
                 second ? b_.CreateAdd(place.base, place.half_value) : place.base, element);
    };
    const bool together = stores_at_once(element) == lanes_of_warp;
    store_half(together);
    store_half(!together);
}

/// In the order in which lanes store.
void Emitter::store_by_lane(const Place& place, const std::vector<Value>& values, unsigned element) {
    const unsigned at_once = stores_at_once(element * static_cast<unsigned>(values.size()));
    std::vector<int> order;
    for (unsigned first = 0; first < lanes_of_warp; first += at_once)
        for (unsigned l = first + at_once; l-- > first;) order.push_back(static_cast<int>(l));
    for (std::size_t e = 0; e < values.size(); ++e) {
        llvm::Value* where = lane_pointers(place, e * element, order);
        mark_data(b_.CreateMaskedScatter(b_.CreateShuffleVector(narrowed(values[e], element), order), where,
                                         llvm::Align(element), active_in_order(order)));
    }
}

void Emitter::call_handler(Node& node) {
    const std::uint32_t i = node.instruction;
    const Plan& plan = plan_.plan(i);
    node.done = true;
    for (auto& [r, definition] : node.sources) value_of(r, definition);
    flush_checks();
    for (auto& [r, definition] : node.sources) store_register(r, definition.value);
    if (!plan_.levels().empty()) own_store(mask_or_all(), state_field(offsetof(CompiledState, active)), 4);
    entries_.calls_handlers = true;
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
    store_counts(heads_[piece_].counts);
    come_back(b_.getInt32(static_cast<std::uint32_t>(CompiledExit::fault)));
    b_.SetInsertPoint(done);
    for (std::uint32_t r : plan.writes) definitions_[r] = {-1, load_register(r)};
}

}  // namespace cudash::virtual_gpu
