#include "repl/session/clang/header_macros.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "fmt/format.h"

namespace cudash::session {
namespace {

/// The macro's place if a cell or a student's file defines `name`.
clang::PresumedLoc place_of_macro(llvm::StringRef name, clang::Preprocessor& preprocessor) {
    const auto& sources = preprocessor.getSourceManager();
    const auto* macro = preprocessor.getMacroInfo(preprocessor.getIdentifierInfo(name));
    if (!macro || macro->isBuiltinMacro()) return {};
    const clang::SourceLocation at = macro->getDefinitionLoc();
    if (sources.isLoadedSourceLocation(at) || sources.isInSystemHeader(at) || sources.isWrittenInBuiltinFile(at) ||
        sources.isWrittenInCommandLineFile(at))
        return {};
    return sources.getPresumedLoc(at);
}

}  // namespace

std::string header_macro_hint(const clang::Diagnostic& error, clang::Preprocessor& preprocessor) {
    const auto& sources = error.getSourceManager();
    if (error.getLocation().isInvalid()) return {};
    const clang::SourceLocation at = sources.getExpansionLoc(error.getLocation());
    if (!sources.isInSystemHeader(at)) return {};
    const auto [file, offset] = sources.getDecomposedLoc(at);
    const llvm::StringRef text = sources.getBufferData(file);
    const std::size_t begin = text.substr(0, offset).rfind('\n') + 1;  // npos + 1 is 0
    // A copy: the lexer reads on to a zero byte.
    const std::string line = text.slice(begin, text.find('\n', offset)).str();

    clang::Lexer lexer(sources.getLocForStartOfFile(file), preprocessor.getLangOpts(), line.data(), line.data(),
                       line.data() + line.size());
    for (clang::Token token; !lexer.LexFromRawLexer(token) && token.isNot(clang::tok::eof);) {
        if (token.isNot(clang::tok::raw_identifier)) continue;
        const auto place = place_of_macro(token.getRawIdentifier(), preprocessor);
        if (place.isInvalid()) continue;
        return fmt::format(
            "the macro '{}' ({}:{}) replaces that name in the header, too: include the header before it, or `#undef "
            "{}`; "
            "what was read of the header stays until `:reset`",
            token.getRawIdentifier().str(), place.getFilename(), place.getLine(), token.getRawIdentifier().str());
    }
    return {};
}

}  // namespace cudash::session
