// A file of a program to code: it does not see what the files before it declared.
#include <fmt/format.h>

#include "clang/AST/ASTContext.h"
#include "repl/session/clang/clang_engine.h"
#include "repl/session/clang/diagnostic_collector.h"

namespace cudash::session {

HostEngine::Compiled ClangEngine::compile_file(const std::string& name, const std::string& path) {
    return carefully(name, false, [&] { return compile_file_text(name, path); });
}

HostEngine::Compiled ClangEngine::compile_file_text(const std::string& name, const std::string& path) {
    has_files_ = true;
    // Names of earlier files go out of sight; what they defined stays linked.
    for (const auto* part : parts_) {
        names_.keep_apart(*part);
        visible_.hide_all(*part);
    }
    earlier_parts_.insert(earlier_parts_.end(), parts_.begin(), parts_.end());
    parts_.clear();
    const std::string undefine = facts_.forget_files();
    Compiled compiled;
    if (!undefine.empty()) {
        DiagnosticCollector ignored(
            [this](const clang::Diagnostic& error, cudash::Diagnostic&) { end_of_input_.error_reported(error); });
        parse(undefine, ignored);
        compiler_.getDiagnostics().setClient(&silent_, false);
    }
    captured_ = {};
    captured_.context = &compiler_.getASTContext();
    // __FILE__ is what a compiler says that was given the file's name, there and in headers beside it.
    const auto folder_of = [](const std::string& file) { return file.substr(0, file.rfind('/') + 1); };
    compiler_.getLangOpts().MacroPrefixMap[folder_of(path)] = folder_of(name);
    speed_ = CellLinker::Speed::optimized;
    file_ = path;
    compiled.ok = compile_part(name, fmt::format("#line 1 \"{}\"\n#include \"{}\"\n", name, path), compiled);
    speed_ = CellLinker::Speed::plain;
    file_.clear();
    return compiled;
}

}  // namespace cudash::session
