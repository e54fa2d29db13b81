// What the files of a program define, and what two of them do: a linker refuses that.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "clang/AST/Decl.h"
#include "clang/AST/DeclBase.h"
#include "clang/Basic/SourceManager.h"
#include "repl/session/clang/fact_reader.h"
#include "runtime_wrappers/diagnostic.h"

namespace cudash::session {

class FileDefinitions {
public:
    FileDefinitions(FactReader& facts, const clang::SourceManager& sources) : facts_(facts), sources_(sources) {}

    /// Notes what a file defines for all others; an error for each function and variable that another one has, too.
    std::vector<Diagnostic> add(const clang::TranslationUnitDecl& file, const std::string& name);

private:
    struct Definition {
        std::string file;  ///< of the program's, and not what it includes
        SourceSpot where;
    };

    void add(const clang::Decl& declaration, const std::string& file, std::vector<Diagnostic>& errors);

    FactReader& facts_;
    const clang::SourceManager& sources_;
    std::map<std::string, Definition> definitions_;  ///< by symbol
};

}  // namespace cudash::session
