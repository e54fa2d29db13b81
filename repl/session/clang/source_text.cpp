#include "repl/session/clang/source_text.h"

#include <algorithm>

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "repl/session/clang/device_spaces.h"

namespace cudash::session {

std::vector<const clang::NamedDecl*> find_declarations(clang::CompilerInstance& compiler, std::string_view name) {
    clang::ASTContext& context = compiler.getASTContext();
    std::vector<const clang::DeclContext*> scopes = {context.getTranslationUnitDecl()};
    std::vector<const clang::NamedDecl*> found;
    if (name.starts_with("::")) name.remove_prefix(2);
    while (!name.empty()) {
        const std::size_t end = name.find("::");
        const std::string_view part = name.substr(0, end);
        name.remove_prefix(end == std::string_view::npos ? name.size() : end + 2);
        found.clear();
        const clang::DeclarationName wanted(&context.Idents.get({part.data(), part.size()}));
        for (const clang::DeclContext* scope : scopes)
            for (const clang::NamedDecl* each : scope->getRedeclContext()->lookup(wanted)) found.push_back(each);
        scopes.clear();
        for (const clang::NamedDecl* each : found)
            if (const auto* scope = llvm::dyn_cast<clang::DeclContext>(each)) scopes.push_back(scope);
    }
    std::sort(found.begin(), found.end(), [&](const clang::NamedDecl* a, const clang::NamedDecl* b) {
        return compiler.getSourceManager().isBeforeInTranslationUnit(a->getLocation(), b->getLocation());
    });
    return found;
}

std::string text_of(clang::CompilerInstance& compiler, const clang::NamedDecl& declaration) {
    clang::SourceManager& sources = compiler.getSourceManager();
    clang::SourceRange range = declaration.getSourceRange();
    if (const auto* function = llvm::dyn_cast<clang::FunctionDecl>(&declaration))
        if (const auto* described = function->getDescribedFunctionTemplate())
            range = {begin_of(*described), described->getEndLoc()};
    if (range.isInvalid()) return {};
    const auto [file, first] = sources.getDecomposedExpansionLoc(range.getBegin());
    const auto [end_file, last] = sources.getDecomposedLoc(sources.getExpansionRange(range.getEnd()).getEnd());
    if (file != end_file) return {};
    const llvm::StringRef text = sources.getBufferData(file);
    std::size_t begin = first;
    std::size_t end = last + clang::Lexer::MeasureTokenLength(
                                 sources.getLocForStartOfFile(file).getLocWithOffset(static_cast<std::int32_t>(last)),
                                 sources, compiler.getLangOpts());
    // Attributes such as __global__ may stand before the range, and the ';' after it.
    std::size_t line = text.rfind('\n', begin);
    line = line == llvm::StringRef::npos ? 0 : line + 1;
    const llvm::StringRef before = text.slice(line, begin);
    if (before.find_first_of(";{}") == llvm::StringRef::npos) begin = line;
    if (end < text.size() && text[end] == ';') ++end;
    std::string result = text.slice(begin, end).str();
    while (result.ends_with('\n') || result.ends_with(' ')) result.pop_back();
    return result + "\n";
}

}  // namespace cudash::session
