// Collects what one declaration refers to, for a FactReader.
#pragma once

#include "repl/session/clang/fact_reader.h"
#include "repl/session/clang/tree_visitor.h"

namespace cudash::session {

/// Member functions without a device space collect into members of their own.
class FactReader::ReferenceVisitor : public TreeVisitor {
public:
    ReferenceVisitor(FactReader& reader, Declaration& declaration)
        : reader_(reader), declaration_(declaration), uses_(&declaration.uses), words_(&declaration.words) {}

    using TreeVisitor::traverse;
    bool traverse(clang::Decl* declaration) override;

    void set_root(const clang::Decl* root) { root_ = root; }

    /// Arguments of an instantiation: types of the session that the template itself does not name.
    void add_arguments(llvm::ArrayRef<clang::TemplateArgument> arguments);

protected:
    bool visit(clang::Stmt& statement) override;
    bool visit(clang::Type& type) override;
    bool visit(clang::TypeLoc location) override;
    bool visit(clang::ConceptReference& reference) override;

private:
    void add_word(const clang::DeclarationName& name);
    void add(const clang::Decl* declaration);
    bool is_of_runtime(clang::SourceLocation location) const;
    void add_device_runtime();
    void add_stand_in(clang::SourceLocation location);

    FactReader& reader_;
    Declaration& declaration_;
    std::vector<Declaration::Id>* uses_;
    std::vector<std::string>* words_;
    const clang::Decl* root_ = nullptr;
    bool in_member_ = false;
};

}  // namespace cudash::session
