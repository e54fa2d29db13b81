#include "repl/compile_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "repl/exit_codes.h"
#include "repl/json.h"
#include "repl/own_program.h"
#include "repl/shell/write_file.h"
#include "runtime_wrappers/nvrtc/compiler.h"
#include "runtime_wrappers/result.h"

namespace cudash {
namespace {

namespace fs = std::filesystem;
using CommandsJson = nlohmann::ordered_json;

constexpr std::size_t most_sources = 10'000;
constexpr std::string_view database = "compile_commands.json";

bool is_cuda_source(const fs::path& path) {
    const std::string suffix = path.extension().string();
    return suffix == ".cu" || suffix == ".cuh" || suffix == ".CU";
}

std::vector<std::string> sources_below(const fs::path& folder) {
    std::vector<std::string> sources;
    std::error_code failure;
    fs::recursive_directory_iterator each(folder, fs::directory_options::skip_permission_denied, failure);
    for (; !failure && each != fs::recursive_directory_iterator() && sources.size() < most_sources;
         each.increment(failure)) {
        std::error_code ignored;
        if (each->path().filename().string().starts_with('.') && each->is_directory(ignored))
            each.disable_recursion_pending();
        else if (each->is_regular_file(ignored) && is_cuda_source(each->path()))
            sources.push_back(each->path().string());
    }
    std::ranges::sort(sources);
    // An empty folder will hold some: its first file finds the flags here.
    if (sources.empty()) sources.push_back((folder / "program.cu").string());
    return sources;
}

/// A database that another tool has made is not ours to replace.
bool is_of_others(const fs::path& path) {
    std::ifstream file(path);
    if (!file) return false;
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const CommandsJson present = CommandsJson::parse(text, nullptr, false);
    if (!present.is_array()) return true;
    return std::ranges::any_of(present, [](const CommandsJson& entry) {
        const auto arguments = entry.is_object() ? entry.find("arguments") : entry.end();
        return !entry.is_object() || arguments == entry.end() || !arguments->is_array() ||
               std::ranges::find(*arguments, CommandsJson("-D__CUDASH__=1")) == arguments->end();
    });
}

/// The arguments of a compiler that reads CUDA code as a session does: the toolkit's headers, our own, and what every
/// session has included. The error: the toolkit was not found.
Result<std::vector<std::string>> editor_arguments() {
    const std::string include = nvrtc::toolkit_include();
    if (include.empty())
        return error("toolkit-missing", "the CUDA Toolkit's headers were not found",
                     "install the CUDA Toolkit 13, or set CUDA_PATH to where it is");
    const fs::path share = own_program().parent_path() / "share";
    return std::vector<std::string>{
        "clang++",
        "-std=c++17",
        "-xcuda",
        "--cuda-host-only",
        "--cuda-path=" + fs::path(include).parent_path().string(),
        "-isystem",
        (share / "shim").string(),
        "-isystem",
        (share / "include").string(),
        "-isystem",
        include + "/cccl",
        // clang reads what this includes as it does in a session.
        "-include",
        (share / "prelude.h").string(),
        "-D__CUDASH__=1",
        "-Wno-unknown-cuda-version",
        "-Wno-macro-redefined",
        "-Wno-unused-value",
        "-Wno-cuda-compat",
        "-Wno-pragma-once-outside-header",
        "-Wno-vla-cxx-extension",
    };
}

}  // namespace

int write_compile_commands(const std::string& folder, const view::Display& display) {
    std::error_code failure;
    const fs::path path = fs::absolute(folder, failure).lexically_normal();
    if (failure || !fs::is_directory(path, failure)) {
        display.show(error("no-such-folder", fmt::format("there is no folder {}", folder),
                           "cudash --compile-commands FOLDER; without one, the current folder"),
                     {});
        return exit_codes::no_input;
    }
    const auto arguments = editor_arguments();
    if (!arguments) {
        display.show(arguments.error(), {});
        return exit_codes::unavailable;
    }
    const fs::path file = path / database;
    if (is_of_others(file)) {
        display.show(error("file-exists", fmt::format("{} was made by another tool, and stays as it is", file.string()),
                           "move it away, or name a folder below"),
                     {});
        return exit_codes::cannot_create;
    }
    CommandsJson entries = CommandsJson::array();
    for (const std::string& source : sources_below(path)) {
        std::vector<std::string> all = *arguments;
        all.push_back(source);
        entries.push_back({{"directory", path.string()}, {"file", source}, {"arguments", std::move(all)}});
    }
    const std::string why = shell::write_file(file.string(), json_text(entries, 1) + "\n");
    if (!why.empty()) {
        display.show(error("can-not-write", fmt::format("{} can't be written: {}", file.string(), why)), {});
        return exit_codes::cannot_create;
    }
    display.results(
        fmt::format("{}: {} file{}; clangd reads it\n", file.string(), entries.size(), entries.size() == 1 ? "" : "s"));
    return 0;
}

}  // namespace cudash
