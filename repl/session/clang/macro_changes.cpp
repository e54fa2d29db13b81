#include "repl/session/clang/macro_changes.h"

#include <memory>

#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"

namespace cudash::session {

class MacroChanges::Watcher : public clang::PPCallbacks {
public:
    explicit Watcher(MacroChanges& changes) : changes_(changes) {}

    void MacroDefined(const clang::Token& name, const clang::MacroDirective* directive) override {
        const auto* previous = directive->getPrevious();
        const auto definition = previous ? previous->getDefinition() : clang::MacroDirective::DefInfo();
        changed(name, directive->getLocation(),
                definition && !definition.isUndefined() ? definition.getMacroInfo() : nullptr);
    }
    void MacroUndefined(const clang::Token& name, const clang::MacroDefinition& definition,
                        const clang::MacroDirective*) override {
        changed(name, name.getLocation(), definition.getMacroInfo());
    }

private:
    void changed(const clang::Token& name, clang::SourceLocation at, const clang::MacroInfo* before) {
        const auto& sources = changes_.compiler_.getSourceManager();
        if (sources.isLoadedSourceLocation(at) || sources.isInSystemHeader(sources.getExpansionLoc(at))) return;
        changes_.before_.try_emplace(name.getIdentifierInfo()->getName().str(), before);
    }

    MacroChanges& changes_;
};

MacroChanges::MacroChanges(clang::CompilerInstance& compiler) : compiler_(compiler) {
    compiler_.getPreprocessor().addPPCallbacks(std::make_unique<Watcher>(*this));
}

std::string MacroChanges::undo() const {
    const auto& sources = compiler_.getSourceManager();
    std::string text;
    for (const auto& [name, macro] : before_) {
        text += "#undef " + name + "\n";
        if (!macro || macro->isBuiltinMacro()) continue;
        const auto range =
            clang::CharSourceRange::getTokenRange(macro->getDefinitionLoc(), macro->getDefinitionEndLoc());
        text += "#define " + clang::Lexer::getSourceText(range, sources, compiler_.getLangOpts()).str() + "\n";
    }
    return text;
}

}  // namespace cudash::session
