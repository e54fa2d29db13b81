// `:sass`, `:source`, `:trace`, `:launches`.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "repl/session/inspections.h"
#include "repl/session/tracer.h"
#include "runtime_wrappers/nvrtc/toolkit.h"

namespace cudash::session {
namespace {

namespace fs = std::filesystem;

/// nvdisasm, or cuobjdump: of the toolkit, or where the shell finds programs. Empty if there is none.
fs::path find_tool(std::string_view name) {
    std::error_code ignored;
    for (const fs::path& root : nvrtc::toolkit_roots())
        if (const fs::path tool = root / "bin" / name; fs::exists(tool, ignored)) return tool;
    const char* path = std::getenv("PATH");
    for (std::string_view rest = path ? path : ""; !rest.empty();) {
        const std::size_t end = std::min(rest.size(), rest.find(':'));
        const fs::path tool = fs::path(rest.substr(0, end)) / name;
        if (fs::is_regular_file(tool, ignored)) return tool;
        rest.remove_prefix(std::min(rest.size(), end + 1));
    }
    return {};
}

std::string in_quotes(const std::string& text) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'')
            result += "'\\''";
        else
            result += c;
    }
    return result + "'";
}

}  // namespace

Outcome sass(const Inspected& session, std::string_view kernel) {
    fs::path tool = find_tool("nvdisasm");
    const bool disassembler = !tool.empty();
    if (tool.empty()) tool = find_tool("cuobjdump");
    if (tool.empty())
        return refuse(error("no-disassembler", "machine code needs nvdisasm or cuobjdump of the CUDA toolkit",
                            "install the package cuda-nvdisasm-13-0 (or cuda-cuobjdump-13-0), or put the program in "
                            "PATH; :ptx shows PTX without them"));
    // The virtual GPU executes PTX: its machine code is that of a real GPU of the same architecture.
    const auto unit = session.unit.unit({.arch = session.runtime.target().arch, .real = true});
    if (!unit) return refuse(unit.error());
    Outcome outcome;
    std::string symbol;
    if (!kernel.empty()) {
        const void* stub = find_kernel(session, kernel, outcome);
        if (!stub) return outcome;
        if (const auto* found = session.unit.kernel(stub)) symbol = found->name;
    }
    std::error_code failed;
    std::string pattern = (fs::temp_directory_path(failed) / "cudash-XXXXXX.cubin").string();
    const int fd = mkstemps(pattern.data(), 6);
    if (fd < 0) return refuse(error("file", "no temporary file can be made", "is TMPDIR writable?"));
    close(fd);
    std::ofstream(pattern, std::ios::binary) << (*unit)->code;
    const std::string command =
        fmt::format("{} {} {} 2>&1", in_quotes(tool.string()), disassembler ? "-c" : "-sass", in_quotes(pattern));
    std::string text;
    if (std::FILE* output = popen(command.c_str(), "r")) {
        std::array<char, 4096> bytes;
        while (const std::size_t size = std::fread(bytes.data(), 1, bytes.size(), output))
            text.append(bytes.data(), size);
        const int status = pclose(output);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            outcome =
                refuse(error("no-disassembler", fmt::format("{} failed: {}", tool.string(), text.substr(0, 200))));
    }
    fs::remove(pattern, failed);
    if (!outcome.diagnostics.empty()) return outcome;
    if (!symbol.empty()) {
        // One section or function of the listing. nvdisasm heads a section with a line `//---- .text.NAME ----`.
        const std::string head = disassembler ? "\t.section\t.text." + symbol + "," : "Function : " + symbol + "\n";
        const std::size_t begin = text.find(head);
        if (begin != std::string::npos) {
            const std::size_t line = text.rfind('\n', begin) + 1;
            const std::size_t end = text.find(disassembler ? "\n//----" : "Function : ", begin + head.size());
            text = text.substr(line, end == std::string::npos ? std::string::npos : end - line);
        }
    }
    outcome.text = text.ends_with('\n') ? text : text + "\n";
    return outcome;
}

Outcome source(const Inspected& session, std::string_view name) {
    const auto found = session.engine.sources_of(name);
    if (found.empty())
        return refuse(error("not-found", fmt::format("nothing of the session is called {}", name),
                            ":vars and :kernels list what there is; :history TEXT searches the cells"));
    Outcome outcome;
    for (const auto& [place, text] : found) {
        outcome.text +=
            place.line ? fmt::format("// {} line {}\n", place.file, place.line) : fmt::format("// {}\n", place.file);
        outcome.text += text;
    }
    return outcome;
}

Outcome trace(const Inspected& session, std::string_view argument) {
    Tracer& tracer = session.tracer;
    Outcome outcome;
    if (argument == "last") {
        if (tracer.last().empty()) {
            outcome.text = "the last cell called nothing of the CUDA runtime\n";
            return outcome;
        }
        for (const std::string& line : tracer.last()) outcome.text += line + "\n";
        if (tracer.forgotten())
            outcome.text += fmt::format("... the first {} only; :trace on shows all\n", tracer.last().size());
        return outcome;
    }
    if (argument != "on" && argument != "off" && !argument.empty())
        return refuse(error("bad-argument", fmt::format("'{}' is neither on, off nor last", argument), ":trace last"));
    if (!argument.empty()) tracer.show_calls = argument == "on";
    outcome.text =
        fmt::format("calls are {}\n",
                    tracer.show_calls ? "shown as they happen" : "not shown; :trace last has those of the last cell");
    return outcome;
}

Outcome launches(const Inspected& session, std::string_view argument) {
    if (!session.runtime.is_virtual())
        return refuse(
            error("needs-virtual", "launches on a real GPU are not listed", "try :trace on, or :device virtual"));
    if (argument != "on" && argument != "off" && !argument.empty())
        return refuse(error("bad-argument", fmt::format("'{}' is neither on nor off", argument), ":launches on"));
    if (!argument.empty()) session.tracer.show_launches = argument == "on";
    Outcome outcome;
    outcome.text = fmt::format("launches are {}\n", session.tracer.show_launches ? "shown" : "not shown");
    return outcome;
}

}  // namespace cudash::session
