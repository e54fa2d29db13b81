#include "repl/session/clang/late_definitions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

namespace cudash::session {
namespace {

/// An earlier cell has declared it, or a header; and no header of the system defines it.
bool is_declared_elsewhere(const clang::Decl& declaration) {
    const clang::SourceManager& sources = declaration.getASTContext().getSourceManager();
    const clang::Decl* const before = declaration.getPreviousDecl();
    if (!before || sources.isInSystemHeader(sources.getExpansionLoc(declaration.getLocation()))) return false;
    return sources.getFileID(sources.getExpansionLoc(before->getLocation())) !=
           sources.getFileID(sources.getExpansionLoc(declaration.getLocation()));
}

void emit(clang::FunctionDecl& function) {
    if (!function.hasAttr<clang::UsedAttr>())
        function.addAttr(clang::UsedAttr::CreateImplicit(function.getASTContext()));
}

void emit_instances(clang::FunctionTemplateDecl& scheme, clang::Sema& sema) {
    for (clang::FunctionDecl* instance : scheme.specializations()) {
        const bool awaited = instance->isReferenced() || instance->isUsed(false);
        if (!awaited || instance->isDefined() || instance->isInvalidDecl() ||
            instance->getTemplateSpecializationKind() != clang::TSK_ImplicitInstantiation)
            continue;
        emit(*instance);
        sema.InstantiateFunctionDefinition(instance->getPointOfInstantiation(), instance, true);
    }
}

}  // namespace

void emit_if_awaited(clang::Decl& declaration, clang::Sema& sema) {
    if (auto* const scope = llvm::dyn_cast<clang::DeclContext>(&declaration);
        scope && llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration)) {
        for (clang::Decl* inner : scope->noload_decls()) emit_if_awaited(*inner, sema);
        return;
    }
    if (auto* const scheme = llvm::dyn_cast<clang::FunctionTemplateDecl>(&declaration)) {
        if (scheme->isThisDeclarationADefinition() && is_declared_elsewhere(*scheme)) emit_instances(*scheme, sema);
        return;
    }
    auto* const function = llvm::dyn_cast<clang::FunctionDecl>(&declaration);
    if (!function || !function->isThisDeclarationADefinition() || function->isDependentContext()) return;
    if (function->isUsed(false) && is_declared_elsewhere(*function)) emit(*function);
}

}  // namespace cudash::session
