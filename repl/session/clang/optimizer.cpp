#include "repl/session/clang/optimizer.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Passes/PassBuilder.h"

namespace cudash::session {
namespace {

/// Calls the runtime or launches: messages name the line of such a call and the variable that it fills, so the function
/// stays as clang made it.
bool calls_runtime(const llvm::Function& function) {
    for (const llvm::Instruction& instruction : llvm::instructions(function))
        if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction))
            if (const llvm::Function* callee = call->getCalledFunction();
                callee && (callee->getName().contains("cuda") || callee->getName().contains("__device_stub__")))
                return true;
    return false;
}

void prepare(llvm::Function& function) {
    // Cells that come later count on what this module has.
    if (function.hasLinkOnceODRLinkage()) function.setLinkage(llvm::GlobalValue::WeakODRLinkage);
    if (function.hasLinkOnceAnyLinkage()) function.setLinkage(llvm::GlobalValue::WeakAnyLinkage);
    if (function.getName().contains("__device_stub__") || calls_runtime(function)) {
        if (!function.hasFnAttribute(llvm::Attribute::AlwaysInline)) {
            function.addFnAttr(llvm::Attribute::NoInline);
            function.addFnAttr(llvm::Attribute::OptimizeNone);
        }
        return;
    }
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    // A null pointer that is used is told.
    function.addFnAttr(llvm::Attribute::NullPointerIsValid);
    // A loop that waits for ever waits, as g++ has it.
    function.removeFnAttr(llvm::Attribute::MustProgress);
    // A call in place of a return leaves no frame to find the line by.
    function.addFnAttr("disable-tail-calls", "true");
    if (!function.hasFnAttribute(llvm::Attribute::AlwaysInline)) function.removeFnAttr(llvm::Attribute::NoInline);
}

}  // namespace

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
    module.setModuleIdentifier(module.getModuleIdentifier() + std::string(optimized_suffix));
    for (llvm::Function& function : module)
        if (!function.isDeclaration()) prepare(function);
    llvm::PipelineTuningOptions tuning;
    tuning.LoopVectorization = tuning.SLPVectorization = true;
    llvm::PassBuilder builder(&machine, tuning);
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
}

}  // namespace cudash::session
