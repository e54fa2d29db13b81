#include "repl/session/clang/cell_linker.h"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "llvm/ExecutionEngine/JITLink/EHFrameSupport.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/MapperJITLinkMemoryManager.h"
#include "llvm/ExecutionEngine/Orc/MemoryMapper.h"
#include "llvm/Target/TargetMachine.h"
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

/// What a module before this one has is not made again: all use the same.
llvm::Error CellLinker::add(llvm::Module& module, Speed speed) {
    for (llvm::GlobalObject& object : module.global_objects()) {
        if (object.isDeclaration() || !(object.hasLinkOnceLinkage() || object.hasWeakLinkage())) continue;
        if (inline_.insert(object.getName().str()).second) continue;
        object.setComdat(nullptr);
        object.setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
    }
    if (speed == Speed::optimized) optimize(module, machine_);
    auto object = compile_(module);
    if (!object) return object.takeError();
    return layer_.add(jit_.getMainJITDylib(), std::move(*object));
}

}  // namespace cudash::session
