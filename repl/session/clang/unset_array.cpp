#include "repl/session/clang/unset_array.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Expr.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "repl/session/clang/tree_visitor.h"
#include "repl/session/clang/written_code.h"

namespace cudash::session {
namespace {

/// Algorithms of <algorithm> and <numeric> that only read their range.
bool only_reads(const clang::FunctionDecl& function) {
    static const llvm::DenseSet<llvm::StringRef> names = {"accumulate",  "reduce",   "inner_product",  "max_element",
                                                          "min_element", "count",    "minmax_element", "find",
                                                          "equal",       "is_sorted"};
    return function.isInStdNamespace() && function.getIdentifier() && names.contains(function.getName());
}

/// malloc(...) or new T[...], whose elements nothing has set.
bool is_unset_memory(const clang::Expr* value) {
    if (!value) return false;
    value = value->IgnoreParenCasts();
    if (const auto* made = llvm::dyn_cast<clang::CXXNewExpr>(value))
        return made->isArray() && !made->hasInitializer() && made->getNumPlacementArgs() == 0 &&
               made->getAllocatedType()->isScalarType();
    const auto* call = llvm::dyn_cast<clang::CallExpr>(value);
    const auto* function = call ? call->getDirectCallee() : nullptr;
    return function && function->getIdentifier() && function->getName() == "malloc";
}

/// A local array of numbers or pointers, without an initializer.
bool is_unset_array(const clang::VarDecl& variable) {
    if (variable.hasInit() || !variable.hasLocalStorage() || variable.hasAttr<clang::CUDASharedAttr>()) return false;
    const auto* array = variable.getType()->getAsArrayTypeUnsafe();
    return array && variable.getASTContext().getBaseElementType(variable.getType())->isScalarType();
}

class ArrayVisitor : public TreeVisitor {
public:
    void report(clang::DiagnosticsEngine& diagnostics) {
        for (const auto& [variable, read] : unset_) {
            if (read.isInvalid()) continue;
            bool only_read = true;
            for (const clang::DeclRefExpr* use : uses_[variable]) only_read &= accounted_.contains(use);
            if (!only_read) continue;
            const unsigned id =
                diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Warning,
                                            "'%0' is read here, but nothing sets it: its elements hold whatever was "
                                            "in memory");
            diagnostics.Report(read, id) << variable->getName();
        }
    }

protected:
    bool visit(clang::Decl& declaration) override {
        if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(&declaration)) {
            const bool is_memory = variable->hasLocalStorage() && variable->getType()->isPointerType() &&
                                   is_unset_memory(variable->getInit());
            if (is_memory || is_unset_array(*variable)) unset_.insert({variable, {}});
        }
        return true;
    }
    bool visit(clang::Stmt& statement) override {
        if (const auto* use = llvm::dyn_cast<clang::DeclRefExpr>(&statement)) {
            if (const auto* variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl())) uses_[variable].push_back(use);
        } else if (const auto* cast = llvm::dyn_cast<clang::ImplicitCastExpr>(&statement)) {
            if (cast->getCastKind() == clang::CK_LValueToRValue) note_read(*cast->getSubExpr());
        } else if (const auto* both = llvm::dyn_cast<clang::CompoundAssignOperator>(&statement)) {
            note_read(*both->getLHS());  // x[i] += 1 and x[i]++ read an element before they write it
        } else if (const auto* operation = llvm::dyn_cast<clang::BinaryOperator>(&statement)) {
            see(*operation);
        } else if (const auto* change = llvm::dyn_cast<clang::UnaryOperator>(&statement)) {
            if (change->isIncrementDecrementOp()) note_read(*change->getSubExpr());
            if (change->getOpcode() == clang::UO_LNot) harmless(*change->getSubExpr());
        } else if (const auto* end = llvm::dyn_cast<clang::CXXDeleteExpr>(&statement)) {
            harmless(*end->getArgument());
        } else if (const auto* size = llvm::dyn_cast<clang::UnaryExprOrTypeTraitExpr>(&statement)) {
            if (!size->isArgumentType()) harmless(*size->getArgumentExpr());
        } else if (const auto* call = llvm::dyn_cast<clang::CallExpr>(&statement)) {
            see(*call);
        }
        return true;
    }

private:
    void see(const clang::BinaryOperator& operation) {
        if (operation.isEqualityOp()) {
            harmless(*operation.getLHS());
            harmless(*operation.getRHS());
        } else if (operation.getOpcode() == clang::BO_Assign && is_unset_memory(operation.getRHS())) {
            const auto* pointer = llvm::dyn_cast<clang::DeclRefExpr>(operation.getLHS()->IgnoreParens());
            const auto* variable = pointer ? llvm::dyn_cast<clang::VarDecl>(pointer->getDecl()) : nullptr;
            if (!variable || !variable->hasLocalStorage()) return;
            accounted_.insert(pointer);
            unset_.insert({variable, {}});
        }
    }
    void see(const clang::CallExpr& call) {
        const auto* function = call.getDirectCallee();
        if (!function) return;
        const bool reads = only_reads(*function), frees = function->getIdentifier() && function->getName() == "free";
        for (unsigned i = 0; i < call.getNumArgs(); ++i) {
            const clang::Expr& argument = *call.getArg(i);
            if (reads) {
                note_pointer(argument);
            } else if (frees || is_pointer_to_const(*function, i)) {
                harmless(argument);
            }
        }
    }
    static bool is_pointer_to_const(const clang::FunctionDecl& function, unsigned argument) {
        if (argument >= function.getNumParams()) return false;
        const clang::QualType type = function.getParamDecl(argument)->getType();
        return type->isPointerType() && type->getPointeeType().isConstQualified();
    }
    /// The variable that a pointer or array is, or points into: `a`, `a + i`, `a[i]` of an array of arrays.
    static const clang::DeclRefExpr* base_of(const clang::Expr& pointer) {
        const clang::Expr* base = pointer.IgnoreParenCasts();
        while (true) {
            const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(base);
            const auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(base);
            if (sum && sum->isAdditiveOp() && sum->getLHS()->getType()->isPointerType()) {
                base = sum->getLHS()->IgnoreParenCasts();
            } else if (element && element->getType()->isArrayType()) {
                base = element->getBase()->IgnoreParenCasts();
            } else {
                return llvm::dyn_cast<clang::DeclRefExpr>(base);
            }
        }
    }
    void note_pointer(const clang::Expr& pointer) {
        const clang::DeclRefExpr* base = base_of(pointer);
        if (!base) return;
        accounted_.insert(base);
        const auto found = unset_.find(llvm::dyn_cast<clang::VarDecl>(base->getDecl()));
        if (found != unset_.end() && found->second.isInvalid()) found->second = base->getLocation();
    }
    void note_read(const clang::Expr& element) {
        const clang::Expr* place = element.IgnoreParens();
        if (const auto* subscript = llvm::dyn_cast<clang::ArraySubscriptExpr>(place)) {
            note_pointer(*subscript->getBase());
        } else if (const auto* target = llvm::dyn_cast<clang::UnaryOperator>(place);
                   target && target->getOpcode() == clang::UO_Deref) {
            note_pointer(*target->getSubExpr());
        }
    }
    void harmless(const clang::Expr& use) {
        if (const auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(use.IgnoreParenCasts()))
            accounted_.insert(reference);
    }

    llvm::MapVector<const clang::VarDecl*, clang::SourceLocation> unset_;  ///< with where each is read first
    llvm::DenseMap<const clang::VarDecl*, llvm::SmallVector<const clang::DeclRefExpr*>> uses_;
    llvm::DenseSet<const clang::DeclRefExpr*> accounted_;  ///< uses that can't write
};

}  // namespace

void report_unset_arrays(clang::Decl& top_level, clang::DiagnosticsEngine& diagnostics) {
    for_each_written_statement(top_level, [&](clang::Stmt* statement) {
        ArrayVisitor visitor;
        visitor.traverse(statement);
        visitor.report(diagnostics);
    });
}

}  // namespace cudash::session
