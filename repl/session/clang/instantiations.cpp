#include "repl/session/clang/instantiations.h"

#include "clang/AST/DeclCXX.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "repl/session/clang/device_use.h"

namespace cudash::session {
namespace {

/// Listens ahead of code generation.
class Listener : public clang::ASTConsumer {
public:
    explicit Listener(clang::CompilerInstance& compiler) : compiler_(compiler) {}
    bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
        for (clang::Decl* declaration : group) look_for_device_use(*declaration);
        if (!group.isSingleDecl()) return true;
        const auto* function = llvm::dyn_cast<clang::FunctionDecl>(group.getSingleDecl());
        if (function && function->isTemplateInstantiation()) Instantiations::of_process().add(group);
        return true;
    }
    void HandleInlineFunctionDefinition(clang::FunctionDecl* function) override { look_for_device_use(*function); }
    void HandleCXXStaticMemberVarInstantiation(clang::VarDecl* variable) override {
        Instantiations::of_process().add(clang::DeclGroupRef(variable));
    }
    void HandleVTable(clang::CXXRecordDecl* record) override { Instantiations::of_process().add(record); }

private:
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

void Instantiations::end(clang::ASTConsumer& emit) {
    const auto groups = std::exchange(lost_, {});
    const auto tables = std::exchange(tables_lost_, {});
    for (const clang::DeclGroupRef group : groups) emit.HandleTopLevelDecl(group);
    for (clang::CXXRecordDecl* table : tables) emit.HandleVTable(table);
    asked_.insert(asked_.end(), groups.begin(), groups.end());
    tables_asked_.insert(tables_asked_.end(), tables.begin(), tables.end());
}

}  // namespace cudash::session
