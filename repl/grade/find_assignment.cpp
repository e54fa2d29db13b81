#include "repl/grade/find_assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "repl/grade/names.h"
#include "repl/shell/suggest.h"

namespace cudash::grade {

namespace fs = std::filesystem;

Result<std::string> find_assignment(const std::string& lessons, const std::string& name) {
    std::error_code none;
    if (fs::is_directory(name, none)) return name;
    const fs::path shipped = fs::path(lessons) / "assignments";
    std::vector<std::string> names;
    for (const auto& each : fs::directory_iterator(shipped, none))
        if (fs::exists(each.path() / "assignment.toml", none)) names.push_back(each.path().filename().string());
    std::ranges::sort(names);
    if (std::ranges::find(names, name) != names.end()) return (shipped / name).string();
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const auto meant = shell::suggest(name, candidates);
    std::string all;
    for (const std::string& each : names) all += (all.empty() ? "" : ", ") + each;
    const std::string shown = shown_name(name);
    return error("no-assignment",
                 name.find('/') != std::string::npos ? fmt::format("there is no folder {}", shown)
                                                     : fmt::format("there is no assignment {}", shown),
                 meant         ? fmt::format("did you mean {}?", *meant)
                 : all.empty() ? "`cudash grade new NAME` makes an example"
                               : fmt::format("give an assignment's folder, or one that comes with cudash: {}", all));
}

Assignment unknown_assignment(const std::string& name) {
    Assignment assignment;
    assignment.folder = name;
    assignment.name = shown_name(name);
    return assignment;
}

}  // namespace cudash::grade
