#include "repl/session/clang/device_use.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/Builtins.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Sema/SemaDiagnostic.h"
#include "repl/session/clang/host_arrays.h"
#include "repl/session/clang/managed.h"
#include "repl/session/clang/tree_visitor.h"

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
class DeviceVariableVisitor : public TreeVisitor {
public:
    explicit DeviceVariableVisitor(clang::DiagnosticsEngine& diagnostics) : diagnostics_(diagnostics) {}

    void tell(const clang::Expr* expression, const char* what) {
        const clang::VarDecl* variable = device_variable(expression);
        if (!variable) return;
        const unsigned id = diagnostics_.getCustomDiagID(
            clang::DiagnosticsEngine::Warning, "'%0' is device memory, and cannot be %1 in host code by its name");
        diagnostics_.Report(expression->getExprLoc(), id) << variable->getName() << what;
    }

protected:
    // sizeof and decltype ask for a type alone.
    bool enter(clang::Stmt& statement) override { return !llvm::isa<clang::UnaryExprOrTypeTraitExpr>(statement); }
    bool enter(clang::TypeLoc location) override { return !location.getAs<clang::DecltypeTypeLoc>(); }

    bool visit(clang::Stmt& statement) override {
        if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&statement)) {
            if (cast->getCastKind() == clang::CK_LValueToRValue) tell(cast->getSubExpr(), "read");
        } else if (const auto* construction = llvm::dyn_cast<clang::CXXConstructExpr>(&statement)) {
            if (construction->getNumArgs() > 0 && construction->getConstructor()->isCopyOrMoveConstructor())
                tell(construction->getArg(0), "read");
        } else if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&statement)) {
            if (operation->isAssignmentOp()) tell(operation->getLHS(), "written");
        } else if (const auto* change = llvm::dyn_cast<clang::UnaryOperator>(&statement)) {
            if (change->isIncrementDecrementOp()) tell(change->getSubExpr(), "written");
        }
        return true;
    }

private:
    clang::DiagnosticsEngine& diagnostics_;
};

class DeviceUseVisitor : public TreeVisitor {
public:
    explicit DeviceUseVisitor(clang::DiagnosticsEngine& diagnostics)
        : TreeVisitor({.implicit_code = true}), diagnostics_(diagnostics) {}

    bool found = false;

protected:
    bool enter(clang::Stmt& statement) override {
        // The functions that expressions like threadIdx.x stand for are in their meaning, not in their syntax.
        if (auto* meant = llvm::dyn_cast<clang::PseudoObjectExpr>(&statement)) {
            for (clang::Expr* part : meant->semantics()) {
                auto* opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(part);
                traverse(opaque && opaque->getSourceExpr() ? opaque->getSourceExpr() : part);
            }
            return false;
        }
        if (auto* lambda = llvm::dyn_cast<clang::LambdaExpr>(&statement)) {
            const clang::CXXMethodDecl* call = lambda->getCallOperator();
            // clang gives __host__ __device__ to every lambda; one for devices says so itself.
            const auto* attribute = call ? call->getAttr<clang::CUDADeviceAttr>() : nullptr;
            if (attribute && !attribute->isImplicit()) return false;
            for (clang::Expr* captured : lambda->capture_inits()) traverse(captured);
            traverse(lambda->getBody());
            return false;
        }
        return true;
    }
    /// kernel<square>: that names a device function for device code.
    bool enter(const clang::TemplateArgumentLoc&) override { return false; }

    bool visit(clang::Stmt& statement) override {
        if (auto* initializer = llvm::dyn_cast<clang::CXXDefaultInitExpr>(&statement)) {
            traverse(initializer->getExpr());
        } else if (auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(&statement)) {
            // A constructor that nobody wrote holds the initializers of the members.
            if (made->getConstructor()->isImplicit())
                for (const clang::CXXCtorInitializer* member : made->getConstructor()->inits())
                    traverse(member->getInit());
        } else if (auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(&statement)) {
            check(reference->getDecl(), reference->getLocation());
        } else if (auto* member = llvm::dyn_cast<clang::MemberExpr>(&statement)) {
            check(member->getMemberDecl(), member->getMemberLoc());
        }
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
        visitor.traverse(statement->getStmt());
        const auto* shown = llvm::dyn_cast<clang::Expr>(statement->getStmt());
        if (shown && statement->isSemiMissing() && shown->isLValue()) visitor.tell(shown, "read");
        if (const auto* object = object_shown(*statement)) visitor.tell(object, "read");
        return;
    }
    const auto& sources = top_level.getASTContext().getSourceManager();
    if (sources.isInSystemHeader(sources.getExpansionLoc(top_level.getLocation()))) return;
    if (auto* function = llvm::dyn_cast<clang::FunctionDecl>(&top_level)) {
        const bool on_device = function->hasAttr<clang::CUDADeviceAttr>() || function->hasAttr<clang::CUDAGlobalAttr>();
        if (on_device) return report_host_arrays(*function, diagnostics);
        if (function->doesThisDeclarationHaveABody()) visitor.traverse(function->getBody());
    } else if (auto* variable = llvm::dyn_cast<clang::VarDecl>(&top_level)) {
        const bool on_device =
            variable->hasAttr<clang::CUDADeviceAttr>() || variable->hasAttr<clang::CUDAConstantAttr>();
        if (!on_device && variable->getInit()) visitor.traverse(variable->getInit());
    }
}

/// clang takes them on any function; for a __device__ one, the compilers of device code say it.
bool report_launch_bounds(const clang::FunctionDecl& function, clang::DiagnosticsEngine& diagnostics) {
    const auto* bounds = function.getAttr<clang::CUDALaunchBoundsAttr>();
    if (!bounds || function.hasAttr<clang::CUDAGlobalAttr>() || function.hasAttr<clang::CUDADeviceAttr>()) return false;
    const unsigned id = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                    "__launch_bounds__ is only allowed on a __global__ function");
    diagnostics.Report(bounds->getLocation(), id);
    return true;
}

}  // namespace

bool report_device_use(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics) {
    report_device_variables(top_level, diagnostics);
    DeviceUseVisitor visitor(diagnostics);
    if (auto* statement = llvm::dyn_cast<clang::TopLevelStmtDecl>(&top_level)) {
        if (statement->getStmt()) visitor.traverse(statement->getStmt());
    } else if (auto* function = llvm::dyn_cast<clang::FunctionDecl>(&top_level)) {
        const bool checked_by_clang = !function->isTemplateInstantiation() && !function->isInlined();
        const bool on_device = function->hasAttr<clang::CUDADeviceAttr>() || function->hasAttr<clang::CUDAGlobalAttr>();
        if (!checked_by_clang && !on_device && function->doesThisDeclarationHaveABody())
            visitor.traverse(function->getBody());
        visitor.found |= report_launch_bounds(*function, diagnostics);
    } else if (auto* variable = llvm::dyn_cast<clang::VarDecl>(&top_level)) {
        const bool on_device = variable->hasAttr<clang::CUDADeviceAttr>() ||
                               variable->hasAttr<clang::CUDAConstantAttr>() ||
                               variable->hasAttr<clang::CUDASharedAttr>();
        if (!on_device && variable->getInit()) visitor.traverse(variable->getInit());
    }
    return visitor.found;
}

}  // namespace cudash::session
