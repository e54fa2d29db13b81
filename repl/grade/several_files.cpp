#include "repl/grade/several_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <string_view>

#include "repl/grade/names.h"
#include "repl/grade/submissions.h"

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;

/// The name in `#include "name"`; empty: the line is another.
std::string_view included(std::string_view line) {
    const auto skip = [&line] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    skip();
    if (!line.starts_with('#')) return {};
    line.remove_prefix(1);
    skip();
    if (!line.starts_with("include")) return {};
    line.remove_prefix(std::string_view("include").size());
    skip();
    if (!line.starts_with('"')) return {};
    line.remove_prefix(1);
    const std::size_t end = line.find('"');
    return end == std::string_view::npos ? std::string_view() : line.substr(0, end);
}

class Joiner {
public:
    explicit Joiner(const std::map<std::string, std::string>& files) : files_(files) {}

    /// nullopt: a file is missing, which `missing` names.
    bool add(const std::string& path, std::string& text, std::string& missing) {
        if (!added_.insert(path).second) return true;
        text += fmt::format("// {}\n", shown_name(path));
        for (std::string_view rest = files_.at(path); !rest.empty();) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            const std::string_view line = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            const std::string_view name = included(line);
            if (name.empty()) {
                if (line.find("#pragma once") == std::string_view::npos) text += line;
                text += '\n';
                continue;
            }
            const std::string found = find(fs::path(path).parent_path(), name);
            if (found.empty()) {
                missing = fmt::format("{} includes \"{}\", which is not among the files.", shown_name(path),
                                      shown_name(name));
                return false;
            }
            if (!add(found, text, missing)) return false;
        }
        return true;
    }

private:
    /// Beside the file that asks, or anywhere by its name.
    std::string find(const fs::path& beside, std::string_view name) const {
        for (const fs::path& path : {(beside / name).lexically_normal(), fs::path(name).lexically_normal()})
            if (files_.contains(path.string())) return path.string();
        for (const auto& [path, text] : files_)
            if (fs::path(path).filename() == fs::path(name).filename()) return path;
        return {};
    }

    const std::map<std::string, std::string>& files_;
    std::set<std::string> added_;
};

}  // namespace

Result<std::string> joined_sources(const std::map<std::string, std::string>& files) {
    std::string text, missing;
    Joiner joiner(files);
    for (const auto& [path, source] : files)
        if (has_source_suffix(path) && !joiner.add(path, text, missing)) return error("bad-submission", missing);
    return text;
}

}  // namespace cudash::grade
