// A walk through the syntax tree. Only here is clang's RecursiveASTVisitor instantiated: that costs the compiler
// seconds each time (clang 20 has DynamicRecursiveASTVisitor for the same reason).
#pragma once

#include "clang/AST/ASTConcept.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "clang/AST/TemplateBase.h"
#include "clang/AST/TypeLoc.h"

namespace cudash::session {

class TreeVisitor {
public:
    struct Options {
        bool implicit_code = false;            ///< what clang adds: calls of constructors, conversions' operands
        bool template_instantiations = false;  ///< the instances, beside the template itself
    };

    TreeVisitor() = default;
    explicit TreeVisitor(Options options) : options_(options) {}
    virtual ~TreeVisitor() = default;
    TreeVisitor(const TreeVisitor&) = delete;
    TreeVisitor& operator=(const TreeVisitor&) = delete;

    /// False if a visit ended the walk. Null is allowed.
    bool traverse(clang::Stmt* statement);
    /// What an override passes over, or wraps, is all below a declaration.
    virtual bool traverse(clang::Decl* declaration);
    bool traverse(const clang::TemplateArgument& argument);

protected:
    /// False passes over the node and what is below it.
    virtual bool enter(clang::Stmt&) { return true; }
    virtual bool enter(clang::TypeLoc) { return true; }
    virtual bool enter(const clang::TemplateArgumentLoc&) { return true; }
    /// Each node before those below it. False ends the walk.
    virtual bool visit(clang::Stmt&) { return true; }
    virtual bool visit(clang::Decl&) { return true; }
    virtual bool visit(clang::TypeLoc) { return true; }
    virtual bool visit(clang::Type&) { return true; }
    virtual bool visit(clang::ConceptReference&) { return true; }

private:
    class Walker;

    Options options_;
};

}  // namespace cudash::session
