#include "repl/lesson/lessons_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "repl/grade/names.h"
#include "repl/own_program.h"
#include "repl/shell/suggest.h"

namespace cudash::lesson {

namespace fs = std::filesystem;

namespace {

/// "04_shared_memory": 4 and "shared_memory".
struct NumberedName {
    int number = -1;
    std::string_view rest;
};
NumberedName split(std::string_view name) {
    NumberedName result{-1, name};
    int number = 0;
    const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (failure != std::errc()) return result;
    result.number = number;
    result.rest = name.substr(static_cast<std::size_t>(end - name.data()));
    while (result.rest.starts_with('_') || result.rest.starts_with('-')) result.rest.remove_prefix(1);
    return result;
}

std::string name_of(const std::string& path) {
    return fs::path(path).filename().string();
}

}  // namespace

std::string lessons_folder() {
    if (const char* set = std::getenv("CUDASH_LESSONS"); set && *set) return set;
    return (own_program().parent_path() / "share" / "lessons").string();
}

std::string puzzles_in(const std::string& lessons) {
    return (fs::path(lessons) / "puzzles").string();
}

std::vector<std::string> lessons_in(const std::string& folder) {
    std::vector<std::string> result;
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder, failure))
        if (entry.is_directory(failure) && fs::exists(entry.path() / "lesson.md", failure))
            result.push_back(entry.path().string());
    std::ranges::sort(result);
    return result;
}

std::vector<std::string> lesson_names() {
    std::vector<std::string> names;
    for (const std::string& path : lessons_in(lessons_folder())) names.push_back(name_of(path));
    return names;
}

Result<std::string> find_lesson(const std::string& folder, std::string_view name, std::string_view what) {
    std::error_code failure;
    if (name.find('/') != std::string_view::npos || name == "." || name == "..") {
        if (fs::exists(fs::path(name) / "lesson.md", failure)) return std::string(name);
        return error("no-lesson", fs::is_directory(name, failure)
                                      ? fmt::format("{} is not a {}: there is no lesson.md in it", name, what)
                                      : fmt::format("there is no folder {}", name));
    }
    const std::vector<std::string> lessons = lessons_in(folder);
    const bool is_here = !name.empty() && fs::exists(fs::path(name) / "lesson.md", failure);
    if (lessons.empty() && is_here) return std::string(name);
    if (lessons.empty())
        return error("no-lessons", fmt::format("there are no {}s in {}", what, folder),
                     "CUDASH_LESSONS can name another folder");
    std::vector<std::string> names;
    for (const std::string& path : lessons) names.push_back(name_of(path));

    const NumberedName wanted = split(name);
    std::vector<std::size_t> found;
    // The whole name before its number, its number before its beginning.
    for (std::size_t i = 0; i < names.size() && found.empty(); ++i)
        if (names[i] == name || split(names[i]).rest == name) found.push_back(i);
    if (found.empty() && wanted.number >= 0 && wanted.rest.empty())
        for (std::size_t i = 0; i < names.size(); ++i)
            if (split(names[i]).number == wanted.number) found.push_back(i);
    if (found.empty() && is_here) return std::string(name);
    if (found.empty() && !name.empty())
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i].starts_with(name) || split(names[i]).rest.starts_with(name)) found.push_back(i);
    if (found.size() == 1) return lessons[found.front()];

    std::string all;
    if (found.size() > 1) {
        for (const std::size_t i : found) all += (all.empty() ? "" : ", ") + names[i];
        return error("no-lesson", fmt::format("several {}s begin with '{}'", what, name), "they are " + all);
    }
    std::vector<std::string_view> candidates;
    for (const std::string& each : names) {
        candidates.push_back(each);
        candidates.push_back(split(each).rest);
    }
    const auto meant = shell::suggest(name, candidates);
    return error("no-lesson", fmt::format("there is no {} '{}'", what, name),
                 meant ? fmt::format("did you mean {}?", *meant) : fmt::format("`cudash {}` lists them", what));
}

std::string typed_name(const std::string& path) {
    std::error_code failure;
    const fs::path parent = fs::path(path).parent_path();
    if (!parent.empty() && fs::equivalent(parent, lessons_folder(), failure)) return name_of(path);
    return grade::shell_word(path);
}

}  // namespace cudash::lesson
