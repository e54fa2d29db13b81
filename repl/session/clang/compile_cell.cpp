// Text to code: a cell, or a file, is parsed as often as it takes, and linked.
#include "repl/session/clang/clang_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "clang/AST/Attr.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "llvm/IR/Module.h"
#include "repl/session/clang/device_spaces.h"
#include "repl/session/clang/end_errors.h"
#include "repl/session/clang/foreign_kernels.h"
#include "repl/session/clang/header_macros.h"
#include "repl/session/clang/long_loop.h"
#include "repl/session/clang/module_fixups.h"
#include "repl/session/clang/nvcc_spelling.h"
#include "repl/session/clang/source_text.h"
#include "repl/session/device/text_scan.h"

namespace cudash::session {
namespace {

/// The error of an initializer of a __shared__ variable is ignored, but clang also marks the variable as one that no
/// code can be made for.
void keep_shared_variables(const clang::TranslationUnitDecl& cell) {
    for (auto* declaration : cell.noload_decls())
        if (auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
            variable && variable->isInvalidDecl() && variable->hasAttr<clang::CUDASharedAttr>())
            variable->setInvalidDecl(false);
}

constexpr std::string_view undeclared_last_value = "use of undeclared identifier '_'";

/// clang takes a cell that begins with a sign for a declaration: an expression gets parentheses.
std::string parenthesised_sign(const std::string& text) {
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
bool is_risky(std::string_view text) {
    constexpr std::size_t long_text = 16384;
    const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
    return text.size() > long_text || (has("<<<") && (has("template") || has("auto")));
}

}  // namespace

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

/// A text on its way to be a part of the session.
struct ClangEngine::Part {
    const std::string& name;
    std::string source;
    clang::PartialTranslationUnit* unit = nullptr;
    std::vector<Hidden> hidden;                    ///< earlier declarations that it replaces
    std::unordered_set<std::string> replaced;      ///< symbols of what is hidden
    bool has_last_value = false;                   ///< `_` stands for it
    bool is_ended = false;                         ///< a semicolon was put after the last expression
    std::optional<std::string> with_lambdas = {};  ///< the source before they became objects
    std::vector<std::string> initializers = {}, finalizers = {};
    std::map<std::string, OnceMark> once = {};
    ModuleSymbols symbols = {};
};

/// It compiled, and another text takes its place.
void ClangEngine::forget_unit(Part& part) {
    keep_inline(*part.unit);
    visible_.hide_all(*part.unit->TUPart);
    visible_.show_earlier(*part.unit->TUPart, part.hidden);
}

/// True if the text that compiled is to be parsed once more, in another form.
bool ClangEngine::takes_other_form(Part& part) {
    if (!part.is_ended && drops_void_call(*part.unit->TUPart)) {
        part.is_ended = true;
        forget_unit(part);
        part.source += "\n;";  // on a line of its own: the last one may end in a comment
        return true;
    }
    auto objects = part.with_lambdas ? std::nullopt : lambdas_.as_objects(*part.unit->TUPart, part.source);
    if (!objects) return false;
    forget_unit(part);
    discard_code();
    part.with_lambdas = std::exchange(part.source, std::move(*objects));
    return true;
}

/// After a text that did not compile: true if it is to be parsed again, with less of the session in its way.
bool ClangEngine::may_compile_yet(Part& part, int attempt, const DiagnosticCollector& collector) {
    const bool lacks_last_value = !part.has_last_value && collector.says(undeclared_last_value);
    bool again = attempt < 32 && visible_.hide_previous(collector, part.hidden);
    const auto& failed = *compiler_.getASTContext().getTranslationUnitDecl();
    visible_.hide_all(failed);
    visible_.show_earlier(failed, part.hidden);
    discard_code();
    // A name of the session's own comes first; so does what the cell itself declares.
    if (const std::string macro = lacks_last_value ? last_value_macro() : std::string(); !macro.empty()) {
        part.has_last_value = again = true;
        parse_quietly(macro);
    }
    if (!again && part.with_lambdas && part.source != *part.with_lambdas) {
        part.source = *part.with_lambdas;
        again = true;
    }
    return again;
}

/// Parses as often as it takes, and says what the last time said.
void ClangEngine::parse_part(Part& part, Compiled& compiled) {
    names_.begin(fmt::format("{}{}", redefinition_tag, ++cells_));
    for (int attempt = 0;; ++attempt) {
        if (trial_) trial_->again();
        bool has_header_hint = false, has_no_code = false;
        DiagnosticCollector collector([&](const clang::Diagnostic& error, cudash::Diagnostic& said) {
            if (is_of_code_generation(error) && (has_no_code || collector.getNumErrors() == 1)) {
                // clang 19 would forget the module, and crash for want of it: the text compiles, and is taken back.
                has_no_code = true;
                compiler_.getDiagnostics().Reset(true);
            }
            if (said.hint.empty() && !has_header_hint)
                said.hint = header_macro_hint(error, compiler_.getPreprocessor());
            has_header_hint |= !said.hint.empty();
            if (trial_) trial_->said(said);
            end_of_input_.error_reported(error);
        });
        part.unit = parse(part.source, collector);
        if (part.unit && has_no_code) {
            keep_inline(*part.unit);
            part.unit = nullptr;
        }
        if (part.unit && takes_other_form(part)) continue;
        const bool again = !part.unit && may_compile_yet(part, attempt, collector);
        if (!again) {
            auto said = collector.take();
            place_at_end(said, part.name, part.source);
            compiled.diagnostics.insert(compiled.diagnostics.end(), said.begin(), said.end());
        }
        compiler_.getDiagnostics().setClient(&silent_, false);
        if (!again) break;
    }
    names_.end();
    if (part.has_last_value) parse_quietly("#undef _");
    compiled.uses_last_value |= part.has_last_value;
    if (!part.unit) visible_.restore(part.hidden);
}

/// Makes the module ready to be linked with the session's; false if its assembly is wrong.
bool ClangEngine::prepare_module(Part& part, Compiled& compiled) {
    visible_.restore_unreplaced(part.hidden);
    for (const Hidden& each : part.hidden)
        for (const std::string& symbol : symbols_of_declaration(*each.declaration)) part.replaced.insert(symbol);

    llvm::Module& module = *part.unit->TheModule;
    promote_internal_symbols(module, [&](std::string_view symbol) {
        return strong_.contains(std::string(symbol)) && !part.replaced.contains(std::string(symbol));
    });
    part.initializers = extract_initializers(module);
    part.finalizers = extract_finalizers(module);
    if (const auto wrong = linker_->find_assembly_error(module)) {
        compiled.diagnostics.push_back(assembly_error(*wrong, compiler_.getSourceManager()));
        return false;
    }
    part.symbols = symbols_of(module);
    part.once = once_marks_of(module);
    return true;
}

/// What is used and defined nowhere: what the cell runs must be there; what its functions call may be defined in a
/// later cell. False if something must be there.
bool ClangEngine::has_what_it_runs(Part& part, Compiled& compiled) {
    auto missing = missing_symbols(part.symbols.undefined);
    for (const std::string& symbol : part.symbols.undefined)
        if (stubbed_.contains(symbol)) missing.push_back(symbol);
    if (missing.empty()) return true;
    const auto at_once = needed_at_once(*part.unit->TheModule, part.initializers);
    bool refused = false;
    for (const std::string& symbol : missing)
        if (at_once.contains(symbol) || part.symbols.undefined_variables.contains(symbol)) {
            compiled.diagnostics.push_back(undefined(symbol, part.name));
            refused = true;
        }
    if (refused) return false;
    for (const std::string& symbol : missing)
        if (!stubbed_.contains(symbol)) add_stub(symbol);
    return true;
}

/// Reads what the device side must know of it into `facts`; false if NVRTC refuses that.
bool ClangEngine::read_facts(Part& part, std::set<std::string>& stubs, CellFacts& facts, Compiled& compiled) {
    facts = compiled.facts;
    for (const Hidden& each : part.hidden) facts.superseded.push_back(facts_.id_of(each.declaration));
    const std::size_t earlier_sources = facts.sources.size();
    facts_.read(*part.unit->TUPart, part.name, facts);
    add_foreign_kernels(*part.unit->TheModule, facts_, stubs, facts);
    facts.lambda_numbers.merge(names_.take_lambdas());
    // Not on trial: it is NVRTC that is asked.
    auto refused = device_check_ && !trial_ ? device_check_(facts) : std::nullopt;
    if (!refused) return true;
    compiled.diagnostics.push_back(std::move(*refused));
    facts_.take_back();
    // Their numbers are given.
    for (std::size_t i = earlier_sources; i < facts.sources.size(); ++i)
        compiled.facts.sources.push_back({facts.sources[i].name, {}, {}, true, 0, {}});
    return false;
}

/// Puts its code into the session's, in place of what it replaces.
bool ClangEngine::link_part(Part& part, const CellFacts& facts, Compiled& compiled) {
    clang::PartialTranslationUnit& unit = *part.unit;
    sites_.read(*unit.TUPart, [this](clang::SourceLocation at) { return facts_.is_system(at); });
    for (const VariableFact& variable : facts.variables)
        if (variable.kind == VariableFact::Kind::managed) managed_.insert(variable.shadow_symbol);
    for (const std::string& variable : managed_) redirect_managed(*unit.TheModule, variable);
    part.symbols = symbols_of(*unit.TheModule);
    for (const std::string& symbol : part.replaced) remove_symbol(symbol);
    for (const std::string& symbol : part.symbols.strong)
        if (strong_.contains(symbol) || stubbed_.contains(symbol) || defaults_.erase(symbol) > 0) remove_symbol(symbol);
    for (const std::string& symbol : part.symbols.weak)
        if (stubbed_.contains(symbol)) remove_symbol(symbol);

    const auto speed = has_long_loop(*unit.TUPart) ? CellLinker::Speed::optimized : speed_;
    auto failure = link(unit, speed);
    if (!failure) return true;
    link_errors_.note(std::move(failure));
    compiled.diagnostics.push_back(link_errors_.take());
    visible_.hide_all(*unit.TUPart);
    visible_.restore(part.hidden);
    return false;
}

/// From here on it belongs to the session. False if an initializer of its variables can't be found.
bool ClangEngine::accept(Part& part, Compiled& compiled) {
    strong_.insert(part.symbols.strong.begin(), part.symbols.strong.end());
    finalizers_.insert(finalizers_.begin(), part.finalizers.begin(), part.finalizers.end());
    once_.merge(part.once);
    forget_last_value(part.hidden);
    for (const auto* names : {&part.symbols.strong, &part.symbols.weak})
        for (const std::string& symbol : *names)
            if (stubbed_.erase(symbol) > 0)
                if (void* function = address(symbol))
                    llvm::consumeError(stubs_->updatePointer(symbol, llvm::orc::ExecutorAddr::fromPtr(function)));
    parts_.push_back(part.unit->TUPart);
    Instantiations::of_process().keep_algorithms(
        [&](const clang::FunctionDecl& function) { return linker_->has(facts_.mangled(&function)); });
    for (const auto* declaration : part.unit->TUPart->decls())
        if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
            function && function->isMain() && function->doesThisDeclarationHaveABody())
            main_ = function;
    for (const std::string& initializer : part.initializers) {
        void* function = address(initializer);
        if (!function) {
            compiled.diagnostics.push_back(link_errors_.take());
            visible_.hide_all(*part.unit->TUPart);
            return false;
        }
        compiled.initializers.push_back(reinterpret_cast<void (*)()>(function));
    }
    return true;
}

bool ClangEngine::compile_part(const std::string& name, const std::string& text, Compiled& compiled) {
    const auto earlier = compiled.diagnostics;
    Part part{.name = name, .source = text, .hidden = {}, .replaced = {}};
    parse_part(part, compiled);
    if (!part.unit) return false;
    if (!prepare_module(part, compiled)) {
        take_back(*part.unit, part.hidden);
        return false;
    }
    if (!file_.empty()) {
        std::vector<cudash::Diagnostic> twice = definitions_.add(*part.unit->TUPart, file_);
        if (!twice.empty()) {
            std::ranges::move(twice, std::back_inserter(compiled.diagnostics));
            take_back(*part.unit, part.hidden);
            return false;
        }
    }
    if (!has_what_it_runs(part, compiled)) {
        // clang 19 does not emit the destructors of temporaries in an expression whose value it reports.
        std::string named_value = with_named_value(*part.unit->TUPart, part.source);
        if (named_value.empty()) {
            take_back(*part.unit, part.hidden);
            return false;
        }
        keep_inline(*part.unit);
        visible_.hide_all(*part.unit->TUPart);
        visible_.restore(part.hidden);
        compiled.diagnostics = earlier;
        return compile_part(name, named_value, compiled);
    }
    std::set<std::string> stubs = known_stubs_;
    CellFacts facts;
    if (!read_facts(part, stubs, facts, compiled)) {
        take_back(*part.unit, part.hidden);
        return false;
    }
    if (!link_part(part, facts, compiled)) return false;
    compiled.facts = std::move(facts);
    known_stubs_ = std::move(stubs);
    return accept(part, compiled);
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
    const auto spaces_of = [&](std::string_view name) {
        std::string spaces;
        for (const clang::NamedDecl* each : find_declarations(compiler_, name))
            if (const auto* scheme = llvm::dyn_cast<clang::FunctionTemplateDecl>(each)) {
                const clang::FunctionDecl& function = *scheme->getTemplatedDecl();
                if (!has_explicit<clang::CUDADeviceAttr>(function)) continue;
                spaces = has_explicit<clang::CUDAHostAttr>(function) ? "__host__ __device__ " : "__device__ ";
            }
        return spaces;
    };
    const std::string text = as_clang_spells(as_typed, spaces_of).value_or(as_typed);
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

}  // namespace cudash::session
