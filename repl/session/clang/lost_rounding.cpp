#include "repl/session/clang/lost_rounding.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/FoldingSet.h"
#include "repl/session/clang/tree_visitor.h"
#include "repl/session/clang/written_code.h"

namespace cudash::session {
namespace {

const clang::BinaryOperator* as_operation(const clang::Expr* expression, clang::BinaryOperatorKind kind) {
    const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression->IgnoreParenImpCasts());
    return operation && operation->getOpcode() == kind ? operation : nullptr;
}

class RoundingVisitor : public TreeVisitor {
public:
    RoundingVisitor(clang::ASTContext& context, clang::DiagnosticsEngine& diagnostics)
        : context_(context), diagnostics_(diagnostics) {}

protected:
    bool visit(clang::Stmt& statement) override {
        const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(&statement);
        if (!sum || sum->getOpcode() != clang::BO_Add) return true;
        for (const clang::Expr* side : {sum->getLHS(), sum->getRHS()}) {
            const auto* division = as_operation(side, clang::BO_Div);
            if (!division || !division->getType()->isIntegerType()) continue;
            const auto* less = as_operation(division->getLHS(), clang::BO_Sub);
            if (!less || !is_one(*less->getRHS()) || !is_same(*less->getLHS(), *division->getRHS())) continue;
            const unsigned id = diagnostics_.getCustomDiagID(
                clang::DiagnosticsEngine::Warning, "'%0' is 0 in integers: the sum is not divided, and not rounded up");
            diagnostics_.Report(division->getExprLoc(), id) << text_of(*division, context_);
        }
        return true;
    }

private:
    bool is_one(const clang::Expr& expression) const {
        const auto* literal = llvm::dyn_cast<clang::IntegerLiteral>(expression.IgnoreParenImpCasts());
        return literal && literal->getValue() == 1;
    }
    bool is_same(const clang::Expr& a, const clang::Expr& b) const {
        llvm::FoldingSetNodeID profile_a, profile_b;
        a.IgnoreParenImpCasts()->Profile(profile_a, context_, true);
        b.IgnoreParenImpCasts()->Profile(profile_b, context_, true);
        return profile_a == profile_b;
    }

    clang::ASTContext& context_;
    clang::DiagnosticsEngine& diagnostics_;
};

}  // namespace

void report_lost_rounding(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics) {
    RoundingVisitor visitor(top_level.getASTContext(), diagnostics);
    for_each_written_statement(top_level, [&](clang::Stmt* statement) { visitor.traverse(statement); });
}

}  // namespace cudash::session
