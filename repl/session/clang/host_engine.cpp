#include "repl/session/clang/host_engine.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/ExternalASTSource.h"
#include "clang/AST/QualTypeNames.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Interpreter/Interpreter.h"
#include "clang/Interpreter/PartialTranslationUnit.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Lex/PreprocessorOptions.h"
#include "clang/Sema/Sema.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/ExecutionEngine/Orc/IndirectionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "repl/session/clang/call_sites.h"
#include "repl/session/clang/captured_value.h"
#include "repl/session/clang/cell_linker.h"
#include "repl/session/clang/compiler_setup.h"
#include "repl/session/clang/completion.h"
#include "repl/session/clang/device_lambdas.h"
#include "repl/session/clang/diagnostic_collector.h"
#include "repl/session/clang/end_errors.h"
#include "repl/session/clang/end_of_input.h"
#include "repl/session/clang/fact_reader.h"
#include "repl/session/clang/failed_cell.h"
#include "repl/session/clang/foreign_kernels.h"
#include "repl/session/clang/header_macros.h"
#include "repl/session/clang/instantiations.h"
#include "repl/session/clang/library_thread_locals.h"
#include "repl/session/clang/line_table.h"
#include "repl/session/clang/link_errors.h"
#include "repl/session/clang/local_variables.h"
#include "repl/session/clang/long_loop.h"
#include "repl/session/clang/macro_changes.h"
#include "repl/session/clang/mangled_names.h"
#include "repl/session/clang/module_fixups.h"
#include "repl/session/clang/nvcc_spelling.h"
#include "repl/session/clang/object_reader.h"
#include "repl/session/clang/source_text.h"
#include "repl/session/clang/spelling.h"
#include "repl/session/clang/trial.h"
#include "repl/session/clang/undefined_functions.h"
#include "repl/session/clang/value_reader.h"
#include "repl/session/clang/visibility.h"
#include "repl/session/device/text_scan.h"
#include "repl/session/libraries.h"

namespace cudash::session {
namespace {

/// Declarations that are read from the precompiled header go to code generation as ordinary ones. (The interpreter's
/// own consumer drops those that it gets as "interesting", so inline functions of the header would never be emitted.)
class PrecompiledConsumer : public clang::ASTConsumer {
public:
    explicit PrecompiledConsumer(clang::ASTConsumer& target) : target_(target) {}
    bool HandleTopLevelDecl(clang::DeclGroupRef group) override { return target_.HandleTopLevelDecl(group); }
    void HandleInterestingDecl(clang::DeclGroupRef group) override {
        Instantiations::of_process().add(group);
        target_.HandleTopLevelDecl(group);
    }
    void HandleVTable(clang::CXXRecordDecl* record) override { target_.HandleVTable(record); }

private:
    clang::ASTConsumer& target_;
};

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

/// The error of an initializer of a __shared__ variable is ignored, but clang also marks the variable as one that no
/// code can be made for.
void keep_shared_variables(const clang::TranslationUnitDecl& cell) {
    for (auto* declaration : cell.noload_decls())
        if (auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
            variable && variable->isInvalidDecl() && variable->hasAttr<clang::CUDASharedAttr>())
            variable->setInvalidDecl(false);
}

constexpr std::string_view undeclared_last_value = "use of undeclared identifier '_'";

class ClangEngine : public HostEngine {
public:
    ClangEngine(std::unique_ptr<clang::Interpreter> interpreter, std::unique_ptr<PrecompiledConsumer> consumer,
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
        // A lambda at the top level of a cell sees every variable; [&] and [=] then capture nothing, nor does [x].
        for (const unsigned said :
             {clang::diag::err_capture_default_non_local, clang::diag::err_capture_non_automatic_variable})
            compiler_.getDiagnostics().setSeverity(said, clang::diag::Severity::Ignored, clang::SourceLocation());
        // A __shared__ cuda::barrier has a constructor, which nvcc leaves out without an error.
        compiler_.getDiagnostics().setSeverity(clang::diag::err_shared_var_init, clang::diag::Severity::Ignored,
                                               clang::SourceLocation());
        // nvcc takes `__shared__ alignas(16) float tile[256];`, where the attribute comes before alignas.
        compiler_.getDiagnostics().setSeverity(clang::diag::err_attributes_not_allowed, clang::diag::Severity::Ignored,
                                               clang::SourceLocation());
        compiler_.getASTContext().setASTMutationListener(&names_);
        name_the_unnamed_of_failed_cells(compiler_);
        compiler_.getPreprocessor().AddPragmaHandler(
            new EndOfCell(compiler_, *consumer_, end_of_input_));  // owned by the preprocessor
        define("__emutls_get_address", reinterpret_cast<const void*>(&thread_local_address));
        jit_.getExecutionSession().setErrorReporter(
            [this](llvm::Error failure) { link_errors_.note(std::move(failure)); });
        define("__clang_Interpreter_SetValueNoAlloc", reinterpret_cast<const void*>(&set_value));
        // Declared by clang's run-time prelude with C++ linkage.
        define("_Z37__clang_Interpreter_SetValueWithAllocPvS_S_",
               reinterpret_cast<const void*>(&set_value_with_allocation));
    }

    /// Static objects end with the session.
    ~ClangEngine() override { ClangEngine::run_destructors(); }

    void define(std::string_view name, const void* address) override {
        llvm::orc::SymbolMap symbols;
        symbols[jit_.mangleAndIntern({name.data(), name.size()})] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                                                     llvm::JITSymbolFlags::Exported};
        if (auto failure = jit_.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))))
            llvm::consumeError(std::move(failure));
        provided_.emplace(name);
    }

    void define_default(std::string_view name, const void* address) override {
        define(name, address);
        defaults_.emplace(name);
    }

    void set_resolver(std::function<const void*(std::string_view)> resolver) override {
        resolver_ = std::move(resolver);
    }
    void set_peek(std::function<bool(std::uint64_t, void*, std::size_t)> peek) override { peek_ = std::move(peek); }
    void set_describe(std::function<std::string(std::uint64_t)> describe) override { describe_ = std::move(describe); }
    void set_device_check(std::function<std::optional<Diagnostic>(const CellFacts&)> check) override {
        device_check_ = std::move(check);
    }

    Compiled compile(const std::string& name, const std::string& text) override;
    Compiled compile_file(const std::string& name, const std::string& path) override;
    std::optional<Value> take_value(bool as_last) override;
    std::vector<Variable> variables(const std::function<std::uint64_t(void*)>& locate) override;
    std::optional<Value> device_variable(std::string_view name,
                                         const std::function<std::uint64_t(void*)>& locate) override;
    std::optional<HostObject> object(std::string_view name, std::string_view element) override;
    std::vector<Source> sources_of(std::string_view name) override;
    void complete_debug_info(debug::DebugInfo& info) override {
        LocalVariables variables(
            compiler_.getASTContext(), [this](const clang::NamedDecl* each) { return facts_.device_name(each); }, info);
        // The newest definition of a function is what device code has.
        for (auto part = parts_.rbegin(); part != parts_.rend(); ++part) variables.add(**part);
    }
    Completions complete(const std::string& text) override { return session::complete(*interpreter_, text); }
    void* address(std::string_view symbol) override;
    std::optional<CodePlace> place_of(std::uint64_t address) const override { return lines_->find(address); }
    api::CallText call_text(const CodePlace& place) const override {
        const api::CallText* text = sites_.find(place);
        return text ? *text : api::CallText{};
    }
    std::optional<Diagnostic> take_undefined() override {
        const std::string symbol = UndefinedFunctions::take_called();
        return symbol.empty() ? std::nullopt : std::optional(undefined_function(symbol, llvm::demangle(symbol)));
    }
    std::vector<std::string> undefined_functions() const override {
        std::vector<std::string> symbols(stubbed_.begin(), stubbed_.end());
        std::ranges::sort(symbols);
        return symbols;
    }
    std::optional<MainFunction> main_function() override;
    void run_destructors() override {
        llvm::consumeError(jit_.deinitialize(jit_.getMainJITDylib()));
        for (const std::string& finalizer : std::exchange(finalizers_, {}))
            if (void* function = address(finalizer)) reinterpret_cast<void (*)()>(function)();
    }

private:
    using Hidden = Visibility::Hidden;

    Compiled carefully(const std::string& name, bool risky, const std::function<Compiled()>& compile);
    Compiled compile_text(const std::string& name, const std::string& text);
    Compiled compile_file_text(const std::string& name, const std::string& path);
    bool compile_part(const std::string& name, const std::string& text, Compiled& compiled);
    llvm::Expected<clang::PartialTranslationUnit&> parse_text(const std::string& text);
    clang::PartialTranslationUnit* parse(const std::string& text, DiagnosticCollector& collector);
    std::string with_named_value(const clang::TranslationUnitDecl& part, const std::string& source);
    static bool drops_void_call(const clang::TranslationUnitDecl& part);
    std::vector<std::string> symbols_of_declaration(const clang::NamedDecl& declaration);
    void discard_code();
    void parse_quietly(const std::string& directives);
    std::string last_value_macro() const;
    void forget_last_value(const std::vector<Hidden>& hidden);
    void take_back(clang::PartialTranslationUnit& unit, const std::vector<Hidden>& hidden);
    void keep_inline(clang::PartialTranslationUnit& unit);
    llvm::Error link(clang::PartialTranslationUnit& unit, CellLinker::Speed speed);
    void list_variables(const clang::DeclContext& context, const std::function<std::uint64_t(void*)>& locate,
                        std::vector<Variable>& list);
    bool read_memory(std::uint64_t address, void* buffer, std::size_t bytes) const;
    ValueReader value_reader(ReadMemory read);
    Diagnostic undefined(const std::string& symbol, const std::string& cell) const;
    void add_stub(const std::string& symbol);
    std::vector<std::string> missing_symbols(const std::vector<std::string>& undefined);
    const void* resolve(std::string_view name);
    void remove_symbol(const std::string& name);

    LinkErrors link_errors_;  // before the interpreter, which reports to it until its end
    clang::IgnoringDiagConsumer silent_;
    std::unique_ptr<PrecompiledConsumer> consumer_;
    std::unique_ptr<clang::Interpreter> interpreter_;
    llvm::orc::LLJIT& jit_;
    std::unique_ptr<CellLinker> linker_;
    std::vector<std::string> finalizers_;  ///< __attribute__((destructor)), newest first
    clang::CompilerInstance& compiler_;
    EndOfInput end_of_input_{compiler_};
    MacroChanges macros_{compiler_};
    Spelling spelling_{compiler_};
    FactReader facts_;
    DeviceLambdas lambdas_{compiler_, facts_};
    std::function<const void*(std::string_view)> resolver_;
    std::function<bool(std::uint64_t, void*, std::size_t)> peek_;
    std::function<std::string(std::uint64_t)> describe_;
    std::function<std::optional<Diagnostic>(const CellFacts&)> device_check_;
    std::unordered_set<std::string> provided_;  ///< defined by the session
    std::unordered_set<std::string> defaults_;  ///< of those, what cells may define instead
    std::unordered_set<std::string> strong_;    ///< defined by cells
    MangledNames names_;
    Visibility visible_;
    std::shared_ptr<LineTable> lines_;
    CallSites sites_;
    unsigned cells_ = 0;
    CellLinker::Speed speed_ = CellLinker::Speed::plain;  ///< of what is compiled
    bool spell_ = true;                                   ///< clang may look for similar names
    bool rejected_ = false;                               ///< a cell
    const TrialReport* trial_ = nullptr;                  ///< of a copy that compiles on trial
    std::unordered_set<std::string> stubbed_;             ///< called by cells, defined by none yet
    std::unique_ptr<llvm::orc::IndirectStubsManager> stubs_;
    UndefinedFunctions undefined_;
    std::set<std::string> managed_;
    std::set<std::string> known_stubs_;                     ///< launch stubs whose kernels the session knows
    std::vector<const clang::TranslationUnitDecl*> parts_;  ///< compiled and in sight
    const clang::FunctionDecl* main_ = nullptr;
    CapturedValue& captured_ = CapturedValue::of_process();
    CapturedValue last_;  ///< what `_` is
};

const void* ClangEngine::resolve(std::string_view name) {
    if (resolver_)
        if (const void* address = resolver_(name)) return address;
    return nullptr;
}

void ClangEngine::remove_symbol(const std::string& name) {
    llvm::orc::SymbolNameSet names;
    linker_->forget(name);
    names.insert(jit_.mangleAndIntern(name));
    if (auto failure = jit_.getMainJITDylib().remove(names)) llvm::consumeError(std::move(failure));
    strong_.erase(name);
}

llvm::Expected<clang::PartialTranslationUnit&> ClangEngine::parse_text(const std::string& text) {
    end_of_input_.begin();
    spelling_.begin(spell_);
    // clang 19 leaves the last text's scope first. A name of the precompiled header that it reads meanwhile would be
    // added to the list that it goes through.
    compiler_.getSema().TUScope = nullptr;
    auto unit = interpreter_->Parse(text + std::string(end_of_cell));
    end_of_input_.end();
    return unit;
}

clang::PartialTranslationUnit* ClangEngine::parse(const std::string& text, DiagnosticCollector& collector) {
    auto& diagnostics = compiler_.getDiagnostics();
    diagnostics.Reset(true);
    diagnostics.setClient(&collector, false);
    facts_.discard_pending();
    Instantiations::of_process().begin();
    visible_.begin_cell();
    macros_.begin();
    // A warning about a name in a statement asks where the statement is, which does not exist yet: clang 19 crashes
    // there unless it has another place to look.
    compiler_.getSema().OriginalLexicalContext = compiler_.getASTContext().getTranslationUnitDecl();
    // clang 19 adds the delete-expressions of the precompiled headers to this list at the end of each cell, and looks
    // at all of them again: what a cell costs would grow with the number of cells before it.
    compiler_.getSema().DeleteExprs.clear();
    auto unit = parse_text(text);
    keep_shared_variables(*compiler_.getASTContext().getTranslationUnitDecl());
    if (!unit) {
        Instantiations::of_process().fail();
        // clang forgets the global names of the precompiled header that a failed cell was the first to use. They are
        // found there again, unless a search for similar names has read all of them and so ended the asking.
        compiler_.getASTContext().getTranslationUnitDecl()->getPrimaryContext()->setHasExternalVisibleStorage();
        llvm::consumeError(unit.takeError());
        return nullptr;
    }
    return &*unit;
}

std::vector<std::string> ClangEngine::symbols_of_declaration(const clang::NamedDecl& declaration) {
    if (declaration.isTemplated() || !llvm::isa<clang::FunctionDecl, clang::VarDecl>(declaration)) return {};
    std::vector<std::string> symbols = {facts_.mangled(&declaration)};
    if (declaration.hasAttr<clang::CUDAGlobalAttr>()) symbols.push_back(facts_.mangled(&declaration, true));
    return symbols;
}

/// For directives that stand in no cell. An error about what an earlier text left over is nobody's, and would leave the
/// interpreter without a module.
void ClangEngine::parse_quietly(const std::string& directives) {
    auto& diagnostics = compiler_.getDiagnostics();
    diagnostics.Reset(true);
    diagnostics.setSuppressAllDiagnostics(true);
    auto unit = parse_text(directives);
    diagnostics.setSuppressAllDiagnostics(false);
    if (unit)
        keep_inline(*unit);
    else
        llvm::consumeError(unit.takeError());
}

/// What makes `_` the last value: the object itself where it has a place of its own, else the copy that was shown. ""
/// if there is none, or its type has no name.
std::string ClangEngine::last_value_macro() const {
    if (!last_.type) return {};
    const auto type = clang::QualType::getFromOpaquePtr(last_.type).getNonReferenceType();
    clang::PrintingPolicy policy(compiler_.getLangOpts());
    policy.SuppressUnwrittenScope = true;
    const std::string name = clang::TypeName::getFullyQualifiedName(type, compiler_.getASTContext(), policy);
    if (name.find("(lambda") != std::string::npos || name.find("(unnamed") != std::string::npos ||
        name.find("(anonymous") != std::string::npos)
        return {};
    const std::uint64_t place = last_.address ? last_.address : reinterpret_cast<std::uint64_t>(last_.bytes.data());
    // Arrays and pointers to functions have no `*` behind their names.
    const bool is_plain = name.find_first_of("([") == std::string::npos;
    return fmt::format("#define _ (*reinterpret_cast<{}*>({:#x}ull))",
                       is_plain ? name : fmt::format("__typeof__({})", name), place);
}

/// Its type means another one now, or its variable is gone.
void ClangEngine::forget_last_value(const std::vector<Hidden>& hidden) {
    for (const Hidden& each : hidden)
        if (llvm::isa<clang::TypeDecl, clang::TemplateDecl>(each.declaration) ||
            (last_.address != 0 && llvm::isa<clang::VarDecl>(each.declaration)))
            last_ = {};
}

/// A cell that fails leaves the code of what stood before the error to the next cell, and its macros. One that takes
/// its macros back gets both.
void ClangEngine::discard_code() {
    facts_.forget_headers();
    Instantiations::of_process().begin();
    parse_quietly(macros_.undo());
}

/// Of a cell that compiled and can't be accepted nothing stays, and what it would have redefined is found again.
void ClangEngine::take_back(clang::PartialTranslationUnit& unit, const std::vector<Hidden>& hidden) {
    keep_inline(unit);
    visible_.hide_all(*unit.TUPart);
    visible_.restore(hidden);
    discard_code();
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
        problem = undefined_function(symbol, readable);
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

bool ClangEngine::compile_part(const std::string& name, const std::string& text, Compiled& compiled) {
    const auto earlier = compiled.diagnostics;
    std::string source = text, named_value;
    bool has_last_value = false;              ///< `_` stands for it
    std::optional<std::string> with_lambdas;  ///< the source before they became objects
    bool is_ended = false;                    ///< a semicolon was put after the last expression
    std::vector<Hidden> hidden;
    std::unordered_set<std::string> replaced;  ///< symbols of what is hidden
    clang::PartialTranslationUnit* unit = nullptr;
    names_.begin(fmt::format("{}{}", redefinition_tag, ++cells_));
    for (int attempt = 0;; ++attempt) {
        if (trial_) trial_->again();
        bool has_header_hint = false;
        DiagnosticCollector collector([&](const clang::Diagnostic& error, cudash::Diagnostic& said) {
            if (said.hint.empty() && !has_header_hint)
                said.hint = header_macro_hint(error, compiler_.getPreprocessor());
            has_header_hint |= !said.hint.empty();
            if (trial_) trial_->said(said);
            end_of_input_.error_reported(error);
        });
        unit = parse(source, collector);
        if (unit && !is_ended && drops_void_call(*unit->TUPart)) {
            is_ended = true;
            keep_inline(*unit);
            visible_.hide_all(*unit->TUPart);
            visible_.show_earlier(*unit->TUPart, hidden);
            source += "\n;";  // on a line of its own: the last one may end in a comment
            continue;
        }
        if (auto objects = unit && !with_lambdas ? lambdas_.as_objects(*unit->TUPart, source) : std::nullopt) {
            keep_inline(*unit);
            visible_.hide_all(*unit->TUPart);
            visible_.show_earlier(*unit->TUPart, hidden);
            discard_code();
            with_lambdas = std::exchange(source, std::move(*objects));
            continue;
        }
        const bool lacks_last_value = !unit && !has_last_value && collector.says(undeclared_last_value);
        bool again = !unit && attempt < 32 && visible_.hide_previous(collector, hidden);
        if (!unit) {
            const auto& failed = *compiler_.getASTContext().getTranslationUnitDecl();
            visible_.hide_all(failed);
            visible_.show_earlier(failed, hidden);
            discard_code();
        }
        // A name of the session's own comes first; so does what the cell itself declares.
        if (const std::string macro = lacks_last_value ? last_value_macro() : std::string(); !macro.empty()) {
            has_last_value = again = true;
            parse_quietly(macro);
        }
        if (!unit && !again && with_lambdas && source != *with_lambdas) {
            source = *with_lambdas;
            again = true;
        }
        if (!again) {
            auto said = collector.take();
            place_at_end(said, name, source);
            compiled.diagnostics.insert(compiled.diagnostics.end(), said.begin(), said.end());
            compiler_.getDiagnostics().setClient(&silent_, false);
            break;
        }
        compiler_.getDiagnostics().setClient(&silent_, false);
    }
    names_.end();
    if (has_last_value) parse_quietly("#undef _");
    compiled.uses_last_value |= has_last_value;
    if (!unit) {
        visible_.restore(hidden);
        return false;
    }

    visible_.restore_unreplaced(hidden);
    for (const Hidden& each : hidden)
        for (const std::string& symbol : symbols_of_declaration(*each.declaration)) replaced.insert(symbol);

    llvm::Module& module = *unit->TheModule;
    promote_internal_symbols(module, [&](std::string_view symbol) {
        return strong_.contains(std::string(symbol)) && !replaced.contains(std::string(symbol));
    });
    auto initializers = extract_initializers(module);
    const auto finalizers = extract_finalizers(module);
    if (const auto wrong = linker_->find_assembly_error(module)) {
        compiled.diagnostics.push_back(assembly_error(*wrong, compiler_.getSourceManager()));
        take_back(*unit, hidden);
        return false;
    }

    ModuleSymbols symbols = symbols_of(module);
    auto missing = missing_symbols(symbols.undefined);
    for (const std::string& symbol : symbols.undefined)
        if (stubbed_.contains(symbol)) missing.push_back(symbol);
    if (!missing.empty()) {
        // What this cell runs must be there; what its functions call may be defined in a later cell.
        const auto at_once = needed_at_once(module, initializers);
        bool refused = false;
        for (const std::string& symbol : missing)
            if (at_once.contains(symbol) || symbols.undefined_variables.contains(symbol)) {
                compiled.diagnostics.push_back(undefined(symbol, name));
                refused = true;
            }
        if (refused && named_value.empty()) {
            // clang 19 does not emit the destructors of temporaries in an expression whose value it reports.
            named_value = with_named_value(*unit->TUPart, source);
            if (!named_value.empty()) {
                keep_inline(*unit);
                visible_.hide_all(*unit->TUPart);
                visible_.restore(hidden);
                compiled.diagnostics = earlier;
                return compile_part(name, named_value, compiled);
            }
        }
        if (refused) {
            take_back(*unit, hidden);
            return false;
        }
        for (const std::string& symbol : missing)
            if (!stubbed_.contains(symbol)) add_stub(symbol);
    }
    CellFacts facts = compiled.facts;
    for (const Hidden& each : hidden) facts.superseded.push_back(facts_.id_of(each.declaration));
    const std::size_t earlier_sources = facts.sources.size();
    facts_.read(*unit->TUPart, name, facts);
    std::set<std::string> stubs = known_stubs_;
    add_foreign_kernels(module, stubs, facts);
    facts.lambda_numbers.merge(names_.take_lambdas());
    // Not on trial: it is NVRTC that is asked.
    if (auto refused = device_check_ && !trial_ ? device_check_(facts) : std::nullopt) {
        compiled.diagnostics.push_back(std::move(*refused));
        facts_.take_back();
        // Their numbers are given.
        for (std::size_t i = earlier_sources; i < facts.sources.size(); ++i)
            compiled.facts.sources.push_back({facts.sources[i].name, {}, {}, true, 0, {}});
        take_back(*unit, hidden);
        return false;
    }
    sites_.read(*unit->TUPart, [this](clang::SourceLocation at) { return facts_.is_system(at); });
    for (const VariableFact& variable : facts.variables)
        if (variable.kind == VariableFact::Kind::managed) managed_.insert(variable.shadow_symbol);
    for (const std::string& variable : managed_) redirect_managed(module, variable);
    symbols = symbols_of(module);
    for (const std::string& symbol : replaced) remove_symbol(symbol);
    for (const std::string& symbol : symbols.strong)
        if (strong_.contains(symbol) || stubbed_.contains(symbol) || defaults_.erase(symbol) > 0) remove_symbol(symbol);
    for (const std::string& symbol : symbols.weak)
        if (stubbed_.contains(symbol)) remove_symbol(symbol);

    const auto speed = has_long_loop(*unit->TUPart) ? CellLinker::Speed::optimized : speed_;
    if (auto failure = link(*unit, speed)) {
        link_errors_.note(std::move(failure));
        compiled.diagnostics.push_back(link_errors_.take());
        visible_.hide_all(*unit->TUPart);
        visible_.restore(hidden);
        return false;
    }
    strong_.insert(symbols.strong.begin(), symbols.strong.end());
    finalizers_.insert(finalizers_.begin(), finalizers.begin(), finalizers.end());
    compiled.facts = std::move(facts);
    known_stubs_ = std::move(stubs);
    forget_last_value(hidden);
    for (const auto* names : {&symbols.strong, &symbols.weak})
        for (const std::string& symbol : *names)
            if (stubbed_.erase(symbol) > 0)
                if (void* function = address(symbol))
                    llvm::consumeError(stubs_->updatePointer(symbol, llvm::orc::ExecutorAddr::fromPtr(function)));
    parts_.push_back(unit->TUPart);
    for (const auto* declaration : unit->TUPart->decls())
        if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
            function && function->isMain() && function->doesThisDeclarationHaveABody())
            main_ = function;
    for (const std::string& initializer : initializers) {
        void* function = address(initializer);
        if (!function) {
            compiled.diagnostics.push_back(link_errors_.take());
            visible_.hide_all(*unit->TUPart);
            return false;
        }
        compiled.initializers.push_back(reinterpret_cast<void (*)()>(function));
    }
    return true;
}

/// clang 19's value printing loses a final expression of type void: what it leaves is a report of no value at all.
bool ClangEngine::drops_void_call(const clang::TranslationUnitDecl& part) {
    const clang::TopLevelStmtDecl* last = nullptr;
    for (const auto* declaration : part.decls())
        if (const auto* statement = llvm::dyn_cast<clang::TopLevelStmtDecl>(declaration)) last = statement;
    if (!last || !last->isSemiMissing()) return false;
    const auto* report = llvm::dyn_cast<clang::CallExpr>(last->getStmt()->IgnoreContainers());
    if (!report || report->getNumArgs() != 3) return false;
    const auto* literal = llvm::dyn_cast<clang::IntegerLiteral>(report->getArg(2)->IgnoreCasts());
    if (!literal || !report->getDirectCallee() ||
        report->getDirectCallee()->getName() != "__clang_Interpreter_SetValueNoAlloc")
        return false;
    return clang::QualType::getFromOpaquePtr(reinterpret_cast<void*>(literal->getValue().getZExtValue()))->isVoidType();
}

/// `source` with its final expression made a variable of its own, whose value is asked for; "" if it has none.
std::string ClangEngine::with_named_value(const clang::TranslationUnitDecl& part, const std::string& source) {
    const clang::TopLevelStmtDecl* last = nullptr;
    for (const auto* declaration : part.decls())
        if (const auto* statement = llvm::dyn_cast<clang::TopLevelStmtDecl>(declaration)) last = statement;
    if (!last || !last->isSemiMissing()) return {};
    const std::size_t begin = facts_.first_offset(*last);
    if (begin >= source.size() || source.find("__cudash_value", begin) == begin) return {};
    const std::string variable = fmt::format("__cudash_value{}", cells_);
    return fmt::format("{}auto&& {} = {}\n; {}", source.substr(0, begin), variable, source.substr(begin), variable);
}

/// clang takes a cell that begins with a sign for a declaration: an expression gets parentheses.
static std::string parenthesised_sign(const std::string& text) {
    for (const TextRun& run : scan_text(text)) {
        if (run.kind != TextRun::Kind::code) continue;
        const std::size_t first = text.find_first_not_of(" \t\r\n", run.begin);
        if (first == std::string::npos || first >= run.end) continue;
        const bool sign = (text[first] == '-' || text[first] == '+') && text[first + 1] != text[first];
        if (!sign || text.find(';') != std::string::npos) return text;
        return text.substr(0, first) + "(" + text.substr(first) + ")";
    }
    return text;
}

/// What may be more than clang's stack can bear: `kernel<<<1, n::warps>>>()` in a template, misspelt, and an expression
/// of thousands of operators.
static bool is_risky(std::string_view text) {
    constexpr std::size_t long_text = 16384;
    const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
    return text.size() > long_text || (has("<<<") && (has("template") || has("auto")));
}

HostEngine::Compiled ClangEngine::compile(const std::string& name, const std::string& text) {
    return carefully(name, is_risky(text), [&] { return compile_text(name, text); });
}

/// What is risky, and all that follows a cell that was rejected, in a copy first.
HostEngine::Compiled ClangEngine::carefully(const std::string& name, bool risky,
                                            const std::function<Compiled()>& compile) {
    if (risky || rejected_) {
        const auto in_trial = [&](const TrialReport& report) {
            trial_ = &report;
            (void)compile();
        };
        auto fall = fall_in_copy(in_trial, name);
        if (fall) {
            // Most of what it can't bear comes of similar names.
            spell_ = false;
            fall = fall_in_copy(in_trial, name);
        }
        if (fall) {
            spell_ = true;
            Compiled nothing;
            nothing.diagnostics = std::move(*fall);
            return nothing;
        }
    }
    Compiled compiled = compile();
    spell_ = true;
    rejected_ |= !compiled.ok;
    return compiled;
}

HostEngine::Compiled ClangEngine::compile_text(const std::string& name, const std::string& as_typed) {
    const std::string text = as_clang_spells(as_typed).value_or(as_typed);
    Compiled compiled;
    captured_ = {};
    captured_.context = &compiler_.getASTContext();
    // Headers are read on their own first: if the rest of the cell does not compile, they stay read.
    const std::size_t head = leading_directives(text);
    const std::string label = fmt::format("\"{}\"", name);
    std::string rest = parenthesised_sign(text);
    unsigned line = 1;
    if (head > 0 && text.substr(0, head).find("include") != std::string::npos) {
        compiled.ok = compile_part(name, fmt::format("#line 1 {}\n{}", label, text.substr(0, head)), compiled);
        if (!compiled.ok) return compiled;
        line += static_cast<unsigned>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(head), '\n'));
        rest = text.substr(head);
        if (rest.find_first_not_of(" \t\r\n") == std::string::npos) return compiled;
    }
    compiled.ok = compile_part(name, fmt::format("#line {} {}\n{}", line, label, rest), compiled);
    return compiled;
}

void* ClangEngine::address(std::string_view symbol) {
    auto found = jit_.lookup({symbol.data(), symbol.size()});
    if (!found) {
        link_errors_.note(found.takeError());
        return nullptr;
    }
    return found->toPtr<void*>();
}

std::optional<HostEngine::MainFunction> ClangEngine::main_function() {
    if (!main_) return std::nullopt;
    MainFunction main;
    main.address = address("main");
    main.parameters = main_->getNumParams();
    main.returns_int = !main_->getReturnType()->isVoidType();
    return main.address ? std::optional(main) : std::nullopt;
}

HostEngine::Compiled ClangEngine::compile_file(const std::string& name, const std::string& path) {
    return carefully(name, false, [&] { return compile_file_text(name, path); });
}

HostEngine::Compiled ClangEngine::compile_file_text(const std::string& name, const std::string& path) {
    // Names of earlier files go out of sight; what they defined stays linked.
    for (const auto* part : parts_) {
        names_.keep_apart(*part);
        visible_.hide_all(*part);
    }
    parts_.clear();
    const std::string undefine = facts_.forget_files();
    Compiled compiled;
    if (!undefine.empty()) {
        DiagnosticCollector ignored(
            [this](const clang::Diagnostic& error, cudash::Diagnostic&) { end_of_input_.error_reported(error); });
        parse(undefine, ignored);
        compiler_.getDiagnostics().setClient(&silent_, false);
    }
    captured_ = {};
    captured_.context = &compiler_.getASTContext();
    speed_ = CellLinker::Speed::optimized;
    compiled.ok = compile_part(name, fmt::format("#line 1 \"{}\"\n#include \"{}\"\n", name, path), compiled);
    speed_ = CellLinker::Speed::plain;
    return compiled;
}

bool ClangEngine::read_memory(std::uint64_t address, void* buffer, std::size_t bytes) const {
    const iovec local{buffer, bytes}, remote{reinterpret_cast<void*>(address), bytes};
    if (process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes)) return true;
    return peek_ && peek_(address, buffer, bytes);
}

ValueReader ClangEngine::value_reader(ReadMemory read) {
    return ValueReader(compiler_.getASTContext(), std::move(read),
                       [this](std::uint64_t address) { return describe_ ? describe_(address) : std::string(); });
}

std::vector<HostEngine::Variable> ClangEngine::variables(const std::function<std::uint64_t(void*)>& locate) {
    std::vector<Variable> list;
    for (const auto* part : parts_) list_variables(*part, locate, list);
    return list;
}

void ClangEngine::list_variables(const clang::DeclContext& context, const std::function<std::uint64_t(void*)>& locate,
                                 std::vector<Variable>& list) {
    auto reader = value_reader(
        [this](std::uint64_t address, void* buffer, std::size_t bytes) { return read_memory(address, buffer, bytes); });
    for (const auto* declaration : context.noload_decls()) {
        if (const auto* inner = llvm::dyn_cast<clang::DeclContext>(declaration);
            inner && (inner->isNamespace() || llvm::isa<clang::LinkageSpecDecl>(declaration)))
            list_variables(*inner, locate, list);
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
        if (!variable || !variable->getIdentifier() || variable->isTemplated() || variable->isInvalidDecl() ||
            variable->getName().starts_with("__") || facts_.is_system(variable->getLocation()))
            continue;
        const auto found = variable->getDeclContext()->getRedeclContext()->lookup(variable->getDeclName());
        if (std::find(found.begin(), found.end(), variable) == found.end()) continue;  // redefined since

        Variable row;
        row.name = variable->getQualifiedNameAsString();
        row.value.type = reader.type_name(variable->getType());
        const auto place = compiler_.getSourceManager().getPresumedLoc(variable->getLocation());
        if (place.isValid()) row.where = std::string(place.getFilename()) + " line " + std::to_string(place.getLine());
        auto at = reinterpret_cast<std::uint64_t>(address(facts_.mangled(variable)));
        const bool on_device = variable->hasAttr<clang::CUDADeviceAttr>() ||
                               variable->hasAttr<clang::CUDAConstantAttr>() ||
                               variable->hasAttr<clang::HIPManagedAttr>();
        if (at && on_device) at = locate(reinterpret_cast<void*>(at));
        if (at && variable->getType()->isReferenceType() && !read_memory(at, &at, sizeof at)) at = 0;
        if (at) {
            row.value.text = reader.text(variable->getType(), at);
        } else if (const clang::Expr* value = variable->getInit(); value && !value->isValueDependent()) {
            if (const clang::APValue* constant = variable->evaluateValue())
                row.value.text = constant->getAsString(compiler_.getASTContext(), variable->getType());
        }
        list.push_back(std::move(row));
    }
}

std::optional<Value> ClangEngine::device_variable(std::string_view name,
                                                  const std::function<std::uint64_t(void*)>& locate) {
    const clang::VarDecl* variable = nullptr;
    for (const clang::NamedDecl* found : find_declarations(compiler_, name))
        if (const auto* as_variable = llvm::dyn_cast<clang::VarDecl>(found)) variable = as_variable;
    if (!variable || variable->getType()->isReferenceType() || managed_.contains(facts_.mangled(variable)))
        return std::nullopt;
    const bool constant = variable->hasAttr<clang::CUDAConstantAttr>();
    if (!constant && !variable->hasAttr<clang::CUDADeviceAttr>()) return std::nullopt;
    void* shadow = address(facts_.mangled(variable));
    const std::uint64_t at = shadow ? locate(shadow) : 0;
    if (!at) return std::nullopt;
    auto reader = value_reader(
        [this](std::uint64_t place, void* buffer, std::size_t bytes) { return read_memory(place, buffer, bytes); });
    return Value{fmt::format("{} {}", constant ? "__constant__" : "__device__", reader.type_name(variable->getType())),
                 reader.text(variable->getType(), at)};
}

std::optional<HostObject> ClangEngine::object(std::string_view name, std::string_view element) {
    const clang::VarDecl* variable = nullptr;
    const clang::TypedefNameDecl* alias = nullptr;
    for (const clang::NamedDecl* found : find_declarations(compiler_, name))
        if (const auto* as_variable = llvm::dyn_cast<clang::VarDecl>(found)) variable = as_variable;
    if (!element.empty())
        for (const clang::NamedDecl* found : find_declarations(compiler_, element))
            if (const auto* as_alias = llvm::dyn_cast<clang::TypedefNameDecl>(found)) alias = as_alias;
    if (!variable || (!element.empty() && !alias)) return std::nullopt;
    auto at = reinterpret_cast<std::uint64_t>(address(facts_.mangled(variable)));
    if (at && variable->getType()->isReferenceType() && !read_memory(at, &at, sizeof at)) at = 0;
    if (!at) return std::nullopt;
    const ObjectReader reader(compiler_.getASTContext(), [this](std::uint64_t place, void* buffer, std::size_t bytes) {
        return read_memory(place, buffer, bytes);
    });
    auto object = reader.object(variable->getType(), at);
    if (object && alias) object->element = reader.element(alias->getUnderlyingType());
    return object;
}

std::vector<HostEngine::Source> ClangEngine::sources_of(std::string_view name) {
    std::vector<Source> list;
    for (const clang::NamedDecl* declaration : find_declarations(compiler_, name)) {
        if (facts_.is_system(declaration->getLocation())) continue;
        Source source;
        const auto place = compiler_.getSourceManager().getPresumedLoc(declaration->getLocation());
        if (place.isValid()) source.place = {.file = place.getFilename(), .line = place.getLine()};
        source.text = text_of(compiler_, *declaration);
        if (!source.text.empty()) list.push_back(std::move(source));
    }
    return list;
}

std::optional<Value> ClangEngine::take_value(bool as_last) {
    if (!captured_.type) return std::nullopt;
    const auto type = clang::QualType::getFromOpaquePtr(captured_.type);
    const auto own_begin = reinterpret_cast<std::uint64_t>(captured_.bytes.data());
    const auto read = [&](std::uint64_t address, void* buffer, std::size_t bytes) {
        if (address >= own_begin && address + bytes <= own_begin + captured_.bytes.size()) {
            std::memcpy(buffer, reinterpret_cast<const void*>(address), bytes);
            return true;
        }
        return read_memory(address, buffer, bytes);
    };
    ValueReader reader = value_reader(read);
    Value value;
    value.type = reader.type_name(type);
    value.text = reader.text(type, captured_.address ? captured_.address : own_begin);
    // `std::cout << x` has shown what it is for.
    if (value.text == "<std::basic_ostream>") return captured_ = {}, std::nullopt;
    CapturedValue taken = std::exchange(captured_, {});
    if (as_last) last_ = std::move(taken);
    return value;
}

}  // namespace

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
