#include "runtime_wrappers/virtual_gpu/jit/operation_body.h"

#include <array>
#include <optional>

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/MemoryBuffer.h>

#include "runtime_wrappers/virtual_gpu/jit/operations.h"

namespace cudash::virtual_gpu {
namespace {

using namespace llvm;

bool has_lanes(const llvm::Instruction& instruction) {
    if (isa<BinaryOperator, UnaryOperator, CastInst, CmpInst, SelectInst, FreezeInst>(instruction)) return true;
    const auto* call = dyn_cast<IntrinsicInst>(&instruction);
    return call && isTriviallyVectorizable(call->getIntrinsicID());
}

/// A row of a table that does not change.
bool is_lookup(const llvm::Instruction& instruction) {
    if (const auto* load = dyn_cast<LoadInst>(&instruction))
        return load->isSimple() && isa<GetElementPtrInst>(load->getPointerOperand());
    const auto* place = dyn_cast<GetElementPtrInst>(&instruction);
    if (const auto* row = place ? dyn_cast<GetElementPtrInst>(place->getPointerOperand()) : nullptr)
        return place->hasAllConstantIndices() && is_lookup(*row);
    const auto* table = place ? dyn_cast<GlobalVariable>(place->getPointerOperand()) : nullptr;
    return table && table->isConstant() && table->hasInitializer();
}

constexpr std::size_t most_blocks = 32;

/// Without loops, and of instructions that LLVM has for vectors.
bool is_straight(const Function& body) {
    if (body.empty() || body.size() > most_blocks) return false;
    SmallPtrSet<const BasicBlock*, 8> seen;
    unsigned results = 0;
    for (const BasicBlock& block : body) {
        seen.insert(&block);
        for (const BasicBlock* next : successors(&block))
            if (seen.contains(next)) return false;
        for (const llvm::Instruction& instruction : block) {
            if (const auto* result = dyn_cast<ReturnInst>(&instruction)) {
                if (result->getReturnValue() == nullptr) return false;
                ++results;
            } else if (is_lookup(instruction)) {
                continue;
            } else if (!isa<BranchInst, PHINode>(instruction) && !has_lanes(instruction)) {
                return false;
            }
            for (const Use& operand : instruction.operands())
                if (isa<Constant>(operand) && !isa<ConstantInt, ConstantFP, Function>(operand)) return false;
        }
    }
    return results == 1;
}

}  // namespace

OperationBodies::OperationBodies(LLVMContext& context) {
    const std::string_view bytes = operation_bitcode();
    auto parsed = getLazyBitcodeModule(MemoryBufferRef(StringRef(bytes.data(), bytes.size()), "operations"), context);
    if (parsed) {
        module_ = std::move(*parsed);
    } else {
        consumeError(parsed.takeError());
    }
}

const Function* OperationBodies::find(std::string_view function) {
    if (const auto known = found_.find(function); known != found_.end()) return known->second;
    const Function* body = nullptr;
    const std::string symbol = operation_symbol(function);
    GlobalVariable* pointer = module_ && !symbol.empty() ? module_->getGlobalVariable(symbol, true) : nullptr;
    if (pointer && pointer->hasInitializer())
        if (auto* target = dyn_cast<Function>(pointer->getInitializer()->stripPointerCasts())) {
            if (Error failed = target->materialize()) {
                consumeError(std::move(failed));
            } else if (is_straight(*target)) {
                body = target;
            }
        }
    found_.emplace(function, body);
    return body;
}

namespace {

/// Copies a body instruction by instruction. Where it branches all ways are gone, and a phi chooses.
class BodyCopy {
public:
    BodyCopy(IRBuilder<>& builder, const Function& body, const std::vector<Value*>& arguments, bool lanes)
        : builder_(builder), body_(body), lanes_(lanes) {
        // Lanes that are elsewhere may hold anything, but look up some row of a table.
        const bool looks_up = any_of(instructions(body), [](const auto& each) { return isa<LoadInst>(each); });
        for (const Argument& argument : body.args()) {
            Value* given = arguments[argument.getArgNo()];
            made_[&argument] = looks_up ? builder.CreateFreeze(given) : given;
        }
    }

    Value* run() {
        for (const BasicBlock& block : body_) {
            here_ = nullptr;
            if (&block != &body_.getEntryBlock())
                for (const BasicBlock* from : predecessors(&block)) here_ = either(here_, way(from, &block));
            for (const llvm::Instruction& each : block) {
                if (const auto* result = dyn_cast<ReturnInst>(&each)) return value(result->getReturnValue());
                if (const auto* phi = dyn_cast<PHINode>(&each)) {
                    made_[&each] = chosen(*phi);
                } else if (!isa<BranchInst>(each)) {
                    made_[&each] = copy(each);
                }
            }
            reached_[&block] = here_;
        }
        return nullptr;
    }

private:
    Type* type(Type* scalar) { return lanes_ ? FixedVectorType::get(scalar, lanes_of_warp) : scalar; }

    Value* value(const Value* operand) {
        if (const auto known = made_.find(operand); known != made_.end()) return known->second;
        auto* constant = const_cast<Constant*>(cast<Constant>(operand));
        return lanes_ ? ConstantVector::getSplat(ElementCount::getFixed(lanes_of_warp), constant) : constant;
    }
    Value* either(Value* a, Value* b) { return a ? builder_.CreateOr(a, b) : b; }

    /// Which lanes go from a block to the next; never nullptr where there are two ways.
    Value* way(const BasicBlock* from, const BasicBlock* to) {
        const auto* branch = cast<BranchInst>(from->getTerminator());
        Value* all = reached_.lookup(from);
        if (!all) all = Constant::getAllOnesValue(type(builder_.getInt1Ty()));
        if (branch->isUnconditional()) return all;
        Value* condition = value(branch->getCondition());
        Value* taken = nullptr;
        if (branch->getSuccessor(0) == to) taken = condition;
        if (branch->getSuccessor(1) == to) taken = either(taken, builder_.CreateNot(condition));
        return builder_.CreateAnd(all, taken);
    }

    Value* chosen(const PHINode& phi) {
        Value* result = value(phi.getIncomingValue(0));
        for (unsigned k = 1; k < phi.getNumIncomingValues(); ++k)
            result = builder_.CreateSelect(way(phi.getIncomingBlock(k), phi.getParent()),
                                           value(phi.getIncomingValue(k)), result);
        return result;
    }

    /// Lanes that do not come here must not divide by zero.
    Value* divisor(const BinaryOperator& division) {
        Value* by = value(division.getOperand(1));
        return here_ ? builder_.CreateSelect(here_, by, ConstantInt::get(by->getType(), 1)) : by;
    }

    Value* place(const GetElementPtrInst& each, std::optional<unsigned> from = std::nullopt) {
        if (isa<GetElementPtrInst>(each.getPointerOperand())) {
            const SmallVector<Value*, 3> within(each.indices());
            return builder_.CreateGEP(each.getSourceElementType(), value(each.getPointerOperand()), within);
        }
        const auto& table = *cast<GlobalVariable>(each.getPointerOperand());
        Module& module = *builder_.GetInsertBlock()->getModule();
        GlobalVariable* copy = module.getNamedGlobal(table.getName());
        if (!copy) {
            copy = new GlobalVariable(module, table.getValueType(), true, GlobalValue::PrivateLinkage,
                                      const_cast<Constant*>(table.getInitializer()), table.getName());
            copy->setAlignment(table.getAlign());
        }
        SmallVector<Value*, 3> indices;
        for (const Use& index : each.indices())
            indices.push_back(isa<Constant>(index) ? const_cast<Value*>(index.get())
                              : from               ? eight_of(value(index), *from)
                                                   : value(index));
        return builder_.CreateGEP(each.getSourceElementType(), copy, indices);
    }

    Value* look_up(const LoadInst& each) {
        Value* where = value(each.getPointerOperand());
        if (!where->getType()->isVectorTy()) {
            Value* row = builder_.CreateAlignedLoad(each.getType(), where, each.getAlign());
            return lanes_ ? builder_.CreateVectorSplat(lanes_of_warp, row) : row;
        }
        const auto& row = *cast<GetElementPtrInst>(each.getPointerOperand());
        if (each.getType()->isIntegerTy(64) && isa<GlobalVariable>(row.getPointerOperand()))
            return look_up_pairs(each, row);
        return builder_.CreateMaskedGather(type(each.getType()), where, each.getAlign());
    }

    /// Lanes `from` to `from + 7`.
    Value* eight_of(Value* lanes, unsigned from) {
        SmallVector<int, 8> places;
        for (int lane = 0; lane < 8; ++lane) places.push_back(static_cast<int>(from) + lane);
        if (auto* wide = dyn_cast<ZExtInst>(lanes))
            return builder_.CreateZExt(builder_.CreateShuffleVector(wide->getOperand(0), places),
                                       FixedVectorType::get(wide->getDestTy()->getScalarType(), 8));
        return builder_.CreateShuffleVector(lanes, places);
    }

    /// Rows of two words, for which one gather of eight lanes does. Left alone, LLVM takes twice as many instructions
    /// to part them again.
    Value* look_up_pairs(const LoadInst& each, const GetElementPtrInst& row) {
        constexpr unsigned pieces = lanes_of_warp / 8;
        std::array<Value*, pieces> found;
        for (unsigned k = 0; k < pieces; ++k)
            found[k] = builder_.CreateMaskedGather(FixedVectorType::get(builder_.getInt64Ty(), 8), place(row, 8 * k),
                                                   each.getAlign());
        const auto words = [&](Value* eight) {
            return builder_.CreateBitCast(eight, FixedVectorType::get(builder_.getInt32Ty(), 16));
        };
        for (unsigned which = 0; which < 2; ++which) {
            SmallVector<int, 16> places;
            for (unsigned lane = 0; lane < 16; ++lane) places.push_back(static_cast<int>(2 * lane + which));
            const auto sixteen = [&](unsigned k) {
                return builder_.CreateShuffleVector(words(found[k]), words(found[k + 1]), places);
            };
            halves_[&each][which] = concatenateVectors(builder_, {sixteen(0), sixteen(2)});
        }
        return concatenateVectors(builder_, found);
    }

    /// Of a row of two words: one of them, if it is that; else nullptr.
    Value* half_of_row(const llvm::Instruction& each) const {
        if (!isa<TruncInst>(each) || !each.getType()->isIntegerTy(32)) return nullptr;
        const Value* row = each.getOperand(0);
        const auto* shift = dyn_cast<BinaryOperator>(row);
        const bool upper = shift && shift->getOpcode() == llvm::Instruction::LShr &&
                           PatternMatch::match(shift->getOperand(1), PatternMatch::m_SpecificInt(32));
        const auto found = halves_.find(upper ? shift->getOperand(0) : row);
        return found == halves_.end() ? nullptr : found->second[upper];
    }

    Value* copy(const llvm::Instruction& each) {
        if (const auto* where = dyn_cast<GetElementPtrInst>(&each)) return place(*where);
        if (const auto* load = dyn_cast<LoadInst>(&each)) return look_up(*load);
        if (Value* half = half_of_row(each)) return half;
        llvm::Instruction* made = nullptr;
        if (const auto* binary = dyn_cast<BinaryOperator>(&each)) {
            made = BinaryOperator::Create(binary->getOpcode(), value(binary->getOperand(0)),
                                          binary->isIntDivRem() ? divisor(*binary) : value(binary->getOperand(1)));
        } else if (const auto* unary = dyn_cast<UnaryOperator>(&each)) {
            made = UnaryOperator::Create(unary->getOpcode(), value(unary->getOperand(0)));
        } else if (const auto* cast_of = dyn_cast<CastInst>(&each)) {
            made = CastInst::Create(cast_of->getOpcode(), value(cast_of->getOperand(0)), type(cast_of->getDestTy()));
        } else if (const auto* compare = dyn_cast<CmpInst>(&each)) {
            made = CmpInst::Create(compare->getOpcode(), compare->getPredicate(), value(compare->getOperand(0)),
                                   value(compare->getOperand(1)));
        } else if (const auto* select = dyn_cast<SelectInst>(&each)) {
            made = SelectInst::Create(value(select->getCondition()), value(select->getTrueValue()),
                                      value(select->getFalseValue()));
        } else if (const auto* freeze = dyn_cast<FreezeInst>(&each)) {
            made = new FreezeInst(value(freeze->getOperand(0)));
        } else {
            return call(cast<IntrinsicInst>(each));
        }
        made->copyIRFlags(&each);
        return builder_.Insert(made);
    }

    Value* call(const IntrinsicInst& each) {
        const Intrinsic::ID id = each.getIntrinsicID();
        SmallVector<Type*, 2> overloads;
        if (isVectorIntrinsicWithOverloadTypeAtArg(id, -1)) overloads.push_back(type(each.getType()));
        SmallVector<Value*, 4> operands;
        for (unsigned a = 0; a < each.arg_size(); ++a) {
            const bool is_scalar = isVectorIntrinsicWithScalarOpAtArg(id, a);
            operands.push_back(is_scalar ? each.getArgOperand(a) : value(each.getArgOperand(a)));
            if (isVectorIntrinsicWithOverloadTypeAtArg(id, static_cast<int>(a)))
                overloads.push_back(operands.back()->getType());
        }
        return builder_.CreateIntrinsic(id, overloads, operands);
    }

    IRBuilder<>& builder_;
    const Function& body_;
    bool lanes_;
    Value* here_ = nullptr;  ///< lanes that come to this block; nullptr: all
    DenseMap<const Value*, Value*> made_;
    DenseMap<const Value*, std::array<Value*, 2>> halves_;  ///< of rows of two words
    DenseMap<const BasicBlock*, Value*> reached_;
};

}  // namespace

Value* OperationBodies::apply(IRBuilder<>& builder, const Function& body, const std::vector<Value*>& arguments,
                              bool lanes) {
    return BodyCopy(builder, body, arguments, lanes).run();
}

}  // namespace cudash::virtual_gpu
