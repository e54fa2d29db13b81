// What cells define and lack: symbols, and stubs of functions that a later cell defines.
#include "repl/session/clang/clang_engine.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>

#include "clang/AST/Attr.h"
#include "llvm/IR/Module.h"
#include "repl/session/clang/module_fixups.h"

namespace cudash::session {

const void* ClangEngine::resolve(std::string_view name) {
    if (resolver_)
        if (const void* address = resolver_(name)) return address;
    return nullptr;
}

void ClangEngine::remove_symbol(const std::string& name) {
    llvm::orc::SymbolNameSet names;
    linker_->forget(name);
    // A cell that has not run yet is linked as a whole, later, and then may not lack a part.
    if (strong_.contains(name) && !address(name)) (void)link_errors_.take();
    names.insert(jit_.mangleAndIntern(name));
    if (auto failure = jit_.getMainJITDylib().remove(names)) llvm::consumeError(std::move(failure));
    strong_.erase(name);
    once_.erase(name);
}

std::vector<std::string> ClangEngine::symbols_of_declaration(const clang::NamedDecl& declaration) {
    if (declaration.isTemplated() || !llvm::isa<clang::FunctionDecl, clang::VarDecl>(declaration)) return {};
    std::vector<std::string> symbols = {facts_.mangled(&declaration)};
    if (declaration.hasAttr<clang::CUDAGlobalAttr>()) symbols.push_back(facts_.mangled(&declaration, true));
    return symbols;
}

void ClangEngine::keep_inline(clang::PartialTranslationUnit& unit) {
    keep_only_inline(*unit.TheModule);
    if (auto failure = link(unit, speed_)) llvm::consumeError(std::move(failure));
}

llvm::Error ClangEngine::link(clang::PartialTranslationUnit& unit, CellLinker::Speed speed) {
    const std::unique_ptr<llvm::Module> module = std::move(unit.TheModule);
    return linker_->add(*module, speed);
}

std::vector<std::string> ClangEngine::missing_symbols(const std::vector<std::string>& undefined) {
    std::vector<std::string> missing;
    for (const std::string& name : undefined) {
        if (provided_.contains(name) || strong_.contains(name) || stubbed_.contains(name)) continue;
        if (linker_->has(name)) continue;
        if (dlsym(RTLD_DEFAULT, name.c_str()) || resolve(name)) continue;
        // The JIT's own: __dso_handle and friends.
        if (name.starts_with("__dso_handle") || name.starts_with("__cxa_atexit") || name.starts_with("atexit"))
            continue;
        missing.push_back(name);
    }
    return missing;
}

Diagnostic ClangEngine::undefined(const std::string& symbol, const std::string& cell) const {
    const std::string readable = llvm::demangle(symbol);
    Diagnostic problem;
    if (facts_.is_device_function(symbol))
        problem = error("device-function-on-host",
                        fmt::format("'{}' is a __device__ function: host code can't call it", readable),
                        "call it from a kernel, or declare it __host__ __device__");
    else
        problem = undefined_function(symbol, readable, has_files_);
    problem.where.file = cell;
    return problem;
}

/// Lets code that calls `symbol` be linked before `symbol` is defined: the call goes through a pointer that the
/// definition sets.
void ClangEngine::add_stub(const std::string& symbol) {
    if (!stubs_) stubs_ = llvm::orc::createLocalIndirectStubsManagerBuilder(jit_.getTargetTriple())();
    const auto flags = llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable;
    const void* trap = undefined_.place_for(symbol);
    if (auto failure = stubs_->createStub(symbol, llvm::orc::ExecutorAddr::fromPtr(trap), flags)) {
        llvm::consumeError(std::move(failure));
        return;
    }
    define(symbol, stubs_->findStub(symbol, false).getAddress().toPtr<const void*>());
    provided_.erase(symbol);
    stubbed_.insert(symbol);
}

void* ClangEngine::earlier_address(std::string_view symbol) const {
    return stubs_ ? stubs_->findStub({symbol.data(), symbol.size()}, false).getAddress().toPtr<void*>() : nullptr;
}

void ClangEngine::forget_what_began() {
    // The C++ ABI: the first byte of a guard says that the variable is there, the next that its initializer runs.
    for (const auto& [symbol, mark] : once_) {
        auto* const bytes = static_cast<unsigned char*>(address(symbol));
        if (bytes && !(mark.is_guard && bytes[0] != 0)) std::fill_n(bytes, mark.size, 0);
    }
}

void* ClangEngine::address(std::string_view symbol) {
    auto found = jit_.lookup({symbol.data(), symbol.size()});
    if (!found) {
        link_errors_.note(found.takeError());
        return nullptr;
    }
    return found->toPtr<void*>();
}

}  // namespace cudash::session
