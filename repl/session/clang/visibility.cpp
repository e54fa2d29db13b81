#include "repl/session/clang/visibility.h"

#include <algorithm>
#include <iterator>

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclContextInternals.h"
#include "clang/Sema/Scope.h"
#include "clang/Sema/Sema.h"
#include "repl/session/clang/device_spaces.h"

namespace cudash::session {
namespace {

/// Takes a declaration out of lookup by name. The entry stays, even if it is empty now:
/// without one, clang would ask the precompiled header for the name again.
void remove_from_lookup(clang::NamedDecl& declaration) {
    const auto name = declaration.getDeclName();
    const auto remove_entry = [&](clang::DeclContext& context) {
        auto* lookup = context.getPrimaryContext()->getLookupPtr();
        if (!lookup) return;
        const auto entry = lookup->find(name);
        if (entry == lookup->end()) return;
        const auto present = entry->second.getLookupResult();
        if (std::find(present.begin(), present.end(), &declaration) != present.end())
            entry->second.remove(&declaration);
    };
    // Functions with C linkage are known across namespaces, in a context of their own.
    remove_entry(*declaration.getASTContext().getExternCContextDecl());
    const auto visible = declaration.getDeclContext()->getRedeclContext()->lookup(name);
    if (std::find(visible.begin(), visible.end(), &declaration) == visible.end()) return;
    for (auto* context = declaration.getDeclContext();; context = context->getParent()) {
        remove_entry(*context);
        if (!context->isTransparentContext()) break;
    }
}

/// Takes a declaration off its identifier's chain, where it is on it.
void remove_from_scope(clang::Sema& sema, clang::NamedDecl& declaration) {
    // Using directives, and the one that an unnamed namespace brings, are found by no identifier.
    if (declaration.getDeclName().getNameKind() == clang::DeclarationName::CXXUsingDirective) return;
    for (auto it = sema.IdResolver.begin(declaration.getDeclName()); it != sema.IdResolver.end(); ++it)
        if (*it == &declaration) {
            sema.IdResolver.RemoveDecl(&declaration);
            break;
        }
    if (sema.TUScope->isDeclScope(&declaration)) sema.TUScope->RemoveDecl(&declaration);
}

}  // namespace

void Visibility::begin_cell() {
    first_location_ = compiler_.getSourceManager().getNextLocalOffset();
}

void Visibility::show_earlier(const clang::DeclContext& failed, const std::vector<Hidden>& hidden) {
    for (auto* declaration : failed.noload_decls()) {
        if (const auto* inner = llvm::dyn_cast<clang::DeclContext>(declaration);
            inner && (inner->isNamespace() || llvm::isa<clang::LinkageSpecDecl>(declaration)))
            show_earlier(*inner, hidden);
        auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration);
        if (!named || !named->getDeclName()) continue;
        auto* previous = earlier(*named);
        if (!previous ||
            std::any_of(hidden.begin(), hidden.end(), [&](const Hidden& each) { return each.declaration == previous; }))
            continue;
        auto* context = previous->getDeclContext()->getRedeclContext();
        const auto visible = context->lookup(previous->getDeclName());
        if (std::find(visible.begin(), visible.end(), previous) == visible.end())
            context->makeDeclVisibleInContext(previous);
    }
}

clang::NamedDecl* Visibility::earlier(const clang::NamedDecl& declaration) const {
    const clang::Decl* previous = declaration.getPreviousDecl();
    while (previous && (is_of_current_cell(previous->getLocation()) || gone_.contains(previous)))
        previous = previous->getPreviousDecl();
    return const_cast<clang::NamedDecl*>(llvm::cast_or_null<clang::NamedDecl>(previous));
}

bool Visibility::is_of_current_cell(clang::SourceLocation location) const {
    const auto& sources = compiler_.getSourceManager();
    const auto plain = sources.getFileLoc(location);
    if (plain.isInvalid() || sources.isLoadedSourceLocation(plain)) return false;
    return sources.getDecomposedLoc(plain).first.isValid() &&
           sources.getSLocEntry(sources.getFileID(plain)).getOffset() >= first_location_;
}

bool Visibility::hide_previous(const DiagnosticCollector& collector, std::vector<Hidden>& hidden) {
    bool any = false;
    auto& context = compiler_.getASTContext();
    const auto& sources = compiler_.getSourceManager();
    for (auto redefinition : collector.redefinitions()) {
        std::vector<clang::NamedDecl*> found;
        // The location that clang gives is not reliable where two cells are alike; the new declaration knows its past.
        if (const auto* fresh = new_declaration_at(*context.getTranslationUnitDecl(), redefinition.at)) {
            if (!redefinition.declaration) redefinition.declaration = fresh;
            if (!redefinition.name) redefinition.name = fresh->getDeclName();
            if (auto* previous = earlier(*fresh)) {
                redefinition.previous = previous->getLocation();
                found.push_back(previous);
            }
        }
        if (redefinition.previous.isValid() && is_of_current_cell(redefinition.previous)) continue;
        const bool system = redefinition.previous.isValid() && (sources.isLoadedSourceLocation(redefinition.previous) ||
                                                                sources.isInSystemHeader(redefinition.previous));
        if (system) continue;
        clang::DeclContext* scope = context.getTranslationUnitDecl();
        if (redefinition.declaration) {
            auto* owner = const_cast<clang::NamedDecl*>(redefinition.declaration)->getDeclContext()->getRedeclContext();
            if (owner->isNamespace()) scope = owner->getPrimaryContext();
        }
        const clang::DeclarationName name = redefinition.name;
        const auto collect = [&](clang::DeclarationName wanted) {
            for (auto* declaration : scope->lookup(wanted)) {
                if (is_of_current_cell(declaration->getLocation())) continue;
                const bool is_function = declaration->getAsFunction() != nullptr;
                if (is_function && redefinition.previous.isValid()) {
                    bool same = false;
                    for (const auto* each : declaration->redecls())
                        same |= each->getLocation() == redefinition.previous ||
                                (begin_of(*each).isValid() && each->getEndLoc().isValid() &&
                                 sources.isPointWithin(redefinition.previous, begin_of(*each), each->getEndLoc()));
                    if (!same) continue;
                }
                if (std::find(found.begin(), found.end(), declaration) == found.end()) found.push_back(declaration);
            }
        };
        if (name) collect(name);
        if (found.empty() && redefinition.previous.isValid()) {
            // clang named something else (a parameter, an enumerator): find the declaration that stands there.
            for (const auto* part : context.getTranslationUnitDecl()->redecls())
                for (auto* declaration : part->noload_decls())
                    if (auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration);
                        named && named->getDeclName() && !is_of_current_cell(named->getLocation()) &&
                        sources.isPointWithin(redefinition.previous, begin_of(*named), named->getEndLoc()))
                        found.push_back(named);
        }
        auto& sema = compiler_.getSema();
        for (auto* declaration : found) {
            remove_from_lookup(*declaration);
            if (std::any_of(hidden.begin(), hidden.end(),
                            [&](const Hidden& each) { return each.declaration == declaration; }))
                continue;
            hidden.push_back({declaration, declaration->getDeclContext()});
            names_.watch(declaration->getDeclName());
            remove_from_scope(sema, *declaration);
            if (auto* enumeration = llvm::dyn_cast<clang::EnumDecl>(declaration);
                enumeration && !enumeration->isScoped())
                for (auto* constant : enumeration->enumerators()) remove_from_scope(sema, *constant);
            any = true;
        }
    }
    return any;
}

const clang::NamedDecl* Visibility::new_declaration_at(const clang::DeclContext& context,
                                                       clang::SourceLocation location) const {
    for (const auto* declaration : context.noload_decls()) {
        if (const auto* space = llvm::dyn_cast<clang::NamespaceDecl>(declaration))
            if (const auto* found = new_declaration_at(*space, location)) return found;
        if (const auto* linkage = llvm::dyn_cast<clang::LinkageSpecDecl>(declaration))
            if (const auto* found = new_declaration_at(*linkage, location)) return found;
        if (const auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration);
            named && named->getLocation() == location)
            return named;
    }
    return nullptr;
}

void Visibility::restore(const std::vector<Hidden>& hidden) {
    auto& sema = compiler_.getSema();
    for (auto it = hidden.rbegin(); it != hidden.rend(); ++it) {
        it->context->makeDeclVisibleInContext(it->declaration);
        if (it->context->isTranslationUnit()) {
            sema.TUScope->AddDecl(it->declaration);
            sema.IdResolver.AddDecl(it->declaration);
        }
    }
}

void Visibility::restore_unreplaced(std::vector<Hidden>& hidden) {
    const auto is_unreplaced = [](const Hidden& each) {
        const auto found = each.context->getRedeclContext()->lookup(each.declaration->getDeclName());
        return std::all_of(found.begin(), found.end(),
                           [](const clang::NamedDecl* fresh) { return fresh->isLocalExternDecl(); });
    };
    std::vector<Hidden> unreplaced;
    std::copy_if(hidden.begin(), hidden.end(), std::back_inserter(unreplaced), is_unreplaced);
    std::erase_if(hidden, is_unreplaced);
    restore(unreplaced);
}

void Visibility::hide_all(const clang::DeclContext& context) {
    auto& sema = compiler_.getSema();
    std::vector<clang::Decl*> declarations(context.decls_begin(), context.decls_end());
    for (auto* declaration : declarations) {
        if (const auto* inner = llvm::dyn_cast<clang::DeclContext>(declaration);
            inner && (inner->isNamespace() || llvm::isa<clang::LinkageSpecDecl>(declaration)))
            hide_all(*inner);
        // Its constants stand in the scope around it, also where it has no name.
        if (const auto* enumeration = llvm::dyn_cast<clang::EnumDecl>(declaration);
            enumeration && !enumeration->isScoped())
            hide_all(*enumeration);
        auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration);
        if (!named || !named->getDeclName() || llvm::isa<clang::NamespaceDecl>(named)) continue;
        // A system header that the cell was the first to include stays: its guard says that it was read.
        if (named->getLocation().isValid() && is_system_(named->getLocation())) continue;
        gone_.insert(named);
        remove_from_scope(sema, *named);
        remove_from_lookup(*named);
    }
}

}  // namespace cudash::session
