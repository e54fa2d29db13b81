#include "repl/session/clang/spelling.h"

#include "clang/AST/DeclBase.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Sema/ExternalSemaSource.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"

namespace cudash::session {
namespace {

/// Whether `<<<` stands before `at` in the same statement, without its `>>>`.
bool is_in_configuration(const clang::SourceManager& sources, clang::SourceLocation at) {
    if (at.isInvalid()) return false;
    const auto [file, offset] = sources.getDecomposedExpansionLoc(at);
    llvm::StringRef before = sources.getBufferData(file).take_front(offset);
    before = before.substr(before.find_last_of(";{}") + 1);
    const std::size_t open = before.rfind("<<<");
    return open != llvm::StringRef::npos && !before.substr(open).contains(">>>");
}

}  // namespace

/// Sema asks its sources for names that it did not find, before it looks for similar ones.
class Spelling::NamesNotFound : public clang::ExternalSemaSource {
public:
    explicit NamesNotFound(const Spelling& spelling) : spelling_(spelling) {}

    bool LookupUnqualified(clang::LookupResult& result, clang::Scope*) override {
        const clang::Sema& sema = result.getSema();
        const bool bad = sema.CurContext && sema.CurContext->isDependentContext() &&
                         is_in_configuration(sema.getSourceManager(), result.getNameLoc());
        spelling_.options_.SpellChecking = spelling_.wanted_ && !bad;
        return false;
    }

private:
    const Spelling& spelling_;
};

Spelling::Spelling(clang::CompilerInstance& compiler) : options_(compiler.getLangOpts()) {
    compiler.getSema().addExternalSource(new NamesNotFound(*this));  // counts its owners
}

void Spelling::begin(bool wanted) {
    options_.SpellChecking = wanted_ = wanted;
}

}  // namespace cudash::session
