// Links the cells' code into one stretch of memory. Code of one cell reaches that of another by distances of 32 bits,
// so all of it must lie within 2 GiB; what the JIT asks the system for page by page ends far apart once the program has
// large arrays, or a driver has taken the places between.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_set>

#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace cudash::session {

class CellLinker {
public:
    /// Of the code: as clang made it, or as a compiler makes it with -O2.
    enum class Speed { plain, optimized };

    /// Into the JIT's main library. Memory is reserved now, so that limits that are set later do not count it.
    static llvm::Expected<std::unique_ptr<CellLinker>> create(llvm::orc::LLJIT& jit);

    /// What is wrong with inline assembly. `location` is clang's raw source location of the `asm`; 0: unknown.
    struct AssemblyError {
        std::string message;
        unsigned location = 0;
    };
    /// Only code generation reads inline assembly: a copy of the functions that have some is compiled. The module
    /// stays as it is.
    std::optional<AssemblyError> find_assembly_error(const llvm::Module& module);

    /// Compiles a module; it is linked when one of its symbols is looked up.
    llvm::Error add(llvm::Module& module, Speed speed);
    /// The next module that defines `symbol` is to define it again.
    void forget(const std::string& symbol) { inline_.erase(symbol); }
    /// Whether a module has it, and another may.
    bool has(const std::string& symbol) const { return inline_.contains(symbol); }

    /// Of everything that is linked.
    void add_plugin(std::shared_ptr<llvm::orc::ObjectLinkingLayer::Plugin> plugin) {
        layer_.addPlugin(std::move(plugin));
    }

private:
    CellLinker(llvm::orc::LLJIT& jit, std::unique_ptr<llvm::TargetMachine> machine,
               std::unique_ptr<llvm::jitlink::JITLinkMemoryManager> memory);

    llvm::orc::LLJIT& jit_;
    llvm::TargetMachine& machine_;  ///< that compile_ owns
    llvm::orc::TMOwningSimpleCompiler compile_;
    llvm::orc::ObjectLinkingLayer layer_;
    std::unordered_set<std::string> inline_;  ///< symbols that several modules may define, and one has
};

}  // namespace cudash::session
