// The part of the emitter that has registers' values and their places in memory.
#include <algorithm>
#include <cstddef>

#include "runtime_wrappers/virtual_gpu/jit/emitter.h"

namespace cudash::virtual_gpu {
namespace {

using llvm::Constant;
using llvm::ConstantInt;

unsigned type_bits(ptx::Type type) {
    return std::max(8u, type_bytes(type) * 8);
}
bool is_real(ptx::Type type) {
    return type == ptx::Type::f32 || type == ptx::Type::f64;
}

}  // namespace

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
    if (active_) bits = b_.CreateOr(bits, b_.CreateNot(active_));
    return b_.CreateICmpEQ(b_.CreateBitCast(bits, integer(lanes_of_warp)), b_.getInt32(~0u));
}

/// Of some lanes, in that order; nullptr: all are active.
llvm::Value* Emitter::active_in_order(const std::vector<int>& order) {
    return active_ ? b_.CreateShuffleVector(active_, order) : nullptr;
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
llvm::Value* Emitter::block_field(std::size_t offset) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), block_, offset);
}
llvm::Value* Emitter::data_pointer(llvm::Value* address) {
    llvm::Type* type = b_.getPtrTy();
    if (address->getType()->isVectorTy()) type = vector(type);
    return b_.CreateIntToPtr(address, type);
}

llvm::Value* Emitter::own_register(std::uint32_t offset) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), registers_, offset);
}
llvm::Value* Emitter::kept_word(unsigned number) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt64Ty(), kept_words_, number);
}
llvm::Value* Emitter::root_mask() {
    return root_mask_ ? root_mask_ : b_.getInt32(~0u);
}
llvm::Value* Emitter::mask_or_all() {
    return mask_ ? mask_ : b_.getInt32(~0u);
}

void Emitter::store_register(std::uint32_t offset, const Value& value) {
    llvm::Value* place = own_register(offset);
    if (value.bits != 1) {
        llvm::Value* all = vector_of(value);
        if (root_active_) all = b_.CreateSelect(root_active_, all, own_load(all->getType(), place, 64));
        return own_store(all, place, 64);
    }
    llvm::Value* mask = value.shape.affine ? b_.CreateSExt(value.base, b_.getInt32Ty())
                                           : b_.CreateBitCast(value.lanes, b_.getInt32Ty());
    if (root_mask_)
        mask = b_.CreateOr(b_.CreateAnd(mask, root_mask_),
                           b_.CreateAnd(own_load(b_.getInt32Ty(), place, 4), b_.CreateNot(root_mask_)));
    own_store(mask, place, 4);
}
Emitter::Value Emitter::load_register(std::uint32_t offset) {
    llvm::Value* place = own_register(offset);
    const unsigned bits = bits_of(offset);
    if (bits != 1) return lanes(own_load(vector(integer(bits)), place, 64), bits);
    return lanes(b_.CreateBitCast(own_load(b_.getInt32Ty(), place, 4), vector(integer(1))), 1);
}

}  // namespace cudash::virtual_gpu
