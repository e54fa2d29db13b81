#include "repl/session/clang/reference_captures.h"

#include <algorithm>

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "repl/session/clang/device_spaces.h"
#include "repl/session/clang/tree_visitor.h"

namespace cudash::session {
namespace {

class ReferenceCaptureVisitor : public TreeVisitor {
public:
    explicit ReferenceCaptureVisitor(clang::DiagnosticsEngine& diagnostics) : diagnostics_(diagnostics) {}

    using TreeVisitor::traverse;
    /// In device code, a reference leads to where the device's own variables are.
    bool traverse(clang::Decl* declaration) override {
        return !declaration || is_device(*declaration) || TreeVisitor::traverse(declaration);
    }

protected:
    bool visit(clang::Stmt& statement) override {
        const auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&statement);
        const auto* call = lambda ? lambda->getCallOperator() : nullptr;
        if (!call || !has_explicit<clang::CUDADeviceAttr>(*call)) return true;
        const auto is_reference = [](const clang::LambdaCapture& each) {
            return each.capturesVariable() && each.getCaptureKind() == clang::LCK_ByRef;
        };
        if (lambda->getCaptureDefault() != clang::LCD_ByRef && std::ranges::none_of(lambda->captures(), is_reference))
            return true;
        diagnostics_.Report(
            lambda->getBeginLoc(),
            diagnostics_.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                         "a __device__ lambda cannot capture variables by reference; use [=]"));
        return true;
    }

private:
    clang::DiagnosticsEngine& diagnostics_;
};

}  // namespace

void report_reference_captures(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics) {
    if (auto* statement = llvm::dyn_cast<clang::TopLevelStmtDecl>(&top_level)) {
        if (statement->getStmt()) ReferenceCaptureVisitor(diagnostics).traverse(statement->getStmt());
        return;
    }
    const auto& sources = top_level.getASTContext().getSourceManager();
    if (sources.isInSystemHeader(sources.getExpansionLoc(top_level.getLocation()))) return;
    const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&top_level);
    if (function && function->isTemplateInstantiation()) return;  // told of the template
    ReferenceCaptureVisitor(diagnostics).traverse(&top_level);
}

}  // namespace cudash::session
