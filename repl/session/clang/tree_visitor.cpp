#include "repl/session/clang/tree_visitor.h"

#include "clang/AST/RecursiveASTVisitor.h"

namespace cudash::session {

class TreeVisitor::Walker : public clang::RecursiveASTVisitor<Walker> {
    using Base = clang::RecursiveASTVisitor<Walker>;

public:
    explicit Walker(TreeVisitor& visitor) : visitor_(visitor) {}

    bool shouldVisitImplicitCode() const { return visitor_.options_.implicit_code; }
    bool shouldVisitTemplateInstantiations() const { return visitor_.options_.template_instantiations; }

    bool dataTraverseStmtPre(clang::Stmt* statement) { return visitor_.enter(*statement); }
    bool TraverseDecl(clang::Decl* declaration) { return visitor_.traverse(declaration); }
    bool TraverseTypeLoc(clang::TypeLoc location) {
        return location.isNull() || !visitor_.enter(location) || Base::TraverseTypeLoc(location);
    }
    bool TraverseTemplateArgumentLoc(const clang::TemplateArgumentLoc& argument) {
        return !visitor_.enter(argument) || Base::TraverseTemplateArgumentLoc(argument);
    }

    bool VisitStmt(clang::Stmt* statement) { return visitor_.visit(*statement); }
    bool VisitDecl(clang::Decl* declaration) { return visitor_.visit(*declaration); }
    bool VisitTypeLoc(clang::TypeLoc location) { return visitor_.visit(location); }
    bool VisitType(clang::Type* type) { return visitor_.visit(*type); }
    bool VisitConceptReference(clang::ConceptReference* reference) { return visitor_.visit(*reference); }

    bool traverse_below(clang::Decl* declaration) { return Base::TraverseDecl(declaration); }

private:
    TreeVisitor& visitor_;
};

bool TreeVisitor::traverse(clang::Stmt* statement) {
    return Walker(*this).TraverseStmt(statement);
}

bool TreeVisitor::traverse(clang::Decl* declaration) {
    return Walker(*this).traverse_below(declaration);
}

bool TreeVisitor::traverse(const clang::TemplateArgument& argument) {
    return Walker(*this).TraverseTemplateArgument(argument);
}

}  // namespace cudash::session
