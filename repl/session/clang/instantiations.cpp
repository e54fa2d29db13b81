#include "repl/session/clang/instantiations.h"

#include <algorithm>

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/Expr.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "repl/session/clang/call_slips.h"
#include "repl/session/clang/child_launches.h"
#include "repl/session/clang/device_spaces.h"
#include "repl/session/clang/device_use.h"
#include "repl/session/clang/endless_loop.h"
#include "repl/session/clang/integer_division.h"
#include "repl/session/clang/late_definitions.h"
#include "repl/session/clang/lost_rounding.h"
#include "repl/session/clang/pointer_size.h"
#include "repl/session/clang/reference_captures.h"
#include "repl/session/clang/unset_array.h"

namespace cudash::session {
namespace {

/// clang takes a deduction guide for a host function, which device code can't call; nvcc lets it deduce.
void let_devices_deduce(clang::Decl& declaration) {
    if (auto* const scope = llvm::dyn_cast<clang::NamespaceDecl>(&declaration)) {
        for (clang::Decl* inner : scope->noload_decls()) let_devices_deduce(*inner);
        return;
    }
    auto* const scheme = llvm::dyn_cast<clang::FunctionTemplateDecl>(&declaration);
    auto* const guide =
        llvm::dyn_cast<clang::CXXDeductionGuideDecl>(scheme ? scheme->getTemplatedDecl() : &declaration);
    if (!guide || guide->isImplicit() || guide->hasAttr<clang::CUDADeviceAttr>()) return;
    clang::ASTContext& context = guide->getASTContext();
    guide->addAttr(clang::CUDAHostAttr::CreateImplicit(context));
    guide->addAttr(clang::CUDADeviceAttr::CreateImplicit(context));
}

/// Listens ahead of code generation.
class Listener : public clang::ASTConsumer {
public:
    explicit Listener(clang::CompilerInstance& compiler) : compiler_(compiler) {}
    bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
        for (clang::Decl* declaration : group) {
            if (auto* const made = llvm::dyn_cast<clang::FunctionDecl>(declaration)) forget_child_launches(*made);
            let_devices_deduce(*declaration);
            emit_if_awaited(*declaration, compiler_);
            refuse_if_broken(*declaration);
            look_for_device_use(*declaration);
            report_endless_loops(*declaration, compiler_.getDiagnostics());
            report_lost_rounding(*declaration, compiler_.getDiagnostics());
            report_integer_divisions(*declaration, compiler_.getDiagnostics());
            report_call_slips(*declaration, compiler_.getDiagnostics());
            report_unset_arrays(*declaration, compiler_.getDiagnostics());
            report_pointer_sizes(*declaration, compiler_.getDiagnostics());
            report_reference_captures(*declaration, compiler_.getDiagnostics());
        }
        if (!group.isSingleDecl()) return true;
        const auto* function = llvm::dyn_cast<clang::FunctionDecl>(group.getSingleDecl());
        if (function && function->isTemplateInstantiation()) Instantiations::of_process().add(group);
        return true;
    }
    void HandleCXXImplicitFunctionInstantiation(clang::FunctionDecl* function) override {
        expect_child_launches(*function);
    }
    void HandleTagDeclDefinition(clang::TagDecl* tag) override {
        const auto* record = llvm::dyn_cast<clang::CXXRecordDecl>(tag);
        if (!record || clang::isTemplateInstantiation(record->getTemplateSpecializationKind())) return;
        for (const clang::Decl* member : record->noload_decls()) refuse_member_kernel(*member);
    }
    void HandleInlineFunctionDefinition(clang::FunctionDecl* function) override { look_for_device_use(*function); }
    void HandleCXXStaticMemberVarInstantiation(clang::VarDecl* variable) override {
        Instantiations::of_process().add(clang::DeclGroupRef(variable));
    }
    void HandleVTable(clang::CXXRecordDecl* record) override { Instantiations::of_process().add(record); }

private:
    /// There is no code for an expression with errors. clang 19 may have told them with an earlier cell only.
    void refuse_if_broken(const clang::Decl& declaration) {
        const auto* statement = llvm::dyn_cast<clang::TopLevelStmtDecl>(&declaration);
        const auto* value = statement ? llvm::dyn_cast_or_null<clang::Expr>(statement->getStmt()) : nullptr;
        auto& diagnostics = compiler_.getDiagnostics();
        if (!value || !value->containsErrors() || diagnostics.hasErrorOccurred()) return;
        diagnostics.Report(value->getExprLoc(),
                           diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                       "this uses a name whose declaration was rejected earlier"));
    }
    /// clang has kernels among members, nvcc has not.
    void refuse_member_kernel(const clang::Decl& member) {
        const auto* function = llvm::dyn_cast<clang::CXXMethodDecl>(&templated(member));
        if (!function || !is_kernel(*function)) return;
        auto& diagnostics = compiler_.getDiagnostics();
        diagnostics.Report(function->getLocation(),
                           diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                       "a kernel cannot be a member of a class: define it outside"));
    }
    void look_for_device_use(clang::Decl& declaration) { report_device_use(declaration, compiler_.getDiagnostics()); }

    clang::CompilerInstance& compiler_;
};

class ListenerAction : public clang::PluginASTAction {
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef) override {
        return std::make_unique<Listener>(compiler);
    }
    bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override { return true; }
    ActionType getActionType() override { return AddBeforeMainAction; }
};

const clang::FrontendPluginRegistry::Add<ListenerAction> listener(
    "cudash", "keeps account of instantiations, and finds device functions in host code");

/// There is no code for what an error was found in, for what has no type yet, and for constants whose values clang has
/// not read from the precompiled header.
bool has_code(const clang::Decl* declaration) {
    const auto* variable = llvm::dyn_cast<clang::VarDecl>(declaration);
    if (!variable || declaration->isInvalidDecl()) return !declaration->isInvalidDecl();
    const clang::QualType type = variable->getType();
    if (type->isDependentType() || type->isUndeducedType() || type->isIncompleteType()) return false;
    const clang::Expr* value = variable->getAnyInitializer();
    return value ? !value->isInstantiationDependent() && !value->containsErrors() : !type.isConstQualified();
}

/// What loops of host code call, such as host_vector's operator[], is elsewhere: it has to be there to be inlined.
bool is_of_algorithm(const clang::FunctionDecl& function) {
    const auto& sources = function.getASTContext().getSourceManager();
    const llvm::StringRef file = sources.getFilename(sources.getExpansionLoc(function.getLocation()));
    return file.contains("/cccl/thrust/system/") || file.contains("/cccl/cub/");
}

}  // namespace

Instantiations& Instantiations::of_process() {
    static Instantiations account;
    return account;
}

void Instantiations::begin() {
    if (failed_) {
        lost_.insert(lost_.end(), asked_.begin(), asked_.end());
        tables_lost_.insert(tables_lost_.end(), tables_asked_.begin(), tables_asked_.end());
    }
    asked_.clear();
    tables_asked_.clear();
    failed_ = false;
}

void Instantiations::keep_algorithms(llvm::function_ref<bool(const clang::FunctionDecl&)> has) {
    for (clang::DeclGroupRef group : asked_)
        for (clang::Decl* declaration : group) {
            auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
            // As after `extern template`. There are several symbols of a constructor.
            if (function && !llvm::isa<clang::CXXConstructorDecl, clang::CXXDestructorDecl>(function) &&
                !is_kernel(*function) && !function->hasAttr<clang::AlwaysInlineAttr>() && is_of_algorithm(*function) &&
                has(*function))
                function->setTemplateSpecializationKind(clang::TSK_ExplicitInstantiationDeclaration,
                                                        function->getPointOfInstantiation());
        }
}

std::vector<const clang::FunctionDecl*> Instantiations::kernels() const {
    std::vector<const clang::FunctionDecl*> all;
    for (clang::DeclGroupRef group : asked_)
        for (const clang::Decl* declaration : group)
            if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
                function && is_kernel(*function))
                all.push_back(function);
    return all;
}

void Instantiations::end(clang::ASTConsumer& emit) {
    const auto groups = std::exchange(lost_, {});
    const auto tables = std::exchange(tables_lost_, {});
    for (const clang::DeclGroupRef group : groups)
        if (std::all_of(group.begin(), group.end(), &has_code)) emit.HandleTopLevelDecl(group);
    for (clang::CXXRecordDecl* table : tables) emit.HandleVTable(table);
    asked_.insert(asked_.end(), groups.begin(), groups.end());
    tables_asked_.insert(tables_asked_.end(), tables.begin(), tables.end());
}

}  // namespace cudash::session
