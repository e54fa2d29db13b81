// f32 arithmetic makes one NaN of all (semantics_float.h, canonical), which costs a comparison and a choice after each
// instruction. Most results only go on into further arithmetic, where all NaNs are alike.
#pragma once

#include <llvm/IR/PassManager.h>

namespace cudash::virtual_gpu {

/// Leaves NaNs as the processor makes them where nothing can tell which one it was.
struct LeaveUnseenNans : llvm::PassInfoMixin<LeaveUnseenNans> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace cudash::virtual_gpu
