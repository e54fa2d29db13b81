// Which of a session's declarations clang's lookup finds: the newest of each name, and none of a cell that failed.
#pragma once

#include <functional>
#include <unordered_set>
#include <vector>

#include "clang/AST/Decl.h"
#include "clang/Frontend/CompilerInstance.h"
#include "repl/session/clang/diagnostic_collector.h"
#include "repl/session/clang/mangled_names.h"

namespace cudash::session {

class Visibility {
public:
    /// A declaration taken out of lookup, so that its name can be defined again.
    struct Hidden {
        clang::NamedDecl* declaration;
        clang::DeclContext* context;
    };

    Visibility(clang::CompilerInstance& compiler, MangledNames& names,
               std::function<bool(clang::SourceLocation)> is_system)
        : compiler_(compiler), names_(names), is_system_(std::move(is_system)) {}

    /// What is parsed from here on belongs to a new cell, or to another attempt at it.
    void begin_cell();
    /// Hides what the errors in `collector` say the cell defines again and adds it to `hidden`. False if there was
    /// nothing to hide: another attempt would fail as this one did.
    bool hide_previous(const DiagnosticCollector& collector, std::vector<Hidden>& hidden);
    /// Takes a failed cell's declarations out of lookup.
    void hide_all(const clang::DeclContext& context);
    /// A redeclaration takes the place of the earlier one in lookup; when its cell fails and is taken back, the earlier
    /// one must be found again.
    void show_earlier(const clang::DeclContext& failed, const std::vector<Hidden>& hidden);
    void restore(const std::vector<Hidden>& hidden);
    /// Restores, and takes from `hidden`, what an accepted cell has no declaration for: `extern __shared__ float s[]`
    /// in a kernel is in the way of the session's s, and does not replace it.
    void restore_unreplaced(std::vector<Hidden>& hidden);

private:
    /// What `declaration` declares again, of a cell before this one that was accepted; null if nothing.
    clang::NamedDecl* earlier(const clang::NamedDecl& declaration) const;
    bool is_of_current_cell(clang::SourceLocation location) const;
    const clang::NamedDecl* new_declaration_at(const clang::DeclContext& context, clang::SourceLocation location) const;

    clang::CompilerInstance& compiler_;
    MangledNames& names_;
    std::function<bool(clang::SourceLocation)> is_system_;
    /// What hide_all hid for good. clang keeps it in the chains of redeclarations.
    std::unordered_set<const clang::Decl*> gone_;
    unsigned first_location_ = 0;  ///< of the current cell, an offset in the source manager
};

}  // namespace cudash::session
