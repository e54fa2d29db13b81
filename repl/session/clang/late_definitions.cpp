#include "repl/session/clang/late_definitions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Sema/Sema.h"

namespace cudash::session {
namespace {

bool has_body(const clang::Decl& declaration) {
    const clang::FunctionDecl* const function = declaration.getAsFunction();
    return function && function->isThisDeclarationADefinition();
}

/// An earlier cell has declared it, or a header; none has defined it; and it is no header of the system that does now.
bool is_declared_elsewhere(const clang::Decl& declaration) {
    const clang::SourceManager& sources = declaration.getASTContext().getSourceManager();
    const auto file_of = [&](const clang::Decl& each) {
        return sources.getFileID(sources.getExpansionLoc(each.getLocation()));
    };
    const clang::Decl* before = declaration.getPreviousDecl();
    if (!before || sources.isInSystemHeader(sources.getExpansionLoc(declaration.getLocation()))) return false;
    if (file_of(*before) == file_of(declaration)) return false;
    for (; before; before = before->getPreviousDecl())
        if (has_body(*before)) return false;
    return true;
}

void emit(clang::FunctionDecl& function, clang::CompilerInstance& compiler) {
    // Of an inline constructor or destructor, clang leaves out the symbol that calls name: with the body at hand it
    // takes another. From now on, there are both.
    if (llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(function))
        compiler.getCodeGenOpts().CXXCtorDtorAliases = false;
    if (!function.hasAttr<clang::UsedAttr>())
        function.addAttr(clang::UsedAttr::CreateImplicit(function.getASTContext()));
}

void emit_instance(clang::FunctionDecl& instance, clang::CompilerInstance& compiler) {
    const bool awaited = instance.isReferenced() || instance.isUsed(false);
    if (!awaited || instance.isDefined() || instance.isInvalidDecl() ||
        instance.getTemplateSpecializationKind() != clang::TSK_ImplicitInstantiation)
        return;
    emit(instance, compiler);
    compiler.getSema().InstantiateFunctionDefinition(instance.getPointOfInstantiation(), &instance, true);
}

/// Of the classes that a template has made, the members that `pattern` defines.
void emit_members(const clang::CXXMethodDecl& pattern, clang::CompilerInstance& compiler) {
    clang::ClassTemplateDecl* const scheme = pattern.getParent()->getDescribedClassTemplate();
    if (!scheme) return;
    for (clang::ClassTemplateSpecializationDecl* made : scheme->specializations())
        for (clang::CXXMethodDecl* member : made->methods()) {
            const clang::FunctionDecl* const from = member->getInstantiatedFromMemberFunction();
            if (from && from->getCanonicalDecl() == pattern.getCanonicalDecl()) emit_instance(*member, compiler);
        }
}

}  // namespace

void emit_if_awaited(clang::Decl& declaration, clang::CompilerInstance& compiler) {
    if (auto* const scope = llvm::dyn_cast<clang::DeclContext>(&declaration);
        scope && llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration)) {
        for (clang::Decl* inner : scope->noload_decls()) emit_if_awaited(*inner, compiler);
        return;
    }
    if (auto* const scheme = llvm::dyn_cast<clang::FunctionTemplateDecl>(&declaration)) {
        if (scheme->isThisDeclarationADefinition() && is_declared_elsewhere(*scheme))
            for (clang::FunctionDecl* instance : scheme->specializations()) emit_instance(*instance, compiler);
        return;
    }
    auto* const function = llvm::dyn_cast<clang::FunctionDecl>(&declaration);
    if (!function || !function->isThisDeclarationADefinition() || !is_declared_elsewhere(*function)) return;
    if (!function->isDependentContext()) {
        if (function->isUsed(false)) emit(*function, compiler);
    } else if (const auto* const member = llvm::dyn_cast<clang::CXXMethodDecl>(function)) {
        emit_members(*member, compiler);
    }
}

}  // namespace cudash::session
