#include "repl/session/clang/link_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "llvm/Demangle/Demangle.h"
#include "llvm/ExecutionEngine/Orc/Core.h"

namespace cudash::session {
namespace {

constexpr std::size_t most_names = 5, most_text = 400;

}  // namespace

void LinkErrors::note(llvm::Error error) {
    llvm::handleAllErrors(
        std::move(error),
        [this](const llvm::orc::SymbolsNotFound& failure) {
            for (const auto& symbol : failure.getSymbols()) {
                std::string name = llvm::demangle(*symbol);
                if (std::ranges::find(missing_, name) == missing_.end()) missing_.push_back(std::move(name));
            }
        },
        [this](const llvm::ErrorInfoBase& failure) {
            if (other_.empty()) other_ = failure.message().substr(0, most_text);
        });
}

Diagnostic LinkErrors::take() {
    const std::vector<std::string> missing = std::exchange(missing_, {});
    const std::string other = std::exchange(other_, {});
    if (missing.empty()) return error("link", "the cell can't be linked: " + other);
    std::string names;
    for (std::size_t i = 0; i < std::min(missing.size(), most_names); ++i)
        names += fmt::format("{}'{}'", i == 0 ? "" : ", ", missing[i]);
    if (missing.size() > most_names) names += fmt::format(" and {} more", missing.size() - most_names);
    return error("link", fmt::format("the cell can't be linked: no library here defines {}", names),
                 "define it in a cell, or load its library first: dlopen(\"libNAME.so\", RTLD_NOW | RTLD_GLOBAL)");
}

Diagnostic assembly_error(const CellLinker::AssemblyError& wrong, const clang::SourceManager& sources) {
    Diagnostic problem = error("inline-assembly", "inline assembly: " + wrong.message,
                               "host code takes the assembly language of this machine's processor; PTX belongs in a "
                               "__global__ or __device__ function");
    const auto at = clang::SourceLocation::getFromRawEncoding(wrong.location);
    if (const auto place = sources.getPresumedLoc(sources.getExpansionLoc(at)); place.isValid())
        problem.where = {place.getFilename(), place.getLine(), place.getColumn()};
    return problem;
}

}  // namespace cudash::session
