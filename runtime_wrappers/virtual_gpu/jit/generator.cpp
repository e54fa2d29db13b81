#include "runtime_wrappers/virtual_gpu/jit/generator.h"

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/DCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include "runtime_wrappers/virtual_gpu/exec/warp.h"
#include "runtime_wrappers/virtual_gpu/jit/code_cache.h"
#include "runtime_wrappers/virtual_gpu/jit/emitter.h"
#include "runtime_wrappers/virtual_gpu/jit/kernel_plan.h"
#include "runtime_wrappers/virtual_gpu/jit/nan_payloads.h"

namespace cudash::virtual_gpu {
namespace {

using namespace llvm;

/// Longer kernels would take too long to compile.
constexpr std::uint32_t longest_kernel = 3000;
/// The functions, each in a library of its own.
constexpr const char *whole_name = "whole", *part_name = "part";

struct Compiler {
    orc::ThreadSafeContext context;
    std::unique_ptr<orc::LLJIT> jit;
    std::unique_ptr<TargetMachine> target;
    std::unique_ptr<OperationBodies> bodies;
};

class LlvmKernel final : public CompiledKernel {
public:
    LlvmKernel(std::shared_ptr<Compiler> compiler) : compiler_(std::move(compiler)) {}
    ~LlvmKernel() override { remove(); }

    /// `number`: of this kernel, among all. False: it can't be linked.
    bool add(std::unique_ptr<MemoryBuffer> object, std::uint64_t number) {
        orc::LLJIT& jit = *compiler_->jit;
        auto library = jit.createJITDylib("kernel_" + std::to_string(number));
        if (!library) {
            consumeError(library.takeError());
            return false;
        }
        library_ = &*library;
        if (Error failed = jit.addObjectFile(*library_, std::move(object))) {
            consumeError(std::move(failed));
            return false;
        }
        for (const auto& [form, symbol] : {std::pair{&whole_, whole_name}, {&part_, part_name}}) {
            if (form->entries.empty()) continue;
            auto address = jit.lookup(*library_, symbol);
            if (!address) {
                consumeError(address.takeError());
                return false;
            }
            form->code = address->toPtr<CompiledCode>();
        }
        return true;
    }
    void remove() {
        if (!library_) return;
        if (Error failed = compiler_->jit->getExecutionSession().removeJITDylib(*library_))
            consumeError(std::move(failed));
        library_ = nullptr;
    }
    void begin(const Code& code) {
        first_ = code.instructions.data();
        starts_alone_ = ends_alone_ = true;
    }
    /// `begins`: some warps of a block start with it.
    void emit(bool begins, const KernelPlan& plan, OperationBodies& bodies, Module& module) {
        const std::size_t handled = handled_.size();
        auto entries = Emitter(plan, bodies, module, alone_, handled_).emit(plan.whole() ? whole_name : part_name);
        ends_alone_ = ends_alone_ && plan.only_exits();
        if (begins) starts_alone_ = starts_alone_ && handled_.size() == handled && plan.pieces()[0].live_in.empty();
        Form& form = plan.whole() ? whole_ : part_;
        form.entries = std::move(entries.numbers);
        form.parted = std::move(entries.parted);
        form.kept.resize(form.entries.size());
        for (auto& [at, kept] : entries.kept) form.kept[at] = std::move(kept);
        form.ways_out = std::move(entries.ways_out);
        words_ = std::max(words_, entries.words);
    }

private:
    std::shared_ptr<Compiler> compiler_;
    std::deque<std::array<virtual_gpu::Instruction, 2>> alone_;
    orc::JITDylib* library_ = nullptr;
};

class LlvmGenerator final : public CodeGenerator {
public:
    explicit LlvmGenerator(std::shared_ptr<Compiler> compiler) : compiler_(std::move(compiler)) {}

    std::shared_ptr<const CompiledKernel> load(const Program& program, const Dim3& block) override;
    std::size_t size() const override { return emitted_ ? emitted_->module->getInstructionCount() : 0; }
    std::shared_ptr<const CompiledKernel> compile(const Program& program, const Dim3& block) override;

private:
    /// A kernel in LLVM's instructions, of which there is no code yet.
    struct Emitted {
        std::uint64_t serial;
        Dim3 block;
        std::unique_ptr<Module> module;
        std::shared_ptr<LlvmKernel> kernel;
        std::string key;
    };
    /// False: LLVM finds the instructions to be broken.
    bool emit(const Program& program, const Dim3& block);
    std::unique_ptr<MemoryBuffer> object_of(Module& module);
    void optimise(Module& module);

    std::shared_ptr<Compiler> compiler_;
    std::uint64_t compiled_ = 0;
    std::optional<Emitted> emitted_;  ///< the last one that load() did not find
};

bool may_be_compiled(const Code& code) {
    const std::size_t count = code.steady_at != 0 ? code.steady_at : code.instructions.size();
    if (count > longest_kernel || code.uses_alloca || code.frame_bytes == 0) return false;
    for (const ptx::Instruction* written : code.written)
        if (written && written->call) return false;
    return true;
}

bool LlvmGenerator::emit(const Program& program, const Dim3& block) {
    const Code& code = *program.functions.front();
    auto kernel = std::make_shared<LlvmKernel>(compiler_);
    OperationBodies& bodies = *compiler_->bodies;
    const auto has_body = [&](std::string_view function) { return bodies.find(function) != nullptr; };
    auto module = std::make_unique<Module>("kernel", *compiler_->context.getContext());
    module->setDataLayout(compiler_->jit->getDataLayout());
    module->setTargetTriple(compiler_->jit->getTargetTriple().str());
    const KernelPlan whole(code, block, true, has_body);
    kernel->begin(code);
    // Warps of which lanes are missing have a function of their own, where there are any.
    const unsigned threads = block.x * block.y * block.z;
    if (threads >= warp_size) kernel->emit(true, whole, bodies, *module);
    if (threads % warp_size != 0 || whole.leaves_parted())
        kernel->emit(threads % warp_size != 0, KernelPlan(code, block, false, has_body), bodies, *module);
    emitted_.reset();
    if (verifyModule(*module)) return false;
    std::string key = code_key(*module, *compiler_->target);
    emitted_ = {program.serial, block, std::move(module), std::move(kernel), std::move(key)};
    return true;
}

std::shared_ptr<const CompiledKernel> LlvmGenerator::load(const Program& program, const Dim3& block) {
    emitted_.reset();
    if (!may_be_compiled(*program.functions.front())) return nullptr;
    auto lock = compiler_->context.getLock();
    if (!emit(program, block)) return nullptr;
    auto object = load_code(emitted_->key);
    if (!object) return nullptr;
    auto kernel = std::move(emitted_->kernel);
    emitted_.reset();
    return kernel->add(std::move(object), ++compiled_) ? kernel : nullptr;
}

std::shared_ptr<const CompiledKernel> LlvmGenerator::compile(const Program& program, const Dim3& block) {
    if (!may_be_compiled(*program.functions.front())) return nullptr;
    auto lock = compiler_->context.getLock();
    const bool is_emitted = emitted_ && emitted_->serial == program.serial && emitted_->block == block;
    if (!is_emitted && !emit(program, block)) return nullptr;
    const Emitted emitted = *std::exchange(emitted_, std::nullopt);
    auto object = object_of(*emitted.module);
    if (!object) return nullptr;
    store_code(emitted.key, object->getBuffer());
    return emitted.kernel->add(std::move(object), ++compiled_) ? emitted.kernel : nullptr;
}

/// nullptr: LLVM can't compile the instructions.
std::unique_ptr<MemoryBuffer> LlvmGenerator::object_of(Module& module) {
    optimise(module);
    auto object = orc::SimpleCompiler(*compiler_->target)(module);
    if (object) return std::move(*object);
    consumeError(object.takeError());
    return nullptr;
}

void LlvmGenerator::optimise(Module& module) {
    const std::string processor = compiler_->target->getTargetCPU().str();
    const std::string features = compiler_->target->getTargetFeatureString().str();
    for (Function& function : module) {
        if (function.isDeclaration()) continue;
        function.addFnAttr("target-cpu", processor);
        function.addFnAttr("target-features", features);
        function.addFnAttr("prefer-vector-width", "512");
    }
    PassBuilder passes(compiler_->target.get());
    LoopAnalysisManager loops;
    FunctionAnalysisManager functions;
    CGSCCAnalysisManager graphs;
    ModuleAnalysisManager modules;
    passes.registerModuleAnalyses(modules);
    passes.registerCGSCCAnalyses(graphs);
    passes.registerFunctionAnalyses(functions);
    passes.registerLoopAnalyses(loops);
    passes.crossRegisterProxies(loops, functions, graphs, modules);
    FunctionPassManager all;
    all.addPass(SimplifyCFGPass());
    all.addPass(InstCombinePass());
    all.addPass(LeaveUnseenNans());
    all.addPass(EarlyCSEPass(true));
    all.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
    all.addPass(InstCombinePass());
    all.addPass(SimplifyCFGPass());
    all.addPass(DCEPass());
    for (Function& function : module)
        if (!function.isDeclaration()) all.run(function, functions);
}

}  // namespace

std::shared_ptr<CodeGenerator> create_code_generator() {
    static std::once_flag ready;
    std::call_once(ready, [] {
        InitializeNativeTarget();
        InitializeNativeTargetAsmPrinter();
    });
    const auto features = sys::getHostCPUFeatures();
    if (!features.lookup("avx2") || !features.lookup("fma")) return nullptr;
    auto host = orc::JITTargetMachineBuilder::detectHost();
    if (!host) {
        consumeError(host.takeError());
        return nullptr;
    }
    host->setCodeGenOptLevel(CodeGenOptLevel::Less);  // half the time, for code that is hardly slower
    // As LLJIT has it for code that is linked where it runs.
    host->setRelocationModel(Reloc::PIC_);
    host->setCodeModel(CodeModel::Small);
    // No fused operations but those that PTX has.
    host->getOptions().AllowFPOpFusion = FPOpFusion::Strict;
    auto compiler = std::make_shared<Compiler>();
    compiler->context = orc::ThreadSafeContext(std::make_unique<LLVMContext>());
    auto target = host->createTargetMachine();
    auto jit = orc::LLJITBuilder().setJITTargetMachineBuilder(*host).create();
    if (!target || !jit) {
        if (!target) consumeError(target.takeError());
        if (!jit) consumeError(jit.takeError());
        return nullptr;
    }
    compiler->target = std::move(*target);
    compiler->jit = std::move(*jit);
    compiler->bodies = std::make_unique<OperationBodies>(*compiler->context.getContext());
    return std::make_shared<LlvmGenerator>(std::move(compiler));
}

}  // namespace cudash::virtual_gpu
