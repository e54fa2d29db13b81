// What a person wrote of a cell, for passes that look for slips in it.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

namespace cudash::session {

/// As it was written, to be quoted.
inline llvm::StringRef text_of(const clang::Expr& expression, const clang::ASTContext& context) {
    return clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(expression.getSourceRange()),
                                       context.getSourceManager(), context.getLangOpts());
}

/// Hands each statement at the top, function body and initializer of a declaration to `visit`; nothing of headers of
/// the system, and no instantiations.
template <class Visit>
void for_each_written_statement(clang::Decl& top_level, Visit visit) {
    const auto& sources = top_level.getASTContext().getSourceManager();
    if (sources.isInSystemHeader(sources.getExpansionLoc(top_level.getLocation()))) return;
    if (auto* statement = llvm::dyn_cast<clang::TopLevelStmtDecl>(&top_level)) {
        if (statement->getStmt()) visit(statement->getStmt());
    } else if (auto* function = llvm::dyn_cast<clang::FunctionDecl>(&top_level)) {
        if (!function->isTemplateInstantiation() && function->doesThisDeclarationHaveABody())
            visit(function->getBody());
    } else if (auto* variable = llvm::dyn_cast<clang::VarDecl>(&top_level); variable && variable->getInit()) {
        visit(variable->getInit());
    }
}

}  // namespace cudash::session
