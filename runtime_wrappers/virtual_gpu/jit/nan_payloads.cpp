#include "runtime_wrappers/virtual_gpu/jit/nan_payloads.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace cudash::virtual_gpu {
namespace {

using namespace llvm;

/// Of a choice of the canonical NaN for any other one: what it chooses for, as the processor made it; else nullptr.
llvm::Instruction* computed_by(Value* value) {
    using namespace PatternMatch;
    auto* choice = dyn_cast<SelectInst>(value);
    const auto* compared = choice ? dyn_cast<FCmpInst>(choice->getCondition()) : nullptr;
    if (!compared || !choice->getType()->getScalarType()->isFloatTy()) return nullptr;
    const bool unordered = compared->getPredicate() == CmpInst::FCMP_UNO;
    if (!unordered && compared->getPredicate() != CmpInst::FCMP_ORD) return nullptr;
    Value* const result = unordered ? choice->getFalseValue() : choice->getTrueValue();
    const Value* const nan = unordered ? choice->getTrueValue() : choice->getFalseValue();
    const bool with_itself = compared->getOperand(1) == result || match(compared->getOperand(1), m_AnyZeroFP());
    if (compared->getOperand(0) != result || !with_itself || !match(nan, m_NaN())) return nullptr;
    return dyn_cast<llvm::Instruction>(result);
}

/// A NaN that it is given comes out of it, and nothing else depends on which one it was.
bool passes_nan_on(const llvm::Instruction& user) {
    if (const auto* call = dyn_cast<IntrinsicInst>(&user)) {
        switch (call->getIntrinsicID()) {
            case Intrinsic::fma:
            case Intrinsic::fabs:
            case Intrinsic::sqrt:
            case Intrinsic::floor:
            case Intrinsic::ceil:
            case Intrinsic::trunc:
                return true;
            default:
                return false;
        }
    }
    if (const auto* cast = dyn_cast<BitCastInst>(&user)) {
        const Type *from = cast->getSrcTy(), *to = cast->getDestTy();
        return from->getScalarSizeInBits() == 32 && to->getScalarSizeInBits() == 32 &&
               from->isVectorTy() == to->isVectorTy();
    }
    switch (user.getOpcode()) {
        case llvm::Instruction::FAdd:
        case llvm::Instruction::FSub:
        case llvm::Instruction::FMul:
        case llvm::Instruction::FDiv:
        case llvm::Instruction::FNeg:
        case llvm::Instruction::Select:
        case llvm::Instruction::PHI:
            return true;
        default:
            return false;
    }
}

class Nans {
public:
    explicit Nans(Function& function) {
        for (llvm::Instruction& each : instructions(function)) {
            if (computed_by(&each)) choices_.push_back(cast<SelectInst>(&each));
            for (llvm::User* user : each.users())
                if (is_seen_by(&each, *cast<llvm::Instruction>(user)) && !passes_nan_on(*cast<llvm::Instruction>(user)))
                    see(&each);
        }
        while (!waiting_.empty()) {
            llvm::Instruction* const each = waiting_.pop_back_val();
            if (computed_by(each) || !passes_nan_on(*each)) continue;
            for (Value* operand : each->operands())
                if (auto* source = dyn_cast<llvm::Instruction>(operand); source && is_seen_by(source, *each))
                    see(source);
        }
    }

    /// Whether it changed something.
    bool leave() {
        bool changed = false;
        for (SelectInst* choice : choices_) {
            llvm::Instruction* const computed = computed_by(choice);
            choice->replaceUsesWithIf(computed, [&](const Use& use) {
                auto* user = cast<llvm::Instruction>(use.getUser());
                const bool unseen = !is_seen_by(choice, *user) || (passes_nan_on(*user) && !seen_.contains(user));
                changed |= unseen;
                return unseen;
            });
        }
        return changed;
    }

private:
    void see(llvm::Instruction* value) {
        if (seen_.insert(value).second) waiting_.push_back(value);
    }
    /// Comparisons take all NaNs as one, and a choice of the canonical one leaves no other.
    static bool is_seen_by(const llvm::Instruction* value, llvm::Instruction& user) {
        return !isa<FCmpInst>(user) && computed_by(&user) != value;
    }

    SmallVector<SelectInst*> choices_;
    SmallPtrSet<llvm::Instruction*, 32> seen_;
    SmallVector<llvm::Instruction*> waiting_;
};

}  // namespace

PreservedAnalyses LeaveUnseenNans::run(Function& function, FunctionAnalysisManager&) {
    if (!Nans(function).leave()) return PreservedAnalyses::all();
    PreservedAnalyses kept;
    kept.preserveSet<CFGAnalyses>();
    return kept;
}

}  // namespace cudash::virtual_gpu
