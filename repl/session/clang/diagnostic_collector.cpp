#include "repl/session/clang/diagnostic_collector.h"

#include <algorithm>
#include <array>
#include <filesystem>

#include "clang/AST/Decl.h"
#include "clang/Basic/DiagnosticLex.h"
#include "clang/Basic/DiagnosticParse.h"
#include "clang/Sema/SemaDiagnostic.h"
#include "llvm/ADT/SmallString.h"

namespace cudash::session {
namespace {

using Level = clang::DiagnosticsEngine::Level;

/// The errors that mean: this scope already has that name, as something else.
constexpr std::array redefinition_errors = {
    clang::diag::err_redefinition,
    clang::diag::err_redefinition_different_kind,
    clang::diag::err_redefinition_different_type,
    clang::diag::err_redefinition_different_typedef,
    clang::diag::err_redefinition_different_concept,
    clang::diag::err_redefinition_different_namespace_alias,
    clang::diag::err_redefinition_of_enumerator,
    clang::diag::err_redeclaration_different_type,
    clang::diag::err_conflicting_types,
    clang::diag::err_ovl_diff_return_type,
    clang::diag::err_param_default_argument_redefinition,
    clang::diag::err_template_param_default_arg_redefinition,
    clang::diag::err_template_param_different_kind,
    clang::diag::err_template_param_list_different_arity,
    clang::diag::err_template_nontype_parm_different_type,
    clang::diag::err_partial_spec_redeclared,
    clang::diag::err_use_with_wrong_tag,
    clang::diag::err_tag_reference_conflict,
    clang::diag::err_static_non_static,
    clang::diag::err_non_static_static,
    clang::diag::err_extern_non_extern,
    clang::diag::err_constexpr_redecl_mismatch,
    clang::diag::err_different_language_linkage,
    clang::diag::err_mismatched_exception_spec,
    clang::diag::err_cuda_ovl_target,
    clang::diag::err_enum_redeclare_fixed_mismatch,
    clang::diag::err_enum_redeclare_scoped_mismatch,
    clang::diag::err_enum_redeclare_type_mismatch,
};

SourceSpot spot_of(const clang::Diagnostic& info) {
    SourceSpot spot;
    if (!info.hasSourceManager() || info.getLocation().isInvalid()) return spot;
    const auto& sources = info.getSourceManager();
    const auto presumed = sources.getPresumedLoc(sources.getExpansionLoc(info.getLocation()));
    if (presumed.isInvalid()) return spot;
    spot.file = presumed.getFilename();
    // gcc's headers: /usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/vector.
    if (spot.file.find("/../") != std::string::npos)
        spot.file = std::filesystem::path(spot.file).lexically_normal().string();
    spot.line = presumed.getLine();
    spot.column = presumed.getColumn();
    return spot;
}

/// The name that a redefinition error is about, in whatever form its arguments hold it.
void read_name(const clang::Diagnostic& info, DiagnosticCollector::Redefinition& redefinition) {
    for (unsigned i = 0; i < info.getNumArgs(); ++i) {
        switch (info.getArgKind(i)) {
            case clang::DiagnosticsEngine::ak_declarationname:
                redefinition.name = clang::DeclarationName::getFromOpaqueInteger(info.getRawArg(i));
                return;
            case clang::DiagnosticsEngine::ak_identifierinfo:
                redefinition.name = clang::DeclarationName(info.getArgIdentifier(i));
                return;
            case clang::DiagnosticsEngine::ak_nameddecl:
                redefinition.declaration = reinterpret_cast<const clang::NamedDecl*>(info.getRawArg(i));
                redefinition.name = redefinition.declaration->getDeclName();
                return;
            default:
                break;
        }
    }
}

/// clang 19 takes whatever surrounds a qualified declaration for something with a name, which a statement of the top
/// level is not.
bool is_in_statement(const clang::Diagnostic& info) {
    return info.getID() == clang::diag::err_invalid_declarator_scope &&
           info.getArgKind(1) == clang::DiagnosticsEngine::ak_nameddecl &&
           reinterpret_cast<const clang::Decl*>(info.getRawArg(1))->getKind() == clang::Decl::TopLevelStmt;
}

std::string text_of(const clang::Diagnostic& info) {
    if (is_in_statement(info))
        return "a statement can't declare '" +
               clang::DeclarationName::getFromOpaqueInteger(info.getRawArg(0)).getAsString() +
               "' for another namespace or class";
    if (info.getID() == clang::diag::warn_pragma_omp_ignored)
        return "'#pragma omp' has no effect in cells, nor in programs without the package libomp5-19";
    llvm::SmallString<256> text;
    info.FormatDiagnostic(text);
    return text.str().str();
}

}  // namespace

bool is_of_code_generation(const clang::Diagnostic& error) {
    const unsigned id = error.getID();
    if (id < clang::diag::DIAG_UPPER_LIMIT)
        return id >= clang::diag::DIAG_START_FRONTEND && id < clang::diag::DIAG_START_SERIALIZATION;
    return error.getDiags()->getDiagnosticIDs()->getDescription(id).starts_with("cannot compile this ");
}

void DiagnosticCollector::HandleDiagnostic(Level level, const clang::Diagnostic& info) {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level == Level::Ignored || level == Level::Remark) return;

    const std::string text = text_of(info);
    if (level == Level::Note) {
        if (last_was_redefinition_ && info.getLocation().isValid() && redefinitions_.back().previous.isInvalid())
            redefinitions_.back().previous = info.getLocation();
        const bool says_nothing = info.getID() == clang::diag::note_redefinition_include_same_file;
        if (!diagnostics_.empty() && info.getLocation().isValid() && !says_nothing)
            diagnostics_.back().notes.push_back({text, spot_of(info)});
        return;
    }

    last_was_redefinition_ = false;
    cudash::Diagnostic diagnostic;
    diagnostic.severity =
        level == Level::Warning ? cudash::Diagnostic::Severity::warning : cudash::Diagnostic::Severity::error;
    diagnostic.code = level == Level::Warning ? "compile-warning" : "compile-error";
    diagnostic.message = text;
    diagnostic.where = spot_of(info);
    diagnostics_.push_back(std::move(diagnostic));

    if (level == Level::Warning) return;
    if (at_error_) at_error_(info, diagnostics_.back());
    if (std::find(redefinition_errors.begin(), redefinition_errors.end(), info.getID()) == redefinition_errors.end())
        return;
    Redefinition redefinition;
    redefinition.at = info.getLocation();
    read_name(info, redefinition);
    redefinitions_.push_back(redefinition);
    last_was_redefinition_ = true;
}

}  // namespace cudash::session
