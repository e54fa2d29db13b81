#include "repl/exec/debug_library.h"

#include <dlfcn.h>

#include <string>

#include "repl/exec/late_library.h"

namespace cudash::exec {
namespace {

using session::debug::DebugInfo;
using Read = void (*)(std::string_view ptx, DebugInfo& made);

Diagnostic note(std::string message, std::string hint) {
    Diagnostic made = error("no-variables", std::move(message), std::move(hint));
    made.severity = Diagnostic::Severity::note;
    return made;
}

}  // namespace

DebugInfo read_debug_info(std::string_view ptx, const std::vector<nvrtc::DebugPart>& parts,
                          const std::function<void(const Diagnostic&)>& tell) {
    DebugInfo info;
    const auto read = reinterpret_cast<Read>(load_late("libcudash_dwarf.so", "cudash_read_debug_info"));
    if (!read) {
        const char* const reason = dlerror();
        if (tell)
            tell(note("the debugger can't read variables: " + std::string(reason ? reason : "its reader is missing"),
                      "build cudash again: ./cudash --version"));
        return info;
    }
    if (parts.empty()) read(ptx, info);
    for (const nvrtc::DebugPart& part : parts) {
        DebugInfo of_part;
        read(std::string(ptx) + "\n" + part.sections, of_part);
        info.append(std::move(of_part), part.renamed);
    }
    if (info.functions.empty() && tell)
        tell(note("this program's kernels have lines, but no variables", "nvcc -G -g builds it with both"));
    return info;
}

}  // namespace cudash::exec
