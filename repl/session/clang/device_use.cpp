#include "repl/session/clang/device_use.h"

#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/SemaDiagnostic.h"
#include "repl/session/clang/managed.h"

namespace cudash::session {
namespace {

bool is_for_devices_only(const clang::FunctionDecl& function) {
    if (const unsigned builtin = function.getBuiltinID())
        return function.getASTContext().BuiltinInfo.isAuxBuiltinID(builtin);
    return function.hasAttr<clang::CUDADeviceAttr>() && !function.hasAttr<clang::CUDAHostAttr>();
}

/// The variable of device memory that an expression reads or writes through its name: c, c[i], c.x.
const clang::VarDecl* device_variable(const clang::Expr* expression) {
    for (;;) {
        expression = expression->IgnoreParenImpCasts();
        if (const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(expression)) {
            // Through a pointer it is what the pointer leads to.
            if (!element->getBase()->IgnoreParenImpCasts()->getType()->isArrayType()) return nullptr;
            expression = element->getBase();
        } else if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(expression); member && !member->isArrow()) {
            expression = member->getBase();
        } else {
            break;
        }
    }
    const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(expression);
    const auto* variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    if (!variable || is_managed(*variable) || variable->isConstexpr()) return nullptr;
    const bool on_device = variable->hasAttr<clang::CUDADeviceAttr>() || variable->hasAttr<clang::CUDAConstantAttr>();
    return on_device ? variable : nullptr;
}

/// Host code that reads or writes a variable of device memory by its name: it has a copy of its own (Programming Guide,
/// "Device Memory Specifiers": cudaGetSymbolAddress, cudaMemcpyToSymbol and cudaMemcpyFromSymbol lead to the device's).
class DeviceVariableVisitor : public clang::RecursiveASTVisitor<DeviceVariableVisitor> {
public:
    explicit DeviceVariableVisitor(clang::DiagnosticsEngine& diagnostics) : diagnostics_(diagnostics) {}

    bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) {
        if (cast->getCastKind() == clang::CK_LValueToRValue) tell(cast->getSubExpr(), "read");
        return true;
    }
    bool VisitCXXConstructExpr(clang::CXXConstructExpr* construction) {
        if (construction->getNumArgs() > 0 && construction->getConstructor()->isCopyOrMoveConstructor())
            tell(construction->getArg(0), "read");
        return true;
    }
    bool VisitBinaryOperator(clang::BinaryOperator* operation) {
        if (operation->isAssignmentOp()) tell(operation->getLHS(), "written");
        return true;
    }
    bool VisitUnaryOperator(clang::UnaryOperator* operation) {
        if (operation->isIncrementDecrementOp()) tell(operation->getSubExpr(), "written");
        return true;
    }
    bool TraverseUnaryExprOrTypeTraitExpr(clang::UnaryExprOrTypeTraitExpr*) { return true; }
    bool TraverseDecltypeTypeLoc(clang::DecltypeTypeLoc) { return true; }
    void tell(const clang::Expr* expression, const char* what) {
        const clang::VarDecl* variable = device_variable(expression);
        if (!variable) return;
        const unsigned id = diagnostics_.getCustomDiagID(
            clang::DiagnosticsEngine::Warning, "'%0' is device memory, and cannot be %1 in host code by its name");
        diagnostics_.Report(expression->getExprLoc(), id) << variable->getName() << what;
    }

private:
    clang::DiagnosticsEngine& diagnostics_;
};

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

    /// kernel<square>: that names a device function for device code.
    bool TraverseTemplateArgumentLoc(const clang::TemplateArgumentLoc&) { return true; }

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

/// The object whose address clang's interpreter takes to show it: one of a class.
const clang::Expr* object_shown(const clang::TopLevelStmtDecl& statement) {
    const auto* call = llvm::dyn_cast<clang::CallExpr>(statement.getStmt()->IgnoreContainers());
    if (!statement.isSemiMissing() || !call || call->getNumArgs() == 0 || !call->getDirectCallee()) return nullptr;
    const clang::IdentifierInfo* name = call->getDirectCallee()->getIdentifier();
    if (!name || name->getName() != "__clang_Interpreter_SetValueNoAlloc") return nullptr;
    const auto* address =
        llvm::dyn_cast<clang::UnaryOperator>(call->getArg(call->getNumArgs() - 1)->IgnoreParenCasts());
    return address && address->getOpcode() == clang::UO_AddrOf ? address->getSubExpr() : nullptr;
}

void report_device_variables(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics) {
    DeviceVariableVisitor visitor(diagnostics);
    if (auto* statement = llvm::dyn_cast<clang::TopLevelStmtDecl>(&top_level)) {
        if (!statement->getStmt()) return;
        visitor.TraverseStmt(statement->getStmt());
        const auto* shown = llvm::dyn_cast<clang::Expr>(statement->getStmt());
        if (shown && statement->isSemiMissing() && shown->isLValue()) visitor.tell(shown, "read");
        if (const auto* object = object_shown(*statement)) visitor.tell(object, "read");
        return;
    }
    const auto& sources = top_level.getASTContext().getSourceManager();
    if (sources.isInSystemHeader(sources.getExpansionLoc(top_level.getLocation()))) return;
    if (auto* function = llvm::dyn_cast<clang::FunctionDecl>(&top_level)) {
        const bool on_device = function->hasAttr<clang::CUDADeviceAttr>() || function->hasAttr<clang::CUDAGlobalAttr>();
        if (!on_device && function->doesThisDeclarationHaveABody()) visitor.TraverseStmt(function->getBody());
    } else if (auto* variable = llvm::dyn_cast<clang::VarDecl>(&top_level)) {
        const bool on_device =
            variable->hasAttr<clang::CUDADeviceAttr>() || variable->hasAttr<clang::CUDAConstantAttr>();
        if (!on_device && variable->getInit()) visitor.TraverseStmt(variable->getInit());
    }
}

}  // namespace

bool report_device_use(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics) {
    report_device_variables(top_level, diagnostics);
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
