#include "repl/session/clang/mangled_names.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

namespace cudash::session {

void MangledNames::CompletedTagDefinition(const clang::TagDecl* declaration) {
    auto* tag = const_cast<clang::TagDecl*>(declaration);
    auto& context = tag->getASTContext();
    auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(tag);
    const bool lambda = record && record->isLambda();
    if (llvm::isa<clang::TopLevelStmtDecl>(llvm::cast<clang::Decl>(tag->getDeclContext()))) {
        tag->setDeclContext(context.getTranslationUnitDecl());
        llvm::StringRef unique = tag_;
        if (!lambda) tag->addAttr(clang::AbiTagAttr::CreateImplicit(context, &unique, 1));
    }
    if (!lambda || record->getLambdaManglingNumber() == 0) return;
    clang::CXXRecordDecl::LambdaNumbering numbering;
    numbering.ContextDecl = record->getLambdaContextDecl();
    numbering.IndexInContext = record->getLambdaIndexInContext();
    numbering.DeviceManglingNumber = record->getDeviceLambdaManglingNumber();
    numbering.HasKnownInternalLinkage = record->hasKnownLambdaInternalLinkage();
    numbering.ManglingNumber = ++lambdas_;
    record->setLambdaNumbering(numbering);
}

void MangledNames::AddedVisibleDecl(const clang::DeclContext* context, const clang::Decl* declaration) {
    const auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration);
    if (!named || !names_.contains(named->getDeclName()) || !context->isFileContext() || context->isExternCContext())
        return;
    const clang::Decl* inner = declaration;
    if (const auto* scheme = llvm::dyn_cast<clang::TemplateDecl>(declaration)) inner = scheme->getTemplatedDecl();
    if (!inner || inner->getPreviousDecl() || inner->hasAttr<clang::AbiTagAttr>()) return;
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(inner)) {
        if (inner == declaration && !function->isInlined() && function->getStorageClass() != clang::SC_Static) return;
    } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(inner)) {
        const bool internal = variable->getStorageClass() == clang::SC_Static ||
                              variable->getType().isConstQualified() || variable->hasAttr<clang::CUDADeviceAttr>() ||
                              variable->hasAttr<clang::CUDAConstantAttr>();
        if (!internal) return;
    } else if (!llvm::isa<clang::TagDecl>(inner)) {
        return;
    }
    llvm::StringRef tag = tag_;
    auto& context_of_all = inner->getASTContext();
    const_cast<clang::Decl*>(inner)->addAttr(clang::AbiTagAttr::CreateImplicit(context_of_all, &tag, 1));
}

}  // namespace cudash::session
