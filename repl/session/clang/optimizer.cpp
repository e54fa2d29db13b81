#include "repl/session/clang/optimizer.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Passes/PassBuilder.h"

namespace cudash::session {
namespace {

/// new, delete, malloc, free. Nothing is taken for their pair: a copy into memory that is only freed stays, since what
/// it reads may be a mistake.
bool allocates(const llvm::CallBase& call) {
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee) return false;
    const llvm::StringRef name = callee->getName();
    return name.starts_with("_Zn") || name.starts_with("_Zd") || name == "malloc" || name == "calloc" ||
           name == "realloc" || name == "free";
}

void prepare(llvm::Instruction& instruction) {
    // Two calls that do the same are still two places of the program.
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction); call && !llvm::isa<llvm::IntrinsicInst>(call)) {
        call->addFnAttr(llvm::Attribute::NoMerge);
        if (allocates(*call)) {
            call->removeFnAttr(llvm::Attribute::Builtin);
            call->addFnAttr(llvm::Attribute::NoBuiltin);
        }
    }
    // Signed integers wrap, as in the device's code: programs compare `i * i` on both sides.
    if (llvm::isa<llvm::OverflowingBinaryOperator>(&instruction)) {
        instruction.setHasNoSignedWrap(false);
        instruction.setHasNoUnsignedWrap(false);
    }
}

void prepare(llvm::Function& function) {
    // Cells that come later count on what this module has.
    if (function.hasLinkOnceODRLinkage()) function.setLinkage(llvm::GlobalValue::WeakODRLinkage);
    if (function.hasLinkOnceAnyLinkage()) function.setLinkage(llvm::GlobalValue::WeakAnyLinkage);
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    // A null pointer that is used is told.
    function.addFnAttr(llvm::Attribute::NullPointerIsValid);
    // A loop that waits for ever waits, as g++ has it.
    function.removeFnAttr(llvm::Attribute::MustProgress);
    // A call in place of a return leaves no frame to find the line by.
    function.addFnAttr("disable-tail-calls", "true");
    // A launch's stub is known by its address.
    const bool is_stub = function.getName().contains("__device_stub__");
    if (!is_stub && !function.hasFnAttribute(llvm::Attribute::AlwaysInline))
        function.removeFnAttr(llvm::Attribute::NoInline);
    for (llvm::Instruction& instruction : llvm::instructions(function)) prepare(instruction);
}

constexpr const char* line_tag = "cudash.line";

/// An access that is moved out of a loop loses its line, and a fault there would have none: it is kept beside it.
struct KeepLines : llvm::PassInfoMixin<KeepLines> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        for (llvm::Instruction& instruction : llvm::instructions(function))
            if (instruction.mayReadOrWriteMemory() && instruction.getDebugLoc())
                instruction.setMetadata(line_tag, instruction.getDebugLoc().getAsMDNode());
        return llvm::PreservedAnalyses::all();
    }
};

void give_lines_back(llvm::Function& function) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
        const auto* line = llvm::cast_or_null<llvm::DILocation>(instruction.getMetadata(line_tag));
        if (!line) continue;
        instruction.setMetadata(line_tag, nullptr);
        const bool has_line = instruction.getDebugLoc() && instruction.getDebugLoc().getLine() != 0;
        // What came from another function since then has that function's.
        if (!has_line && line->getInlinedAtScope()->getSubprogram() == function.getSubprogram())
            instruction.setDebugLoc(llvm::DebugLoc(line));
    }
}

struct GiveLinesBack : llvm::PassInfoMixin<GiveLinesBack> {
    llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
        give_lines_back(function);
        return llvm::PreservedAnalyses::all();
    }
};

}  // namespace

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
    for (llvm::Function& function : module)
        if (!function.isDeclaration()) prepare(function);
    llvm::PipelineTuningOptions tuning;
    tuning.LoopVectorization = tuning.SLPVectorization = true;
    llvm::PassBuilder builder(&machine, tuning);
    builder.registerPeepholeEPCallback(
        [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(KeepLines()); });
    // Before the function becomes part of others.
    builder.registerScalarOptimizerLateEPCallback(
        [](llvm::FunctionPassManager& passes, llvm::OptimizationLevel) { passes.addPass(GiveLinesBack()); });
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graphs;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(graphs);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, graphs, modules);
    builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
    for (llvm::Function& function : module) give_lines_back(function);
}

}  // namespace cudash::session
