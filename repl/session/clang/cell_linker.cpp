#include "repl/session/clang/cell_linker.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "llvm/ExecutionEngine/JITLink/EHFrameSupport.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/MapperJITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/MemoryMapper.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "repl/session/clang/optimizer.h"

namespace cudash::session {
namespace {

/// Of addresses; memory is taken as it is used. A cell needs some ten to a hundred KiB.
constexpr std::size_t reserved_bytes = std::size_t{1} << 30;

class ReservedMapper : public llvm::orc::InProcessMemoryMapper {
public:
    explicit ReservedMapper(std::size_t page_size)
        : InProcessMemoryMapper(page_size),
          memory_(mmap(nullptr, reserved_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                       0)) {}

    /// Where the system refused, and after the first stretch, as LLVM does it: wherever there is room.
    void reserve(std::size_t bytes, OnReservedFunction done) override {
        if (memory_ == MAP_FAILED || bytes > reserved_bytes)
            return InProcessMemoryMapper::reserve(bytes, std::move(done));
        const auto begin = llvm::orc::ExecutorAddr::fromPtr(std::exchange(memory_, MAP_FAILED));
        done(llvm::orc::ExecutorAddrRange(begin, begin + reserved_bytes));
    }

private:
    void* memory_;  ///< that nobody has asked for yet
};

/// LLVM's own way with an error in generated code ends the process. While this lives, the first one is kept instead.
class KeptErrors {
public:
    explicit KeptErrors(llvm::LLVMContext& context) : context_(context), earlier_(context.getDiagnosticHandler()) {
        context.setDiagnosticHandler(std::make_unique<Handler>(first));
    }
    ~KeptErrors() { context_.setDiagnosticHandler(std::move(earlier_)); }
    KeptErrors(const KeptErrors&) = delete;
    KeptErrors& operator=(const KeptErrors&) = delete;

    std::optional<CellLinker::AssemblyError> first;

private:
    class Handler : public llvm::DiagnosticHandler {
    public:
        explicit Handler(std::optional<CellLinker::AssemblyError>& first) : first_(first) {}

        bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
            if (info.getSeverity() == llvm::DS_Error && !first_) first_ = read(info);
            return true;
        }

    private:
        static CellLinker::AssemblyError read(const llvm::DiagnosticInfo& info) {
            if (const auto* source = llvm::dyn_cast<llvm::DiagnosticInfoSrcMgr>(&info))
                return {source->getSMDiag().getMessage().str(), static_cast<unsigned>(source->getLocCookie())};
            unsigned location = 0;
            if (const auto* assembly = llvm::dyn_cast<llvm::DiagnosticInfoInlineAsm>(&info))
                location = static_cast<unsigned>(assembly->getLocCookie());
            std::string text;
            llvm::raw_string_ostream stream(text);
            llvm::DiagnosticPrinterRawOStream printer(stream);
            info.print(printer);
            return {std::move(text), location};
        }

        std::optional<CellLinker::AssemblyError>& first_;
    };

    llvm::LLVMContext& context_;
    std::unique_ptr<llvm::DiagnosticHandler> earlier_;
};

bool has_inline_assembly(const llvm::Function& function) {
    return std::ranges::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        return call && call->isInlineAsm();
    });
}

}  // namespace

llvm::Expected<std::unique_ptr<CellLinker>> CellLinker::create(llvm::orc::LLJIT& jit) {
    auto target = llvm::orc::JITTargetMachineBuilder::detectHost();
    if (!target) return target.takeError();
    target->setRelocationModel(llvm::Reloc::PIC_).setCodeModel(llvm::CodeModel::Small);
    auto machine = target->createTargetMachine();
    if (!machine) return machine.takeError();
    auto mapper = std::make_unique<ReservedMapper>(static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
    auto memory = std::make_unique<llvm::orc::MapperJITLinkMemoryManager>(reserved_bytes, std::move(mapper));
    return std::unique_ptr<CellLinker>(new CellLinker(jit, std::move(*machine), std::move(memory)));
}

CellLinker::CellLinker(llvm::orc::LLJIT& jit, std::unique_ptr<llvm::TargetMachine> machine,
                       std::unique_ptr<llvm::jitlink::JITLinkMemoryManager> memory)
    : jit_(jit),
      machine_(*machine),
      compile_(std::move(machine)),
      layer_(jit.getExecutionSession(), std::move(memory)) {
    // For exceptions that pass through cells.
    add_plugin(std::make_shared<llvm::orc::EHFrameRegistrationPlugin>(
        jit.getExecutionSession(), std::make_unique<llvm::jitlink::InProcessEHFrameRegistrar>()));
}

std::optional<CellLinker::AssemblyError> CellLinker::find_assembly_error(const llvm::Module& module) {
    if (module.getModuleInlineAsm().empty() && std::ranges::none_of(module, has_inline_assembly)) return std::nullopt;
    llvm::ValueToValueMapTy values;
    const std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module, values, [](const llvm::GlobalValue* value) {
        const auto* function = llvm::dyn_cast<llvm::Function>(value);
        return function && has_inline_assembly(*function);
    });
    KeptErrors errors(copy->getContext());
    // What else is wrong, add() says.
    if (auto object = compile_(*copy); !object) llvm::consumeError(object.takeError());
    return errors.first;
}

/// What a module before this one has is not made again: all use the same.
llvm::Error CellLinker::add(llvm::Module& module, Speed speed) {
    std::vector<std::string> made;
    const auto failed = [&](llvm::Error error) {
        for (const std::string& symbol : made) inline_.erase(symbol);
        return error;
    };
    for (llvm::GlobalObject& object : module.global_objects()) {
        if (object.isDeclaration() || !(object.hasLinkOnceLinkage() || object.hasWeakLinkage())) continue;
        if (inline_.insert(object.getName().str()).second) {
            made.push_back(object.getName().str());
            continue;
        }
        object.setComdat(nullptr);
        object.setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
    }
    if (speed == Speed::optimized) optimize(module, machine_);
    const KeptErrors errors(module.getContext());
    auto object = compile_(module);
    if (!object) return failed(object.takeError());
    if (errors.first) return failed(llvm::createStringError(errors.first->message));
    return layer_.add(jit_.getMainJITDylib(), std::move(*object));
}

}  // namespace cudash::session
