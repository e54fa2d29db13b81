#include "repl/session/clang/fact_references.h"

#include "repl/session/clang/device_spaces.h"
#include "repl/session/clang/stand_ins.h"

namespace cudash::session {
namespace {

bool is_std_member(const clang::Decl* declaration) {
    for (const auto* context = declaration->getDeclContext(); context; context = context->getParent())
        if (context->isStdNamespace()) return true;
    return false;
}

}  // namespace

bool FactReader::ReferenceVisitor::traverse(clang::Decl* declaration) {
    if (!declaration || declaration->isImplicit()) return true;
    const clang::FunctionDecl* function = nullptr;
    if (declaration->getDeclContext()->isRecord() && !in_member_) {
        if (const auto* scheme = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration))
            function = scheme->getTemplatedDecl();
        else
            function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    }
    // A defaulted function has nothing that device code lacks, and other classes' defaulted ones need it.
    if (!function || is_device(*function) || function == root_ || function->isExplicitlyDefaulted())
        return TreeVisitor::traverse(declaration);

    Declaration::Member member;
    member.id = reader_.id_of(declaration);
    member.name = function->getNameAsString();
    member.range = reader_.range_of(begin_of(*declaration), declaration->getEndLoc());
    if (function->doesThisDeclarationHaveABody() && function->getBody())
        member.body = reader_.range_of(function->getBody()->getBeginLoc(), function->getBody()->getEndLoc());
    if (const auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(function)) member.is_virtual = method->isVirtual();
    const auto outer_uses = uses_;
    const auto outer_words = words_;
    uses_ = &member.uses;
    words_ = &member.words;
    in_member_ = true;
    TreeVisitor::traverse(declaration);
    in_member_ = false;
    uses_ = outer_uses;
    words_ = outer_words;
    declaration_.members.push_back(std::move(member));
    return true;
}

void FactReader::ReferenceVisitor::add_arguments(llvm::ArrayRef<clang::TemplateArgument> arguments) {
    for (const clang::TemplateArgument& argument : arguments)
        if (argument.getKind() == clang::TemplateArgument::Declaration)
            add(argument.getAsDecl());
        else if (argument.getKind() == clang::TemplateArgument::Template)
            add(argument.getAsTemplate().getAsTemplateDecl());
        else
            traverse(argument);
}

bool FactReader::ReferenceVisitor::visit(clang::Stmt& statement) {
    if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&statement)) {
        add(reference->getDecl());
    } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(&statement)) {
        add(member->getMemberDecl());
    } else if (const auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&statement)) {
        add(made->getConstructor());
    } else if (const auto* overloaded = llvm::dyn_cast<clang::OverloadExpr>(&statement)) {
        for (const auto* candidate : overloaded->decls()) add(candidate);
        add_word(overloaded->getName());
    } else if (const auto* of_object = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(&statement)) {
        add_word(of_object->getMember());
    } else if (const auto* of_scope = llvm::dyn_cast<clang::DependentScopeDeclRefExpr>(&statement)) {
        add_word(of_scope->getDeclName());
    } else if (llvm::isa<clang::CUDAKernelCallExpr>(statement)) {
        add_device_runtime();
    }
    return true;
}

bool FactReader::ReferenceVisitor::visit(clang::Type& type) {
    const auto* tag = llvm::dyn_cast<clang::TagType>(&type);
    if (!tag) return true;
    add(tag->getDecl());
    if (const auto* instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(tag->getDecl())) {
        add(instance->getSpecializedTemplate());
        add_arguments(instance->getTemplateArgs().asArray());
    }
    return true;
}

bool FactReader::ReferenceVisitor::visit(clang::TypeLoc location) {
    if (const auto alias = location.getAs<clang::TypedefTypeLoc>()) {
        add(alias.getTypedefNameDecl());
    } else if (const auto injected = location.getAs<clang::InjectedClassNameTypeLoc>()) {
        add(injected.getDecl());
    } else if (const auto instance = location.getAs<clang::TemplateSpecializationTypeLoc>()) {
        add(instance.getTypePtr()->getTemplateName().getAsTemplateDecl());
    } else if (const auto deduced = location.getAs<clang::DeducedTemplateSpecializationTypeLoc>()) {
        add(deduced.getTypePtr()->getTemplateName().getAsTemplateDecl());
    }
    return true;
}

bool FactReader::ReferenceVisitor::visit(clang::ConceptReference& reference) {
    add(reference.getNamedConcept());
    return true;
}

void FactReader::ReferenceVisitor::add_word(const clang::DeclarationName& name) {
    if (name.isIdentifier()) words_->push_back(name.getAsString());
}

void FactReader::ReferenceVisitor::add(const clang::Decl* declaration) {
    if (!declaration) return;
    if (const auto* shadow = llvm::dyn_cast<clang::UsingShadowDecl>(declaration)) declaration = shadow->getTargetDecl();
    const auto location = declaration->getLocation();
    if (location.isInvalid()) return;
    if (reader_.is_system(location)) {
        if (declaration->isInStdNamespace() || is_std_member(declaration)) add_stand_in(location);
        if (llvm::isa<clang::FunctionDecl>(declaration) && is_of_runtime(location)) add_device_runtime();
        return;
    }
    if (llvm::isa<clang::ParmVarDecl, clang::TemplateTypeParmDecl, clang::NonTypeTemplateParmDecl>(declaration)) return;
    uses_->push_back(reader_.id_of(declaration));
    // A member keeps its class; a class's nested things keep the class.
    const clang::DeclContext* context = declaration->getDeclContext()->getRedeclContext();
    const clang::Decl* owner = nullptr;
    while (context && !context->isFileContext()) {
        owner = clang::Decl::castFromDeclContext(context);
        context = context->getParent()->getRedeclContext();
    }
    if (owner) uses_->push_back(reader_.id_of(owner));
}

bool FactReader::ReferenceVisitor::is_of_runtime(clang::SourceLocation location) const {
    const llvm::StringRef file = reader_.sources_.getFilename(reader_.sources_.getExpansionLoc(location));
    return file.ends_with("/cuda_runtime_api.h") || file.ends_with("/cuda_device_runtime_api.h");
}

void FactReader::ReferenceVisitor::add_device_runtime() {
    declaration_.std_headers.emplace_back(device_runtime_header);
}

void FactReader::ReferenceVisitor::add_stand_in(clang::SourceLocation location) {
    const llvm::StringRef path = reader_.sources_.getFilename(reader_.sources_.getExpansionLoc(location));
    if (const auto header = device_stand_in(std::string_view(path)); !header.empty())
        declaration_.std_headers.emplace_back(header);
}

}  // namespace cudash::session
