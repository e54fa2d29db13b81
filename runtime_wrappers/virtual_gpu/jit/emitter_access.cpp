// The part of the emitter that has loads, stores and calls of handlers.
#include <algorithm>
#include <cstddef>
#include <numeric>

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

/// Elements of the lanes from `first` on, which lie beside each other.
llvm::Value* Emitter::load_row(const Place& place, llvm::FixedVectorType* type, llvm::Value* where,
                               llvm::Align alignment, unsigned first) {
    llvm::Instruction* made;
    if (place.of_active) {
        std::vector<int> those(type->getNumElements());
        std::iota(those.begin(), those.end(), static_cast<int>(first));
        made = b_.CreateMaskedLoad(type, data_pointer(where), alignment, active_in_order(those),
                                   llvm::Constant::getNullValue(type));
    } else {
        made = b_.CreateAlignedLoad(type, data_pointer(where), alignment);
    }
    mark_data(made);
    return made;
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
            row = load_row(place, vector(element, lanes_of_warp * count), place.base, alignment, 0);
        } else {
            auto* half = vector(element, half_warp * count);
            llvm::Value* lower = load_row(place, half, place.base, alignment, 0);
            llvm::Value* upper =
                load_row(place, half, b_.CreateAdd(place.base, place.half_value), alignment, half_warp);
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
    for (auto& [r, definition] : node.sources)
        if (!in_frame_.contains(r)) store_register(r, definition.value);
    if (!plan_.levels().empty()) own_store(mask_or_all(), state_field(offsetof(CompiledState, active)), 4);
    const Instruction* instruction = &code_.instructions[i];
    if (plan.chains) {
        auto& copy = alone_.emplace_back();
        copy[0] = *instruction;
        copy[1].run = run_end_of_one;
        instruction = copy.data();
    }
    // By its number: addresses are others in the next run, for which the code is kept.
    llvm::Value* table = own_load(b_.getPtrTy(), block_field(offsetof(CompiledBlock, handled)), 8);
    llvm::Value* only = own_load(b_.getPtrTy(), b_.CreateConstGEP1_32(b_.getPtrTy(), table, handled_.size()), 8);
    handled_.push_back(instruction);
    auto* type = llvm::FunctionType::get(b_.getInt1Ty(), {b_.getPtrTy(), b_.getPtrTy()}, false);
    llvm::Value* callee = own_load(b_.getPtrTy(), block_field(offsetof(CompiledBlock, run_one)), 8);
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
    for (std::uint32_t r : plan.writes) {
        definitions_[r] = {-1, load_register(r)};
        in_frame_.insert(r);
    }
}

}  // namespace cudash::virtual_gpu
