// Names of declarations: numbers that stay the same over redeclarations and instances, and symbols.
#include "clang/AST/DeclCXX.h"
#include "llvm/Support/raw_ostream.h"
#include "repl/session/clang/device_spaces.h"
#include "repl/session/clang/fact_reader.h"
#include "repl/session/clang/mangled_names.h"

namespace cudash::session {
Declaration::Id FactReader::id_of(const clang::Decl* declaration) {
    for (;;) {
        const clang::Decl* next = declaration;
        if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(next)) {
            if (const auto* pattern = function->getTemplateInstantiationPattern()) next = pattern;
            if (const auto* described = llvm::cast<clang::FunctionDecl>(next)->getDescribedFunctionTemplate())
                next = described;
        } else if (const auto* specialization = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(next)) {
            if (!specialization->isExplicitSpecialization()) next = specialization->getSpecializedTemplate();
        } else if (const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(next)) {
            if (const auto* pattern = record->getTemplateInstantiationPattern()) next = pattern;
            if (const auto* described = llvm::cast<clang::CXXRecordDecl>(next)->getDescribedClassTemplate())
                next = described;
        } else if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(next)) {
            if (const auto* pattern = variable->getTemplateInstantiationPattern()) next = pattern;
            if (const auto* described = llvm::cast<clang::VarDecl>(next)->getDescribedVarTemplate()) next = described;
        } else if (const auto* alias = llvm::dyn_cast<clang::TypeAliasDecl>(next)) {
            if (const auto* described = alias->getDescribedAliasTemplate()) next = described;
        } else if (const auto* enumerator = llvm::dyn_cast<clang::EnumConstantDecl>(next)) {
            next = llvm::cast<clang::EnumDecl>(enumerator->getDeclContext());
        }
        next = next->getCanonicalDecl();
        if (next == declaration) break;
        declaration = next;
    }
    const auto [entry, is_new] = ids_.try_emplace(declaration, next_id_);
    if (is_new) ++next_id_;
    return entry->second;
}

std::string FactReader::mangled(const clang::NamedDecl* declaration, bool stub) {
    std::string name;
    llvm::raw_string_ostream out(name);
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    if (!mangler_->shouldMangleDeclName(declaration)) {
        if (stub) out << "__device_stub__";
        out << declaration->getName();
    } else if (function && is_kernel(*function)) {
        mangler_->mangleName(
            clang::GlobalDecl(function, stub ? clang::KernelReferenceKind::Stub : clang::KernelReferenceKind::Kernel),
            out);
    } else if (const auto* constructor = llvm::dyn_cast<clang::CXXConstructorDecl>(declaration)) {
        mangler_->mangleName(clang::GlobalDecl(constructor, clang::Ctor_Complete), out);
    } else if (const auto* destructor = llvm::dyn_cast<clang::CXXDestructorDecl>(declaration)) {
        mangler_->mangleName(clang::GlobalDecl(destructor, clang::Dtor_Complete), out);
    } else {
        mangler_->mangleName(clang::GlobalDecl(function ? clang::GlobalDecl(function)
                                                        : clang::GlobalDecl(llvm::cast<clang::VarDecl>(declaration))),
                             out);
    }
    return name;
}

std::string FactReader::device_name(const clang::NamedDecl* declaration) {
    return without_tags(mangled(declaration));
}

}  // namespace cudash::session
