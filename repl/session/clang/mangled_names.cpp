#include "repl/session/clang/mangled_names.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"

namespace cudash::session {
namespace {

/// Host code of other files can't mean it. The shadow of a device variable is defined in each file that defines one.
bool is_of_one_file(const clang::Decl& declaration) {
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration))
        return function->getStorageClass() == clang::SC_Static || function->isInAnonymousNamespace();
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
    if (!variable || variable->hasExternalStorage()) return false;
    return variable->getStorageClass() == clang::SC_Static || variable->isInAnonymousNamespace() ||
           variable->getType().isConstQualified() || variable->hasAttr<clang::CUDADeviceAttr>() ||
           variable->hasAttr<clang::CUDAConstantAttr>();
}

const clang::Decl* without_template(const clang::Decl* declaration) {
    const auto* scheme = llvm::dyn_cast<clang::TemplateDecl>(declaration);
    return scheme ? scheme->getTemplatedDecl() : declaration;
}

}  // namespace

void MangledNames::keep_apart(const clang::DeclContext& file) {
    for (const clang::Decl* declaration : file.noload_decls()) {
        if (const auto* inner = llvm::dyn_cast<clang::DeclContext>(declaration);
            inner && (inner->isNamespace() || llvm::isa<clang::LinkageSpecDecl>(declaration)))
            keep_apart(*inner);
        const auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration);
        const clang::Decl* inner = without_template(declaration);
        if (named && named->getDeclName() && inner && is_of_one_file(*inner))
            of_other_files_.insert(named->getDeclName());
    }
}

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
    abi_numbers_.emplace(lambdas_, record->getLambdaManglingNumber());
    record->setLambdaNumbering(numbering);
}

void MangledNames::AddedVisibleDecl(const clang::DeclContext* context, const clang::Decl* declaration) {
    const auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration);
    if (!named || !context->isFileContext() || context->isExternCContext()) return;
    const clang::Decl* inner = without_template(declaration);
    if (!inner || inner->getPreviousDecl() || inner->hasAttr<clang::AbiTagAttr>()) return;
    const bool is_again = names_.contains(named->getDeclName());
    if (!is_again && !(of_other_files_.contains(named->getDeclName()) && is_of_one_file(*inner))) return;
    if (!is_again) {
        // Tagged below.
    } else if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(inner)) {
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

std::string without_tags(std::string name) {
    for (std::size_t at = 0; (at = name.find(redefinition_tag, at)) != std::string::npos;) {
        std::size_t begin = at;
        while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1]))) --begin;
        std::size_t end = at + redefinition_tag.size();
        while (end < name.size() && std::isdigit(static_cast<unsigned char>(name[end]))) ++end;
        // The length says where the number ends: what follows may begin with a digit of its own.
        const std::size_t length = begin < at ? std::stoul(name.substr(begin, at - begin)) : 0;
        if (length >= redefinition_tag.size() && begin > 0 && name[begin - 1] == 'B') {
            name.erase(begin - 1, at - (begin - 1) + length);
            at = begin - 1;
        } else {
            at = end;
        }
    }
    return name;
}

}  // namespace cudash::session
