#include "repl/session/clang/host_engine.h"

#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Sema.h"
#include "llvm/Support/TargetSelect.h"
#include "repl/session/clang/clang_engine.h"
#include "repl/session/clang/compiler_setup.h"
#include "repl/session/clang/failed_cell.h"
#include "repl/session/clang/processor_features.h"
#include "repl/session/clang/thread_locals.h"

namespace cudash::session {
namespace {

/// Looks up what neither cells nor the process define.
class FallbackGenerator : public llvm::orc::DefinitionGenerator {
public:
    explicit FallbackGenerator(std::function<const void*(std::string_view)> resolve) : resolve_(std::move(resolve)) {}
    llvm::Error tryToGenerate(llvm::orc::LookupState&, llvm::orc::LookupKind, llvm::orc::JITDylib& library,
                              llvm::orc::JITDylibLookupFlags, const llvm::orc::SymbolLookupSet& symbols) override {
        llvm::orc::SymbolMap found;
        for (const auto& [name, flags] : symbols)
            if (const void* address = find({(*name).data(), (*name).size()}))
                found[name] = {llvm::orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
        if (found.empty()) return llvm::Error::success();
        return library.define(llvm::orc::absoluteSymbols(std::move(found)));
    }

private:
    const void* find(std::string_view name) const {
        const void* variable = library_thread_local(name);
        return variable ? variable : resolve_(name);
    }

    std::function<const void*(std::string_view)> resolve_;
};

/// Each cell ends with `#pragma cudash_end`.
class EndOfCell : public clang::PragmaHandler {
public:
    EndOfCell(clang::CompilerInstance& compiler, clang::ASTConsumer& consumer, EndOfInput& end)
        : PragmaHandler("cudash_end"), compiler_(compiler), consumer_(consumer), end_(end) {}
    void HandlePragma(clang::Preprocessor&, clang::PragmaIntroducer, clang::Token&) override {
        if (!compiler_.getDiagnostics().hasErrorOccurred()) Instantiations::of_process().end(consumer_);
        end_.text_ends();
    }

private:
    clang::CompilerInstance& compiler_;
    clang::ASTConsumer& consumer_;
    EndOfInput& end_;
};

}  // namespace

ClangEngine::ClangEngine(std::unique_ptr<clang::Interpreter> interpreter, std::unique_ptr<PrecompiledConsumer> consumer,
                         llvm::orc::LLJIT& jit, std::unique_ptr<CellLinker> linker, const Setup& setup)
    : consumer_(std::move(consumer)),
      interpreter_(std::move(interpreter)),
      jit_(jit),
      linker_(std::move(linker)),
      compiler_(*interpreter_->getCompilerInstance()),
      facts_(compiler_, setup.cuda_include),
      visible_(compiler_, names_, [this](clang::SourceLocation at) { return facts_.is_system(at); }),
      lines_(std::make_shared<LineTable>(setup.cuda_include)) {
    LineTable::watch(*linker_, lines_);
    // From now on it keeps the destructors of static objects for run_destructors().
    llvm::consumeError(jit_.initialize(jit_.getMainJITDylib()));
    jit_.getMainJITDylib().addGenerator(
        std::make_unique<FallbackGenerator>([this](std::string_view name) { return resolve(name); }));
    compiler_.getDiagnostics().setClient(&silent_, false);
    // A template of a header that two files include is instantiated for each; code generation keeps the first and
    // would call the second an error.
    compiler_.getDiagnostics().setSeverity(clang::diag::err_duplicate_mangled_name, clang::diag::Severity::Ignored,
                                           clang::SourceLocation());
    // A later cell may define them; a call before that is an error.
    for (const unsigned said : {clang::diag::warn_undefined_inline, clang::diag::warn_undefined_internal})
        compiler_.getDiagnostics().setSeverity(said, clang::diag::Severity::Ignored, clang::SourceLocation());
    // A lambda at the top level of a cell sees every variable; [&] and [=] then capture nothing, nor does [x].
    for (const unsigned said :
         {clang::diag::err_capture_default_non_local, clang::diag::err_capture_non_automatic_variable})
        compiler_.getDiagnostics().setSeverity(said, clang::diag::Severity::Ignored, clang::SourceLocation());
    // A __shared__ cuda::barrier has a constructor, which nvcc leaves out without an error.
    compiler_.getDiagnostics().setSeverity(clang::diag::err_shared_var_init, clang::diag::Severity::Ignored,
                                           clang::SourceLocation());
    // nvcc takes `__shared__ alignas(16) float tile[256];`, where the attribute comes before alignas, and `half
    // tile[256]` there, too: before a type with a name of its own, clang says something else.
    for (const unsigned said : std::initializer_list<unsigned>{clang::diag::err_attributes_not_allowed,
                                                               clang::diag::err_attribute_not_type_attr})
        compiler_.getDiagnostics().setSeverity(said, clang::diag::Severity::Ignored, clang::SourceLocation());
    compiler_.getASTContext().setASTMutationListener(&names_);
    name_the_unnamed_of_failed_cells(compiler_);
    allow_intrinsics(compiler_);
    compiler_.getPreprocessor().AddPragmaHandler(
        new EndOfCell(compiler_, *consumer_, end_of_input_));  // owned by the preprocessor
    define("__emutls_get_address", reinterpret_cast<const void*>(&thread_local_address));
    define("__cxa_thread_atexit", reinterpret_cast<const void*>(&at_thread_exit));
    jit_.getExecutionSession().setErrorReporter([this](llvm::Error failure) { link_errors_.note(std::move(failure)); });
    define("__clang_Interpreter_SetValueNoAlloc", reinterpret_cast<const void*>(&set_value));
    // Declared by clang's run-time prelude with C++ linkage.
    define("_Z37__clang_Interpreter_SetValueWithAllocPvS_S_",
           reinterpret_cast<const void*>(&set_value_with_allocation));
}

std::optional<HostEngine::MainFunction> ClangEngine::main_function() {
    if (!main_) return std::nullopt;
    MainFunction main;
    main.address = address("main");
    main.parameters = main_->getNumParams();
    main.returns_int = !main_->getReturnType()->isVoidType();
    return main.address ? std::optional(main) : std::nullopt;
}

void HostEngine::prepare(const Setup& setup) {
    (void)precompiled_header(setup, false);
}

Result<std::unique_ptr<HostEngine>> HostEngine::create(const Setup& setup) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();  // for asm statements in host code
    for (const bool remake : {false, true}) {
        auto header = precompiled_header(setup, remake);
        if (!header) return header.error();
        auto compiler = make_compiler(setup);
        if (!compiler) return compiler.error();
        auto& preprocessor = (*compiler)->getPreprocessorOpts();
        preprocessor.Includes.clear();
        preprocessor.ImplicitPCHInclude = *header;
        DiagnosticCollector collector;
        (*compiler)->getDiagnostics().setClient(&collector, false);
        (*compiler)->LoadRequestedPlugins();
        auto interpreter = clang::Interpreter::create(std::move(*compiler));
        if (!interpreter || collector.getNumErrors() > 0) {
            // A header or clang changed since the precompiled header was made: make it again, once.
            std::string why = interpreter ? std::string() : llvm::toString(interpreter.takeError());
            if (!remake) continue;
            for (const auto& said : collector.take()) why += (why.empty() ? "" : "; ") + said.message;
            return error("host-compiler", "clang's interpreter did not start: " + why, "run `cudash doctor`");
        }
        auto& instance = *(*interpreter)->getCompilerInstance();
        auto consumer = std::make_unique<PrecompiledConsumer>(instance.getASTConsumer());
        if (auto* external = instance.getASTContext().getExternalSource())
            external->StartTranslationUnit(consumer.get());
        auto jit = (*interpreter)->getExecutionEngine();
        if (!jit) return error("host-compiler", "clang's interpreter has no JIT: " + llvm::toString(jit.takeError()));
        auto linker = CellLinker::create(*jit);
        if (!linker)
            return error("host-compiler",
                         "code for this processor can't be made: " + llvm::toString(linker.takeError()));
        return std::unique_ptr<HostEngine>(
            new ClangEngine(std::move(*interpreter), std::move(consumer), *jit, std::move(*linker), setup));
    }
    return error("host-compiler", "clang's interpreter did not start");
}

}  // namespace cudash::session
