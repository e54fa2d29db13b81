#include "repl/session/clang/pointer_size.h"

#include "clang/AST/Expr.h"
#include "repl/session/clang/tree_visitor.h"
#include "repl/session/clang/written_code.h"

namespace cudash::session {
namespace {

class SizeVisitor : public TreeVisitor {
public:
    explicit SizeVisitor(clang::DiagnosticsEngine& diagnostics) : diagnostics_(diagnostics) {}

protected:
    bool visit(clang::Stmt& statement) override {
        const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement);
        const auto* function = call ? call->getDirectCallee() : nullptr;
        if (!function || !function->getIdentifier() || call->getNumArgs() < 3) return true;
        const llvm::StringRef name = function->getName();
        if (!name.starts_with("cudaMemcpy") && !name.starts_with("cudaMemset")) return true;
        if (name.contains("Symbol")) return true;  // the bytes of a pointer may be what is meant
        for (unsigned i = 2; i < call->getNumArgs(); ++i) {
            const auto* size = sizeof_in(*call->getArg(i));
            if (!size) continue;
            const auto* measured = variable(*size->getArgumentExpr());
            if (!measured || (measured != variable(*call->getArg(0)) && measured != variable(*call->getArg(1))))
                continue;
            const unsigned id =
                diagnostics_.getCustomDiagID(clang::DiagnosticsEngine::Warning,
                                             "sizeof(%0) is the size of the pointer '%0', not of what it points to");
            diagnostics_.Report(size->getBeginLoc(), id) << measured->getName();
        }
        return true;
    }

private:
    /// The sizeof of a pointer in a product; null if there is none.
    static const clang::UnaryExprOrTypeTraitExpr* sizeof_in(const clang::Expr& expression) {
        const clang::Expr* bare = expression.IgnoreParenCasts();
        if (const auto* product = llvm::dyn_cast<clang::BinaryOperator>(bare);
            product && product->getOpcode() == clang::BO_Mul) {
            const auto* left = sizeof_in(*product->getLHS());
            return left ? left : sizeof_in(*product->getRHS());
        }
        const auto* size = llvm::dyn_cast<clang::UnaryExprOrTypeTraitExpr>(bare);
        const bool is_of_pointer = size && size->getKind() == clang::UETT_SizeOf && !size->isArgumentType() &&
                                   size->getArgumentExpr()->getType()->isPointerType();
        return is_of_pointer ? size : nullptr;
    }
    static const clang::ValueDecl* variable(const clang::Expr& expression) {
        const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expression.IgnoreParenCasts());
        return reference ? reference->getDecl() : nullptr;
    }

    clang::DiagnosticsEngine& diagnostics_;
};

}  // namespace

void report_pointer_sizes(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics) {
    SizeVisitor visitor(diagnostics);
    for_each_written_statement(top_level, [&](clang::Stmt* statement) { visitor.traverse(statement); });
}

}  // namespace cudash::session
