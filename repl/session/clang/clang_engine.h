// The host engine as clang's interpreter makes it: one object, whose functions stand in host_engine.cpp (its
// beginning), compile_cell.cpp (text to code), cell_symbols.cpp (what is linked) and session_values.cpp (what variables
// hold).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "clang/AST/ASTContext.h"
#include "clang/Interpreter/Interpreter.h"
#include "clang/Interpreter/PartialTranslationUnit.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/ExecutionEngine/Orc/IndirectionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "repl/session/clang/call_sites.h"
#include "repl/session/clang/captured_value.h"
#include "repl/session/clang/cell_linker.h"
#include "repl/session/clang/code_completion.h"
#include "repl/session/clang/device_lambdas.h"
#include "repl/session/clang/diagnostic_collector.h"
#include "repl/session/clang/end_of_input.h"
#include "repl/session/clang/fact_reader.h"
#include "repl/session/clang/file_definitions.h"
#include "repl/session/clang/host_engine.h"
#include "repl/session/clang/instantiations.h"
#include "repl/session/clang/line_table.h"
#include "repl/session/clang/link_errors.h"
#include "repl/session/clang/local_variables.h"
#include "repl/session/clang/macro_changes.h"
#include "repl/session/clang/mangled_names.h"
#include "repl/session/clang/module_fixups.h"
#include "repl/session/clang/spelling.h"
#include "repl/session/clang/thread_locals.h"
#include "repl/session/clang/trial.h"
#include "repl/session/clang/undefined_functions.h"
#include "repl/session/clang/value_reader.h"
#include "repl/session/clang/visibility.h"
#include "repl/session/libraries.h"

namespace cudash::session {

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

class ClangEngine : public HostEngine {
public:
    ClangEngine(std::unique_ptr<clang::Interpreter> interpreter, std::unique_ptr<PrecompiledConsumer> consumer,
                llvm::orc::LLJIT& jit, std::unique_ptr<CellLinker> linker, const Setup& setup);

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
        for (const auto* part : earlier_parts_) variables.add(*part);
    }
    Completions complete(const std::string& text) override { return session::complete(*interpreter_, text); }
    void* address(std::string_view symbol) override;
    void* earlier_address(std::string_view symbol) const override;
    void forget_what_began() override;
    std::optional<CodePlace> place_of(std::uint64_t address) const override { return lines_->find(address); }
    api::CallText call_text(const CodePlace& place) const override {
        const api::CallText* text = sites_.find(place);
        return text ? *text : api::CallText{};
    }
    std::optional<Diagnostic> take_undefined() override {
        const std::string symbol = UndefinedFunctions::take_called();
        return symbol.empty() ? std::nullopt
                              : std::optional(undefined_function(symbol, llvm::demangle(symbol), has_files_));
    }
    std::vector<std::string> undefined_functions() const override {
        std::vector<std::string> symbols(stubbed_.begin(), stubbed_.end());
        std::ranges::sort(symbols);
        return symbols;
    }
    std::optional<MainFunction> main_function() override;
    void run_destructors() override {
        destroy_thread_locals();
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
    // Its steps, in order.
    struct Part;
    void parse_part(Part& part, Compiled& compiled);
    bool takes_other_form(Part& part);
    bool may_compile_yet(Part& part, int attempt, const DiagnosticCollector& collector);
    void forget_unit(Part& part);
    bool prepare_module(Part& part, Compiled& compiled);
    bool has_what_it_runs(Part& part, Compiled& compiled);
    bool read_facts(Part& part, std::set<std::string>& stubs, CellFacts& facts, Compiled& compiled);
    bool link_part(Part& part, const CellFacts& facts, Compiled& compiled);
    bool accept(Part& part, Compiled& compiled);
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
    std::map<std::string, OnceMark> once_;      ///< of what cells defined
    MangledNames names_;
    Visibility visible_;
    std::shared_ptr<LineTable> lines_;
    CallSites sites_;
    unsigned cells_ = 0;
    CellLinker::Speed speed_ = CellLinker::Speed::plain;  ///< of what is compiled
    bool spell_ = true;                                   ///< clang may look for similar names
    bool rejected_ = false;                               ///< a cell
    const TrialReport* trial_ = nullptr;                  ///< of a copy that compiles on trial
    bool has_files_ = false;                              ///< it was given whole files
    std::string file_;                                    ///< that is compiled; "" if it is a cell
    FileDefinitions definitions_{facts_, compiler_.getSourceManager()};
    std::unordered_set<std::string> stubbed_;  ///< called by cells, defined by none yet
    std::unique_ptr<llvm::orc::IndirectStubsManager> stubs_;
    UndefinedFunctions undefined_;
    std::set<std::string> managed_;
    std::set<std::string> known_stubs_;                             ///< launch stubs whose kernels the session knows
    std::vector<const clang::TranslationUnitDecl*> parts_;          ///< compiled and in sight
    std::vector<const clang::TranslationUnitDecl*> earlier_parts_;  ///< of files before, out of sight
    const clang::FunctionDecl* main_ = nullptr;
    CapturedValue& captured_ = CapturedValue::of_process();
    CapturedValue last_;  ///< what `_` is
};

}  // namespace cudash::session
