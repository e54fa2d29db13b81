#include "repl/session/clang/host_arrays.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "repl/session/clang/managed.h"
#include "repl/session/clang/tree_visitor.h"

namespace cudash::session {
namespace {

/// A variable of the host alone that outlives its function; null: any other expression.
const clang::VarDecl* host_variable(const clang::Expr& expression) {
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expression.IgnoreParenImpCasts());
    const auto* variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    if (!variable || !variable->hasGlobalStorage() || variable->isStaticLocal() || is_managed(*variable))
        return nullptr;
    const bool on_device = variable->hasAttr<clang::CUDADeviceAttr>() || variable->hasAttr<clang::CUDAConstantAttr>() ||
                           variable->hasAttr<clang::CUDASharedAttr>();
    return on_device ? nullptr : variable;
}

/// The text that it stands in is another one for device code, which alone is right about arrays.
bool differs_on_device(const clang::Decl& declaration) {
    const clang::SourceManager& sources = declaration.getASTContext().getSourceManager();
    const clang::FileID file = sources.getFileID(sources.getExpansionLoc(declaration.getLocation()));
    return sources.getBufferData(file).contains("__CUDA_ARCH__");
}

class HostArrayVisitor : public TreeVisitor {
public:
    HostArrayVisitor(const clang::FunctionDecl& function, clang::DiagnosticsEngine& diagnostics)
        : function_(function), context_(function.getASTContext()), diagnostics_(diagnostics) {}

protected:
    // sizeof and decltype ask for a type alone.
    bool enter(clang::Stmt& statement) override { return !llvm::isa<clang::UnaryExprOrTypeTraitExpr>(statement); }
    bool enter(clang::TypeLoc location) override { return !location.getAs<clang::DecltypeTypeLoc>(); }

    bool visit(clang::Stmt& statement) override {
        if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(&statement)) {
            const clang::VarDecl* array = host_variable(*element->getBase());
            if (array && array->getType()->isConstantArrayType() && !element->getIdx()->isValueDependent() &&
                !element->getIdx()->isEvaluatable(context_))
                tell(*element, *array, "an array");
        } else if (const auto* read = llvm::dyn_cast<clang::ImplicitCastExpr>(&statement);
                   read && read->getCastKind() == clang::CK_LValueToRValue) {
            // Other variables are unknown to NVRTC; a class that it reads declares its members.
            const clang::VarDecl* member = host_variable(*read->getSubExpr());
            if (member && member->isStaticDataMember() && !member->getType().isConstQualified())
                tell(*read, *member, "a static member");
        }
        return true;
    }

private:
    void tell(const clang::Expr& use, const clang::VarDecl& variable, llvm::StringRef what) {
        if (differs_on_device(function_) || differs_on_device(variable)) return;
        const unsigned id = diagnostics_.getCustomDiagID(clang::DiagnosticsEngine::Warning,
                                                         "'%0' is %1 of host code, which nvcc refuses in device code");
        diagnostics_.Report(use.getExprLoc(), id) << variable.getName() << what;
    }

    const clang::FunctionDecl& function_;
    const clang::ASTContext& context_;
    clang::DiagnosticsEngine& diagnostics_;
};

}  // namespace

void report_host_arrays(clang::FunctionDecl& function, clang::DiagnosticsEngine& diagnostics) {
    // What is constexpr may be meant for the compiler alone.
    if (function.isDependentContext() || function.isConstexpr() || !function.doesThisDeclarationHaveABody()) return;
    HostArrayVisitor(function, diagnostics).traverse(function.getBody());
}

}  // namespace cudash::session
