#include "repl/session/clang/integer_division.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "repl/session/clang/tree_visitor.h"
#include "repl/session/clang/written_code.h"

namespace cudash::session {
namespace {

class DivisionVisitor : public TreeVisitor {
public:
    DivisionVisitor(clang::ASTContext& context, clang::DiagnosticsEngine& diagnostics)
        : context_(context), diagnostics_(diagnostics) {}

protected:
    bool visit(clang::Stmt& statement) override {
        if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement))
            look_at_ceil(*call);
        else if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&statement))
            look_at_conversion(*cast);
        return true;
    }

private:
    void look_at_ceil(const clang::CallExpr& call) {
        const auto* function = call.getDirectCallee();
        if (!function || !function->getIdentifier() || call.getNumArgs() != 1) return;
        if (function->getName() != "ceil" && function->getName() != "ceilf") return;
        const auto* division = integer_division(*call.getArg(0)->IgnoreParenCasts());
        if (!division || leaves_no_rest(*division)) return;
        const unsigned id = diagnostics_.getCustomDiagID(
            clang::DiagnosticsEngine::Warning, "'%0' is rounded down before %1 could round it up: both are integers");
        diagnostics_.Report(division->getExprLoc(), id) << text_of(*division, context_) << function->getName();
    }

    void look_at_conversion(const clang::ImplicitCastExpr& cast) {
        if (cast.getCastKind() != clang::CK_IntegralToFloating) return;
        const auto* division = integer_division(*cast.getSubExpr()->IgnoreParens());
        const auto* dividend = division ? literal(*division->getLHS()) : nullptr;
        if (!dividend || dividend->getValue().isZero()) return;
        if (const auto* divisor = literal(*division->getRHS())) {
            if (dividend->getValue().getLimitedValue() >= divisor->getValue().getLimitedValue()) return;
        } else if (dividend->getValue() != 1 || division->getRHS()->isEvaluatable(context_)) {
            return;
        }
        const unsigned id = diagnostics_.getCustomDiagID(clang::DiagnosticsEngine::Warning,
                                                         "'%0' is 0%1: both are integers, and so is their quotient");
        diagnostics_.Report(division->getExprLoc(), id)
            << text_of(*division, context_) << (literal(*division->getRHS()) ? "" : " unless the divisor is 1");
    }

    static const clang::BinaryOperator* integer_division(const clang::Expr& expression) {
        const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&expression);
        return operation && operation->getOpcode() == clang::BO_Div && operation->getType()->isIntegerType() ? operation
                                                                                                             : nullptr;
    }
    static const clang::IntegerLiteral* literal(const clang::Expr& expression) {
        return llvm::dyn_cast<clang::IntegerLiteral>(expression.IgnoreParenImpCasts());
    }
    bool leaves_no_rest(const clang::BinaryOperator& division) const {
        if (division.isValueDependent()) return true;
        clang::Expr::EvalResult dividend, divisor;
        if (!division.getLHS()->EvaluateAsInt(dividend, context_) ||
            !division.getRHS()->EvaluateAsInt(divisor, context_))
            return false;
        const llvm::APSInt& by = divisor.Val.getInt();
        return by.isZero() || (dividend.Val.getInt() % by).isZero();
    }

    clang::ASTContext& context_;
    clang::DiagnosticsEngine& diagnostics_;
};

}  // namespace

void report_integer_divisions(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics) {
    DivisionVisitor visitor(top_level.getASTContext(), diagnostics);
    for_each_written_statement(top_level, [&](clang::Stmt* statement) { visitor.traverse(statement); });
}

}  // namespace cudash::session
