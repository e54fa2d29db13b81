#include "runtime_wrappers/virtual_gpu/runtime/unwaited_output.h"

#include <utility>

#include <fmt/format.h>

namespace cudash::virtual_gpu::runtime {

UnwaitedOutput::Print UnwaitedOutput::noticed(Print print, const std::string& kernel, const SourceSpot& where,
                                              std::uint64_t launch) {
    if (!print) return print;
    return [this, print = std::move(print), kernel, where, launch](std::string_view text) {
        if (launches_ == 0) {
            kernel_ = kernel;
            where_ = where;
        }
        if (std::exchange(last_, launch) != launch) ++launches_;
        print(text);
    };
}

std::optional<Diagnostic> UnwaitedOutput::take() {
    const std::uint64_t launches = std::exchange(launches_, 0);
    if (launches == 0) return std::nullopt;
    Diagnostic found =
        error("output-not-waited-for",
              fmt::format("the program ended without waiting for {}; on a GPU, what it prints may be lost", kernel_),
              "call cudaDeviceSynchronize() before the program ends");
    found.severity = Diagnostic::Severity::warning;
    found.where = where_;
    if (launches == 2) found.notes.push_back({"another launch prints, too", {}});
    if (launches > 2) found.notes.push_back({fmt::format("{} more launches print, too", launches - 1), {}});
    return found;
}

}  // namespace cudash::virtual_gpu::runtime
