#include "repl/session/clang/long_loop.h"

#include <algorithm>
#include <cstdint>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"

namespace cudash::session {
namespace {

constexpr std::uint64_t few_rounds = 1000;

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
        const std::uint64_t outer = rounds_;
        rounds_ = std::min(many, outer * bound(loop->getCond()));
        const bool go_on = rounds_ < few_rounds && RecursiveASTVisitor::TraverseForStmt(loop);
        rounds_ = outer;
        return go_on;
    }
    bool VisitCXXForRangeStmt(clang::CXXForRangeStmt*) { return false; }

private:
    static constexpr std::uint64_t many = 1ull << 32;

    /// 16 of `i < 16`.
    std::uint64_t bound(const clang::Expr* condition) const {
        const auto* compare = llvm::dyn_cast_or_null<clang::BinaryOperator>(condition);
        if (!compare || !compare->isComparisonOp()) return many;
        for (const clang::Expr* side : {compare->getRHS(), compare->getLHS()}) {
            clang::Expr::EvalResult value;
            if (side->isValueDependent() || !side->getType()->isIntegerType() || !side->EvaluateAsInt(value, context_))
                continue;
            const llvm::APSInt number = value.Val.getInt();
            return number.isNegative() || number.getActiveBits() > 32 ? many : number.getZExtValue() + 1;
        }
        return many;
    }

    const clang::ASTContext& context_;
    std::uint64_t rounds_ = 1;
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
