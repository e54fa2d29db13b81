#include "repl/session/clang/device_use.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/Builtins.h"
#include "clang/Sema/SemaDiagnostic.h"

namespace cudash::session {
namespace {

bool is_for_devices_only(const clang::FunctionDecl& function) {
    if (const unsigned builtin = function.getBuiltinID())
        return function.getASTContext().BuiltinInfo.isAuxBuiltinID(builtin);
    return function.hasAttr<clang::CUDADeviceAttr>() && !function.hasAttr<clang::CUDAHostAttr>();
}

class DeviceUseVisitor : public clang::RecursiveASTVisitor<DeviceUseVisitor> {
public:
    explicit DeviceUseVisitor(clang::DiagnosticsEngine& diagnostics) : diagnostics_(diagnostics) {}

    bool found = false;

    // The functions that expressions like threadIdx.x stand for are in their meaning, not in their syntax.
    bool shouldVisitImplicitCode() const { return true; }
    bool TraversePseudoObjectExpr(clang::PseudoObjectExpr* expression) {
        for (clang::Expr* part : expression->semantics())
            if (auto* opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(part); opaque && opaque->getSourceExpr()) {
                if (!TraverseStmt(opaque->getSourceExpr())) return false;
            } else if (!TraverseStmt(part)) {
                return false;
            }
        return true;
    }
    bool TraverseLambdaExpr(clang::LambdaExpr* lambda) {
        const clang::CXXMethodDecl* call = lambda->getCallOperator();
        // clang gives __host__ __device__ to every lambda; one for devices says so itself.
        const auto* attribute = call ? call->getAttr<clang::CUDADeviceAttr>() : nullptr;
        if (attribute && !attribute->isImplicit()) return true;
        for (clang::Expr* captured : lambda->capture_inits())
            if (captured && !TraverseStmt(captured)) return false;
        return TraverseStmt(lambda->getBody());
    }

    bool VisitCXXDefaultInitExpr(clang::CXXDefaultInitExpr* initializer) {
        return TraverseStmt(initializer->getExpr());
    }
    /// A constructor that nobody wrote holds the initialisers of the members.
    bool VisitCXXConstructExpr(clang::CXXConstructExpr* expression) {
        if (!expression->getConstructor()->isImplicit()) return true;
        for (const clang::CXXCtorInitializer* member : expression->getConstructor()->inits())
            if (member->getInit() && !TraverseStmt(member->getInit())) return false;
        return true;
    }

    bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
        check(reference->getDecl(), reference->getLocation());
        return true;
    }
    bool VisitMemberExpr(clang::MemberExpr* member) {
        check(member->getMemberDecl(), member->getMemberLoc());
        return true;
    }

private:
    void check(const clang::ValueDecl* used, clang::SourceLocation where) {
        const auto* function = llvm::dyn_cast<clang::FunctionDecl>(used);
        if (!function || !is_for_devices_only(*function)) return;
        // The words that clang has for it inside functions.
        const unsigned id = diagnostics_.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                         "reference to __device__ function '%0' in host code");
        diagnostics_.Report(where, id) << function->getName();
        found = true;
    }

    clang::DiagnosticsEngine& diagnostics_;
};

}  // namespace

bool report_device_use(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics) {
    DeviceUseVisitor visitor(diagnostics);
    if (auto* statement = llvm::dyn_cast<clang::TopLevelStmtDecl>(&top_level)) {
        if (statement->getStmt()) visitor.TraverseStmt(statement->getStmt());
    } else if (auto* function = llvm::dyn_cast<clang::FunctionDecl>(&top_level)) {
        const bool checked_by_clang = !function->isTemplateInstantiation() && !function->isInlined();
        const bool on_device = function->hasAttr<clang::CUDADeviceAttr>() || function->hasAttr<clang::CUDAGlobalAttr>();
        if (!checked_by_clang && !on_device && function->doesThisDeclarationHaveABody())
            visitor.TraverseStmt(function->getBody());
    } else if (auto* variable = llvm::dyn_cast<clang::VarDecl>(&top_level)) {
        const bool on_device = variable->hasAttr<clang::CUDADeviceAttr>() ||
                               variable->hasAttr<clang::CUDAConstantAttr>() ||
                               variable->hasAttr<clang::CUDASharedAttr>();
        if (!on_device && variable->getInit()) visitor.TraverseStmt(variable->getInit());
    }
    return visitor.found;
}

}  // namespace cudash::session
