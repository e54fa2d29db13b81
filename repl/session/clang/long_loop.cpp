#include "repl/session/clang/long_loop.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

namespace cudash::session {
namespace {

constexpr std::uint64_t many = 1ull << 40;
/// Of nodes of expressions: what unoptimized code evaluates of them while clang would optimize a small cell.
constexpr std::uint64_t little_work = 1ull << 26;
constexpr std::uint64_t work_of_call = 16;

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
    return a != 0 && b > many / a ? many : a * b;
}

/// What an integer is, where that can be guessed: a variable is taken to have the value that it began with.
std::optional<std::uint64_t> guess(const clang::Expr* expression, const clang::ASTContext& context) {
    expression = expression->IgnoreParenImpCasts();
    if (expression->isValueDependent() || !expression->getType()->isIntegerType()) return std::nullopt;
    if (clang::Expr::EvalResult value; expression->EvaluateAsInt(value, context)) {
        const llvm::APSInt number = value.Val.getInt();
        return number.isNegative() || number.getActiveBits() > 40 ? many : number.getZExtValue();
    }
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression)) {
        const auto* variable = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
        const clang::Expr* first = variable ? variable->getAnyInitializer() : nullptr;
        if (clang::Expr::EvalResult value; first && !first->isValueDependent() &&
                                           first->EvaluateAsInt(value, context) && !value.Val.getInt().isNegative())
            return value.Val.getInt().getLimitedValue(many);
        return std::nullopt;
    }
    const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(expression);
    if (!operation || (operation->getOpcode() != clang::BO_Mul && operation->getOpcode() != clang::BO_Div))
        return std::nullopt;
    const auto left = guess(operation->getLHS(), context), right = guess(operation->getRHS(), context);
    if (!left || !right) return std::nullopt;
    if (operation->getOpcode() == clang::BO_Mul) return product(*left, *right);
    return *right ? *left / *right : many;
}

const clang::ValueDecl* named_by(const clang::Expr* expression) {
    const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
    return name ? name->getDecl() : nullptr;
}

/// The variable that the loop counts up; nullptr where it counts down, or in another way.
const clang::ValueDecl* counted_up(const clang::Expr& increment) {
    const clang::Expr* step = increment.IgnoreParenImpCasts();
    if (const auto* one = llvm::dyn_cast<clang::UnaryOperator>(step); one && one->isIncrementOp())
        return named_by(one->getSubExpr());
    const auto* more = llvm::dyn_cast<clang::BinaryOperator>(step);
    return more && more->getOpcode() == clang::BO_AddAssign ? named_by(more->getLHS()) : nullptr;
}

/// 16 of `i < 16` or `16 > i`.
std::uint64_t rounds_of(const clang::ForStmt& loop, const clang::ASTContext& context) {
    const auto* compare = llvm::dyn_cast_or_null<clang::BinaryOperator>(loop.getCond());
    const clang::ValueDecl* counter = counted_up(*loop.getInc());
    if (!compare || !compare->isComparisonOp() || !counter) return many;
    const bool is_left = named_by(compare->getLHS()) == counter;
    if (!is_left && named_by(compare->getRHS()) != counter) return many;
    const auto bound = guess(is_left ? compare->getRHS() : compare->getLHS(), context);
    return bound ? std::min(many, *bound + 1) : many;
}

std::uint64_t work_of(const clang::Stmt* statement, const clang::ASTContext& context) {
    if (!statement) return 0;
    if (llvm::isa<clang::CXXForRangeStmt>(statement)) return many;
    std::uint64_t work = llvm::isa<clang::CallExpr, clang::CXXConstructExpr>(statement) ? work_of_call : 1;
    for (const clang::Stmt* part : statement->children()) work = std::min(many, work + work_of(part, context));
    const auto* loop = llvm::dyn_cast<clang::ForStmt>(statement);
    return loop && loop->getInc() ? product(work, rounds_of(*loop, context)) : work;
}

/// Finds the first and stops.
class LongLoopVisitor : public clang::RecursiveASTVisitor<LongLoopVisitor> {
public:
    explicit LongLoopVisitor(const clang::ASTContext& context) : context_(context) {}

    /// Kernels run elsewhere.
    bool TraverseDecl(clang::Decl* declaration) {
        const bool is_for_device =
            declaration &&
            (declaration->hasAttr<clang::CUDAGlobalAttr>() ||
             (declaration->hasAttr<clang::CUDADeviceAttr>() && !declaration->hasAttr<clang::CUDAHostAttr>()));
        return is_for_device || RecursiveASTVisitor::TraverseDecl(declaration);
    }
    bool TraverseForStmt(clang::ForStmt* loop) {
        if (!loop->getInc()) return RecursiveASTVisitor::TraverseForStmt(loop);
        return work_of(loop, context_) < little_work;
    }
    bool VisitCXXForRangeStmt(clang::CXXForRangeStmt*) { return false; }

private:
    const clang::ASTContext& context_;
};

}  // namespace

bool has_long_loop(const clang::TranslationUnitDecl& cell) {
    const clang::ASTContext& context = cell.getASTContext();
    const auto& sources = context.getSourceManager();
    LongLoopVisitor visitor(context);
    for (clang::Decl* declaration : cell.noload_decls())
        if (!sources.isInSystemHeader(sources.getExpansionLoc(declaration->getLocation())) &&
            !visitor.TraverseDecl(declaration))
            return true;
    return false;
}

}  // namespace cudash::session
