#include "repl/session/clang/processor_features.h"

#include <memory>

#include "clang/Basic/TargetInfo.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/TargetParser/Host.h"

namespace cudash::session {
namespace {

class FeatureWatcher : public clang::PPCallbacks {
public:
    explicit FeatureWatcher(clang::CompilerInstance& compiler) : compiler_(compiler) {}

    void InclusionDirective(clang::SourceLocation, const clang::Token&, llvm::StringRef name, bool,
                            clang::CharSourceRange, clang::OptionalFileEntryRef, llvm::StringRef, llvm::StringRef,
                            const clang::Module*, bool, clang::SrcMgr::CharacteristicKind) override {
        if (allowed_ || !name.ends_with("intrin.h")) return;
        allowed_ = true;
        // What clang asks for a function without features of its own, and what it makes of them for LLVM.
        clang::TargetOptions& target = compiler_.getTarget().getTargetOpts();
        for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
            if (!feature.second) continue;
            target.Features.push_back("+" + feature.first().str());
            target.FeatureMap[feature.first()] = true;
        }
    }

private:
    clang::CompilerInstance& compiler_;
    bool allowed_ = false;
};

}  // namespace

void allow_intrinsics(clang::CompilerInstance& compiler) {
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<FeatureWatcher>(compiler));
}

}  // namespace cudash::session
