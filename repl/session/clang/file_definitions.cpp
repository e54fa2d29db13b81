#include "repl/session/clang/file_definitions.h"

#include <fmt/format.h>

#include "clang/AST/Attr.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/raw_ostream.h"

namespace cudash::session {
namespace {

/// "reverse(int *, int)", or a variable's name.
std::string readable(const clang::NamedDecl& declaration) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    declaration.printQualifiedName(stream);
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration)) {
        stream << '(';
        for (const auto* parameter : function->parameters()) {
            if (parameter != function->getParamDecl(0)) stream << ", ";
            parameter->getType().print(stream, declaration.getASTContext().getPrintingPolicy());
        }
        stream << ')';
    }
    return text;
}

/// Each file has device code of its own, and may name it as it likes; kernels have a function of the host's.
bool is_of_device(const clang::Decl& declaration) {
    if (declaration.hasAttr<clang::CUDAGlobalAttr>() || declaration.hasAttr<clang::CUDAHostAttr>()) return false;
    return declaration.hasAttr<clang::CUDADeviceAttr>() || declaration.hasAttr<clang::CUDAConstantAttr>() ||
           declaration.hasAttr<clang::CUDASharedAttr>() || declaration.hasAttr<clang::HIPManagedAttr>();
}

/// What a linker wants to be there once.
bool is_definition(const clang::NamedDecl& declaration) {
    if (declaration.isTemplated() || declaration.isInvalidDecl() || is_of_device(declaration) ||
        declaration.getFormalLinkage() != clang::Linkage::External || declaration.hasAttr<clang::WeakAttr>())
        return false;
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration))
        return function->isThisDeclarationADefinition() && !function->isInlined() && !function->isDefaulted() &&
               !function->isDeleted() &&
               function->getTemplateSpecializationKind() != clang::TSK_ImplicitInstantiation &&
               function->getTemplateSpecializationKind() != clang::TSK_ExplicitInstantiationDefinition;
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration);
    return variable && variable->isFileVarDecl() && !variable->isInline() &&
           variable->isThisDeclarationADefinition() == clang::VarDecl::Definition &&
           variable->getTemplateSpecializationKind() == clang::TSK_Undeclared;
}

}  // namespace

std::vector<Diagnostic> FileDefinitions::add(const clang::TranslationUnitDecl& file, const std::string& name) {
    std::vector<Diagnostic> errors;
    for (const auto* declaration : file.decls()) add(*declaration, name, errors);
    return errors;
}

void FileDefinitions::add(const clang::Decl& declaration, const std::string& file, std::vector<Diagnostic>& errors) {
    if (facts_.is_system(declaration.getLocation())) return;
    if (llvm::isa<clang::NamespaceDecl, clang::LinkageSpecDecl>(declaration)) {
        for (const auto* inner : llvm::cast<clang::DeclContext>(&declaration)->decls()) add(*inner, file, errors);
        return;
    }
    const auto* named = llvm::dyn_cast<clang::NamedDecl>(&declaration);
    if (!named || !is_definition(*named)) return;
    Definition here{file, {}};
    const auto place = sources_.getPresumedLoc(sources_.getExpansionLoc(named->getLocation()));
    if (place.isValid()) here.where = {place.getFilename(), place.getLine(), place.getColumn()};
    const auto [known, is_new] = definitions_.try_emplace(facts_.mangled(named), here);
    if (is_new) return;
    // A file that lacked something is read again.
    if (known->second.file == file) {
        known->second = std::move(here);
        return;
    }
    const SourceSpot& earlier = known->second.where;
    const bool in_header = earlier.file == here.where.file && earlier.line == here.where.line;
    Diagnostic twice = error("multiple-definition", fmt::format("multiple definition of '{}'", readable(*named)),
                             in_header ? "several files include it: write inline before it"
                                       : "a program has one definition of each function and variable: leave only a "
                                         "declaration in one of the files, or write static before both");
    if (!in_header) twice.notes.push_back({"defined here, too", earlier});
    twice.where = std::move(here.where);
    errors.push_back(std::move(twice));
}

}  // namespace cudash::session
