#include "repl/session/clang/failed_cell.h"

#include "clang/AST/DeclCXX.h"

namespace cudash::session {

void name_the_unnamed(clang::ASTContext& context) {
    for (auto* declaration : context.getTranslationUnitDecl()->noload_decls())
        if (auto* named = llvm::dyn_cast<clang::NamedDecl>(declaration);
            named && (!named->getDeclName() || llvm::isa<clang::UsingDirectiveDecl>(named)))
            named->setDeclName(&context.Idents.get("unnamed"));
}

}  // namespace cudash::session
