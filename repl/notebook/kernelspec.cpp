#include "repl/notebook/kernelspec.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "repl/json.h"
#include "repl/own_program.h"
#include "repl/shell/text_check.h"
#include "repl/shell/write_file.h"

namespace cudash::notebook {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// The threads of a block, one of them at work.
constexpr std::string_view logo = R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
<rect width="64" height="64" rx="10" fill="#1d2b1f"/>
<g fill="#5f8f3a"><path d="M8 8h10v10H8zM21 8h10v10H21zM34 8h10v10H34zM47 8h10v10H47zM8 21h10v10H8zM34 21h10v10H34z"/>
<path d="M47 21h10v10H47zM8 34h10v10H8zM21 34h10v10H21zM34 34h10v10H34zM47 34h10v10H47z"/></g>
<rect x="21" y="21" width="10" height="10" fill="#b9f27c"/>
<path d="M10 49l5 4-5 4M19 58h10" fill="none" stroke="#fff" stroke-width="3"/>
</svg>
)";

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value ? value : "";
}

// Jupyter's folders of data, as jupyter_core has them ("jupyter --paths").
constexpr const char* data_of_machine = "/usr/local/share/jupyter";
fs::path data_of_user() {
    const std::string own = variable("JUPYTER_DATA_DIR"), shared = variable("XDG_DATA_HOME");
    return !own.empty()      ? fs::path(own)
           : !shared.empty() ? fs::path(shared) / "jupyter"
                             : fs::path(variable("HOME")) / ".local/share/jupyter";
}

fs::path folder_of(const Kernelspec& spec) {
    const fs::path data = !spec.prefix.empty() ? fs::path(spec.prefix) / "share/jupyter"
                          : spec.user          ? data_of_user()
                                               : fs::path(data_of_machine);
    return data / "kernels" / spec.name;
}

/// "Kernel names may only contain ASCII letters, numbers, '-', '.' and '_'".
Result<fs::path> checked_folder(const Kernelspec& spec) {
    const bool is_name = !spec.name.empty() && std::ranges::all_of(spec.name, [](unsigned char c) {
        return c < 0x80 && (std::isalnum(c) || c == '-' || c == '.' || c == '_');
    });
    if (!is_name || spec.name.starts_with('.'))
        return error("bad-argument", fmt::format("'{}' can't be a kernel's name", spec.name),
                     "a name has letters, digits, '-', '.' and '_': --name cudash-a100, say");
    if (spec.user && !spec.prefix.empty())
        return error("bad-argument", "--user and --prefix name two places", "use one of them");
    return folder_of(spec);
}

/// The program that a kernel of ours starts; nullopt: it is not ours.
std::optional<std::string> program_of(const fs::path& folder) {
    const auto text = shell::read_file((folder / "kernel.json").string());
    const json content = text ? parse_json(*text) : json();
    if (!content.is_object()) return std::nullopt;
    const auto metadata = content.find("metadata"), arguments = content.find("argv");
    if (metadata == content.end() || !metadata->is_object() || !metadata->contains("cudash")) return std::nullopt;
    const bool has_program =
        arguments != content.end() && arguments->is_array() && !arguments->empty() && arguments->front().is_string();
    return has_program ? arguments->front().get<std::string>() : std::string();
}

bool is_ours(const fs::path& folder) {
    return program_of(folder).has_value();
}

Diagnostic unwritable(const fs::path& path, const std::string& why, const Kernelspec& spec) {
    return error("not-written", fmt::format("{} can't be written: {}", path.string(), why),
                 spec.user || !spec.prefix.empty() ? "may you write to that folder?"
                                                   : "`cudash kernel install --user` installs it for you alone");
}

std::string kernel_json(const Kernelspec& spec) {
    json arguments = {own_program().string(), "kernel", "run", "{connection_file}"};
    std::string shown = "CUDA C++ (cudash)";
    if (!spec.device.empty()) {
        arguments.push_back("--device");
        arguments.push_back(spec.device);
        shown = fmt::format("CUDA C++ (cudash, {})", spec.device);
    }
    // A message interrupts the cell alone; a signal would reach all processes that it has started.
    const nlohmann::ordered_json content = {{"argv", arguments},
                                            {"display_name", shown},
                                            {"language", "c++"},
                                            {"interrupt_mode", "message"},
                                            {"metadata", {{"cudash", json::object()}, {"debugger", false}}}};
    return json_text(content, 1) + "\n";
}

}  // namespace

Result<std::string> install_kernelspec(const Kernelspec& spec) {
    const auto folder = checked_folder(spec);
    if (!folder) return folder.error();
    std::error_code failed;
    if (fs::exists(*folder, failed) && !is_ours(*folder))
        return error("not-written", fmt::format("{} holds another kernel", folder->string()),
                     "give this one another name: `cudash kernel install --name cudash-2`");
    fs::create_directories(*folder, failed);
    if (failed) return unwritable(*folder, failed.message(), spec);
    for (const auto& [name, text] :
         {std::pair<const char*, std::string>{"logo-svg.svg", logo}, {"kernel.json", kernel_json(spec)}}) {
        const std::string why = shell::write_file((*folder / name).string(), text);
        if (!why.empty()) return unwritable(*folder / name, why, spec);
    }
    return folder->string();
}

std::vector<InstalledKernel> installed_kernels() {
    std::vector<InstalledKernel> kernels;
    for (const fs::path& data : {data_of_user(), fs::path(data_of_machine), fs::path("/usr/share/jupyter")}) {
        std::error_code failed;
        std::vector<fs::path> folders;
        for (const auto& entry : fs::directory_iterator(data / "kernels", failed)) folders.push_back(entry.path());
        std::ranges::sort(folders);
        for (const fs::path& folder : folders)
            if (const auto program = program_of(folder))
                kernels.push_back({folder.string(), *program, access(program->c_str(), X_OK) == 0});
    }
    return kernels;
}

Result<std::string> uninstall_kernelspec(const Kernelspec& spec) {
    const auto folder = checked_folder(spec);
    if (!folder) return folder.error();
    std::error_code failed;
    if (!fs::exists(*folder / "kernel.json", failed))
        return error("not-found", fmt::format("no kernel is installed in {}", folder->string()),
                     "`jupyter kernelspec list` shows where kernels are; --user, --prefix and --name say which one is "
                     "meant");
    if (!is_ours(*folder))
        return error("not-removed", fmt::format("{} holds a kernel that is not cudash's", folder->string()),
                     "`jupyter kernelspec remove` removes any kernel");
    fs::remove_all(*folder, failed);
    if (failed) return unwritable(*folder, failed.message(), spec);
    return folder->string();
}

}  // namespace cudash::notebook
