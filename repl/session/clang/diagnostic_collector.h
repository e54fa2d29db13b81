// clang's diagnostics as cudash's values.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "clang/AST/DeclarationName.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/SourceManager.h"
#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

/// An error of code generation: a builtin that the processor lacks, an alias of nothing. Those without a number of
/// their own are told from ours by what they say.
bool is_of_code_generation(const clang::Diagnostic& error);

/// Collects what clang says about one cell; notes go to the error or warning before them.
class DiagnosticCollector : public clang::DiagnosticConsumer {
public:
    /// An error of the kind "this name is already something else".
    struct Redefinition {
        clang::DeclarationName name;
        const clang::NamedDecl* declaration = nullptr;  ///< the one that clang named, new or old; may be null
        clang::SourceLocation at;                       ///< the new definition
        clang::SourceLocation previous;                 ///< the old one; invalid if clang did not say
    };

    /// `at_error` is called at each error, and may add to what is said of it.
    using AtError = std::function<void(const clang::Diagnostic&, cudash::Diagnostic&)>;
    explicit DiagnosticCollector(AtError at_error = {}) : at_error_(std::move(at_error)) {}

    void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override;

    std::vector<cudash::Diagnostic> take() { return std::move(diagnostics_); }
    bool says(std::string_view message) const {
        return std::any_of(diagnostics_.begin(), diagnostics_.end(),
                           [&](const cudash::Diagnostic& each) { return each.message.starts_with(message); });
    }
    const std::vector<Redefinition>& redefinitions() const { return redefinitions_; }

private:
    AtError at_error_;
    std::vector<cudash::Diagnostic> diagnostics_;
    std::vector<Redefinition> redefinitions_;
    bool last_was_redefinition_ = false;
};

}  // namespace cudash::session
