// What the preprocessor tells a FactReader while a text is parsed.
#pragma once

#include "clang/Lex/PPCallbacks.h"
#include "repl/session/clang/fact_reader.h"

namespace cudash::session {

/// Sees #include, skipped text and the file that a cell is.
class FactReader::Watcher : public clang::PPCallbacks {
public:
    explicit Watcher(FactReader& reader) : reader_(reader) {}

    void FileChanged(clang::SourceLocation location, FileChangeReason reason, clang::SrcMgr::CharacteristicKind,
                     clang::FileID) override;
    void InclusionDirective(clang::SourceLocation hash, const clang::Token&, llvm::StringRef name, bool,
                            clang::CharSourceRange name_range, clang::OptionalFileEntryRef file, llvm::StringRef,
                            llvm::StringRef, const clang::Module*, bool,
                            clang::SrcMgr::CharacteristicKind kind) override;
    void MacroDefined(const clang::Token& name, const clang::MacroDirective* directive) override;
    void SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) override;

private:
    FactReader& reader_;
};

}  // namespace cudash::session
