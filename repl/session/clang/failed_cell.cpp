#include "repl/session/clang/failed_cell.h"

#include "clang/AST/DeclCXX.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Sema.h"

namespace cudash::session {
namespace {

/// Sema asks its sources for instantiations when it has all declarations of a text.
class EndOfDeclarations : public clang::ExternalSemaSource {
public:
    explicit EndOfDeclarations(clang::CompilerInstance& compiler) : compiler_(compiler) {}

    void ReadPendingInstantiations(
        llvm::SmallVectorImpl<std::pair<clang::ValueDecl*, clang::SourceLocation>>&) override {
        if (compiler_.getDiagnostics().hasErrorOccurred()) name_the_unnamed(compiler_.getASTContext());
    }

private:
    clang::CompilerInstance& compiler_;
};

}  // namespace

void name_the_unnamed(clang::ASTContext& context) {
    for (auto* declaration : context.getTranslationUnitDecl()->noload_decls())
        if (auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration);
            named && (!named->getDeclName() || llvm::isa<clang::UsingDirectiveDecl>(named)))
            named->setDeclName(&context.Idents.get("unnamed"));
}

void name_the_unnamed_of_failed_cells(clang::CompilerInstance& compiler) {
    compiler.getSema().addExternalSource(new EndOfDeclarations(compiler));  // counts its owners
}

}  // namespace cudash::session
