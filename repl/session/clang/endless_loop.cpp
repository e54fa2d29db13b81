#include "repl/session/clang/endless_loop.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/LambdaCapture.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "repl/session/clang/tree_visitor.h"
#include "repl/session/clang/written_code.h"

namespace cudash::session {
namespace {

/// How a part of a loop uses variables, and whether it may leave the loop.
class PartVisitor : public TreeVisitor {
public:
    bool may_leave() const { return may_leave_; }
    auto& uses() const { return uses_; }
    /// Only its value is asked for.
    bool only_reads(const clang::VarDecl* variable) const { return uses_.lookup(variable) == reads_.lookup(variable); }
    /// A pointer, a reference or a lambda may know it.
    bool is_shared(const clang::VarDecl* variable) const {
        return uses_.lookup(variable) != reads_.lookup(variable) + writes_.lookup(variable);
    }

protected:
    bool visit(clang::Stmt& statement) override {
        if (const auto* use = llvm::dyn_cast<clang::DeclRefExpr>(&statement)) {
            if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl())) ++uses_[variable];
        } else if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&statement)) {
            if (cast->getCastKind() == clang::CK_LValueToRValue) note(reads_, *cast->getSubExpr());
        } else if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&statement)) {
            if (operation->isAssignmentOp()) note(writes_, *operation->getLHS());
        } else if (const auto* change = llvm::dyn_cast<clang::UnaryOperator>(&statement)) {
            if (change->isIncrementDecrementOp()) note(writes_, *change->getSubExpr());
        } else if (const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&statement)) {
            for (const clang::LambdaCapture& capture : lambda->captures())
                if (capture.capturesVariable() && capture.getCaptureKind() == clang::LCK_ByRef)
                    ++uses_[llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar())];
        } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement)) {
            const auto* function = call->getDirectCallee();
            may_leave_ |= !function || function->isNoReturn();
        } else if (llvm::isa<clang::BreakStmt, clang::ReturnStmt, clang::GotoStmt, clang::IndirectGotoStmt,
                             clang::CXXThrowExpr, clang::AsmStmt, clang::CoroutineSuspendExpr>(statement)) {
            may_leave_ = true;
        }
        return true;
    }

private:
    using Counts = llvm::DenseMap<const clang::VarDecl*, unsigned>;

    static void note(Counts& counts, const clang::Expr& place) {
        if (const auto* use = llvm::dyn_cast<clang::DeclRefExpr>(place.IgnoreParens()))
            ++counts[llvm::dyn_cast<clang::VarDecl>(use->getDecl())];
    }

    bool may_leave_ = false;
    llvm::MapVector<const clang::VarDecl*, unsigned> uses_;
    Counts reads_, writes_;
};

class LoopVisitor : public TreeVisitor {
public:
    /// `all` has seen the whole statement or function.
    LoopVisitor(clang::ASTContext& context, clang::DiagnosticsEngine& diagnostics, const PartVisitor& all,
                bool runs_at_once)
        : context_(context),
          diagnostics_(diagnostics),
          all_(all),
          level_(runs_at_once ? clang::DiagnosticsEngine::Error : clang::DiagnosticsEngine::Warning) {}

protected:
    bool visit(clang::Stmt& statement) override {
        if (auto* counted = llvm::dyn_cast<clang::ForStmt>(&statement)) {
            if (!counted->getConditionVariable()) look_at(counted->getCond(), {counted->getInc(), counted->getBody()});
        } else if (auto* repeated = llvm::dyn_cast<clang::WhileStmt>(&statement)) {
            if (!repeated->getConditionVariable()) look_at(repeated->getCond(), {repeated->getBody()});
        } else if (auto* once_more = llvm::dyn_cast<clang::DoStmt>(&statement)) {
            look_at(once_more->getCond(), {once_more->getBody()});
        }
        return true;
    }

private:
    void look_at(clang::Expr* condition, llvm::SmallVector<clang::Stmt*, 2> rest) {
        if (!condition || condition->isValueDependent() || condition->containsErrors()) return;
        PartVisitor parts;
        for (clang::Stmt* part : rest)
            if (part) parts.traverse(part);
        if (parts.may_leave()) return;
        if (report_assignment(*condition) || condition->HasSideEffects(context_)) return;
        PartVisitor names;
        names.traverse(condition);
        if (names.may_leave() || names.uses().empty()) return;
        parts.traverse(condition);
        const clang::VarDecl* first = nullptr;
        for (const auto& [variable, uses] : names.uses()) {
            const clang::QualType type = variable->getType();
            if (!variable->hasLocalStorage() || type->isReferenceType() || type.isVolatileQualified()) return;
            if (!type->isArithmeticType() || !parts.only_reads(variable) || all_.is_shared(variable)) return;
            if (!first && !type.isConstQualified()) first = variable;
        }
        // What is written in the condition must be all that it depends on.
        if (!first || !is_plain(*condition)) return;
        diagnostics_.Report(condition->getExprLoc(),
                            diagnostics_.getCustomDiagID(level_, "this loop can't end: nothing in it changes '%0'"))
            << first->getName();
    }

    /// `i = 4` for `i < 4` or `i == 4`.
    bool report_assignment(const clang::Expr& condition) {
        const auto* assignment = llvm::dyn_cast<clang::BinaryOperator>(condition.IgnoreParenImpCasts());
        if (!assignment || assignment->getOpcode() != clang::BO_Assign) return false;
        clang::Expr::EvalResult value;
        if (!assignment->getRHS()->EvaluateAsInt(value, context_) || value.Val.getInt().isZero()) return true;
        diagnostics_.Report(
            assignment->getOperatorLoc(),
            diagnostics_.getCustomDiagID(level_,
                                         "this loop can't end: its condition sets a variable to %0, which "
                                         "counts as true; a comparison is written with ==, < or !="))
            << llvm::toString(value.Val.getInt(), 10);
        return true;
    }

    /// Variables, numbers and arithmetic; no memory behind a pointer, and no call, whose answer may change.
    static bool is_plain(const clang::Stmt& part) {
        if (!llvm::isa<clang::DeclRefExpr, clang::IntegerLiteral, clang::FloatingLiteral, clang::CharacterLiteral,
                       clang::CXXBoolLiteralExpr, clang::BinaryOperator, clang::UnaryOperator, clang::ParenExpr,
                       clang::CastExpr, clang::ConstantExpr>(part))
            return false;
        if (const auto* operation = llvm::dyn_cast<clang::UnaryOperator>(&part);
            operation && operation->getOpcode() == clang::UO_Deref)
            return false;
        for (const clang::Stmt* child : part.children())
            if (child && !is_plain(*child)) return false;
        return true;
    }

    clang::ASTContext& context_;
    clang::DiagnosticsEngine& diagnostics_;
    const PartVisitor& all_;
    clang::DiagnosticsEngine::Level level_;
};

}  // namespace

void report_endless_loops(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics) {
    if (diagnostics.hasErrorOccurred()) return;
    for_each_written_statement(top_level, [&](clang::Stmt* statement) {
        PartVisitor all;
        all.traverse(statement);
        LoopVisitor(top_level.getASTContext(), diagnostics, all, llvm::isa<clang::TopLevelStmtDecl>(top_level))
            .traverse(statement);
    });
}

}  // namespace cudash::session
