#include "repl/session/clang/endless_loop.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/LambdaCapture.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "repl/session/clang/written_code.h"

namespace cudash::session {
namespace {

/// How a part of a loop uses variables, and whether it may leave the loop.
class PartVisitor : public clang::RecursiveASTVisitor<PartVisitor> {
public:
    bool VisitDeclRefExpr(clang::DeclRefExpr* use) {
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl())) ++uses_[variable];
        return true;
    }
    bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
        if (cast->getCastKind() != clang::CK_LValueToRValue) return true;
        const auto* use = llvm::dyn_cast<clang::DeclRefExpr>(cast->getSubExpr()->IgnoreParens());
        if (use) ++reads_[llvm::dyn_cast<clang::VarDecl>(use->getDecl())];
        return true;
    }
    bool VisitBinaryOperator(clang::BinaryOperator* operation) {
        if (operation->isAssignmentOp()) note_write(*operation->getLHS());
        return true;
    }
    bool VisitUnaryOperator(clang::UnaryOperator* operation) {
        if (operation->isIncrementDecrementOp()) note_write(*operation->getSubExpr());
        return true;
    }
    bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
        for (const clang::LambdaCapture& capture : lambda->captures())
            if (capture.capturesVariable() && capture.getCaptureKind() == clang::LCK_ByRef)
                ++uses_[llvm::dyn_cast<clang::VarDecl>(capture.getCapturedVar())];
        return true;
    }
    bool VisitCallExpr(clang::CallExpr* call) {
        const auto* function = call->getDirectCallee();
        may_leave_ |= !function || function->isNoReturn();
        return true;
    }
    bool VisitBreakStmt(clang::BreakStmt*) { return leave(); }
    bool VisitReturnStmt(clang::ReturnStmt*) { return leave(); }
    bool VisitGotoStmt(clang::GotoStmt*) { return leave(); }
    bool VisitIndirectGotoStmt(clang::IndirectGotoStmt*) { return leave(); }
    bool VisitCXXThrowExpr(clang::CXXThrowExpr*) { return leave(); }
    bool VisitAsmStmt(clang::AsmStmt*) { return leave(); }
    bool VisitCoroutineSuspendExpr(clang::CoroutineSuspendExpr*) { return leave(); }

    bool may_leave() const { return may_leave_; }
    auto& uses() const { return uses_; }
    /// Only its value is asked for.
    bool only_reads(const clang::VarDecl* variable) const { return uses_.lookup(variable) == reads_.lookup(variable); }
    /// A pointer, a reference or a lambda may know it.
    bool is_shared(const clang::VarDecl* variable) const {
        return uses_.lookup(variable) != reads_.lookup(variable) + writes_.lookup(variable);
    }

private:
    bool leave() { return may_leave_ = true; }
    void note_write(const clang::Expr& target) {
        if (const auto* use = llvm::dyn_cast<clang::DeclRefExpr>(target.IgnoreParens()))
            ++writes_[llvm::dyn_cast<clang::VarDecl>(use->getDecl())];
    }

    bool may_leave_ = false;
    llvm::MapVector<const clang::VarDecl*, unsigned> uses_;
    llvm::DenseMap<const clang::VarDecl*, unsigned> reads_, writes_;
};

class LoopVisitor : public clang::RecursiveASTVisitor<LoopVisitor> {
public:
    /// `all` has seen the whole statement or function.
    LoopVisitor(clang::ASTContext& context, clang::DiagnosticsEngine& diagnostics, const PartVisitor& all,
                bool runs_at_once)
        : context_(context),
          diagnostics_(diagnostics),
          all_(all),
          level_(runs_at_once ? clang::DiagnosticsEngine::Error : clang::DiagnosticsEngine::Warning) {}

    bool VisitForStmt(clang::ForStmt* loop) {
        if (!loop->getConditionVariable()) look_at(loop->getCond(), {loop->getInc(), loop->getBody()});
        return true;
    }
    bool VisitWhileStmt(clang::WhileStmt* loop) {
        if (!loop->getConditionVariable()) look_at(loop->getCond(), {loop->getBody()});
        return true;
    }
    bool VisitDoStmt(clang::DoStmt* loop) {
        look_at(loop->getCond(), {loop->getBody()});
        return true;
    }

private:
    void look_at(clang::Expr* condition, llvm::SmallVector<clang::Stmt*, 2> rest) {
        if (!condition || condition->isValueDependent() || condition->containsErrors()) return;
        PartVisitor parts;
        for (clang::Stmt* part : rest)
            if (part) parts.TraverseStmt(part);
        if (parts.may_leave()) return;
        if (report_assignment(*condition) || condition->HasSideEffects(context_)) return;
        PartVisitor names;
        names.TraverseStmt(condition);
        if (names.may_leave() || names.uses().empty()) return;
        parts.TraverseStmt(condition);
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
        all.TraverseStmt(statement);
        LoopVisitor(top_level.getASTContext(), diagnostics, all, llvm::isa<clang::TopLevelStmtDecl>(top_level))
            .TraverseStmt(statement);
    });
}

}  // namespace cudash::session
