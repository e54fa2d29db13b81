#include "repl/session/clang/fact_watcher.h"

#include "clang/Lex/Preprocessor.h"
#include "repl/session/clang/stand_ins.h"

namespace cudash::session {
namespace {

void add_identifiers(llvm::StringRef text, std::vector<std::string>& words) {
    for (std::size_t i = 0; i < text.size();) {
        if (!clang::isAsciiIdentifierStart(text[i])) {
            ++i;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && clang::isAsciiIdentifierContinue(text[end])) ++end;
        words.push_back(text.slice(i, end).str());
        i = end;
    }
}

}  // namespace

void FactReader::Watcher::FileChanged(clang::SourceLocation location, FileChangeReason reason,
                                      clang::SrcMgr::CharacteristicKind, clang::FileID) {
    if (reason != EnterFile) return;
    const clang::FileID file = reader_.sources_.getFileID(location);
    if (const auto entry = reader_.sources_.getFileEntryRefForID(file)) {
        reader_.entered_.push_back(file);
        if (!reader_.is_system(location)) reader_.user_files_.push_back(*entry);
    } else if (reader_.sources_.getBufferName(location).starts_with("input_line")) {
        reader_.cell_file_ = file;
        reader_.entered_.push_back(file);
    }
}

void FactReader::Watcher::InclusionDirective(clang::SourceLocation hash, const clang::Token&, llvm::StringRef name,
                                             bool, clang::CharSourceRange name_range, clang::OptionalFileEntryRef file,
                                             llvm::StringRef, llvm::StringRef, const clang::Module*, bool,
                                             clang::SrcMgr::CharacteristicKind kind) {
    auto& sources = reader_.sources_;
    if (sources.isInSystemHeader(hash)) return;
    SourceText::Include include;
    include.range.begin = sources.getFileOffset(hash);
    include.range.end = sources.getFileOffset(sources.getExpansionLoc(name_range.getEnd()));
    if (file) {
        const llvm::StringRef path = file->getName();
        if (!reader_.cuda_include_.empty() && path.starts_with(reader_.cuda_include_))
            include.kind = is_device_header(name) ? SourceText::Include::Kind::cuda : SourceText::Include::Kind::host;
        else if (!clang::SrcMgr::isSystem(kind))
            include.kind = SourceText::Include::Kind::user;
        if (include.kind == SourceText::Include::Kind::user) reader_.join_launches(*file);
        reader_.include_names_.try_emplace(&file->getFileEntry(), name.str());
    }
    reader_.includes_[sources.getFileID(hash)].push_back(include);
}

void FactReader::Watcher::MacroDefined(const clang::Token& name, const clang::MacroDirective* directive) {
    if (!reader_.is_system(directive->getLocation()) && directive->getLocation().isFileID() &&
        reader_.sources_.getFilename(directive->getLocation()) != "")
        reader_.user_macros_.insert(name.getIdentifierInfo()->getName().str());
}

void FactReader::Watcher::SourceRangeSkipped(clang::SourceRange range, clang::SourceLocation) {
    auto& sources = reader_.sources_;
    if (sources.isInSystemHeader(range.getBegin())) return;
    const auto [file, begin] = sources.getDecomposedExpansionLoc(range.getBegin());
    const unsigned end = sources.getFileOffset(sources.getExpansionLoc(range.getEnd()));
    const llvm::StringRef text = sources.getBufferData(file).slice(begin, end);
    // What counts is text that the device side will see: conditions on CUDA's own macros, and #else branches.
    const llvm::StringRef directive = text.take_until([](char c) { return c == '\n'; });
    const llvm::StringRef keyword = directive.drop_front(directive.starts_with("#") ? 1 : 0).ltrim();
    if (!directive.contains("CUDA") && !keyword.starts_with("el")) return;
    Skipped skipped{{begin, end}, {}, false};
    add_identifiers(text, skipped.words);
    reader_.skipped_[file].push_back(std::move(skipped));
}

}  // namespace cudash::session
