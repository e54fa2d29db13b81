#include "repl/lesson/workspace.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "repl/lesson/progress.h"
#include "repl/shell/text_check.h"

namespace cudash::lesson {

namespace fs = std::filesystem;

std::string student_home() {
    const char* set = std::getenv("CUDASH_HOME");
    if (set && *set) {
        std::error_code ignored;
        return fs::absolute(set, ignored).string();
    }
    const char* home = std::getenv("HOME");
    return home && *home == '/' ? std::string(home) + "/cudash" : std::string();
}

std::string readable(const std::string& path) {
    const char* home = std::getenv("HOME");
    const std::string prefix = home && *home == '/' ? std::string(home) + "/" : std::string();
    if (prefix.size() < 2 || !path.starts_with(prefix)) return path;
    return "~/" + path.substr(prefix.size());
}

namespace {

/// An empty file in its place would be taken for the student's own once the lesson is whole again.
Diagnostic no_exercise() {
    return error("no-exercise", "the lesson does not have the exercise's file", ":skip goes on");
}

}  // namespace

Workspace::Workspace(const std::string& lesson_name, const std::string& kind) {
    const std::string home = student_home();
    if (!home.empty() && !kind.empty()) folder_ = fmt::format("{}/{}/{}", home, kind, lesson_name);
}

std::optional<Diagnostic> Workspace::place(const Exercise& exercise) const {
    if (folder_.empty())
        return error("no-home", "there is no folder for your files: neither CUDASH_HOME nor HOME is set",
                     "set CUDASH_HOME to a folder of yours");
    std::error_code ignored;
    if (fs::exists(file_of(exercise), ignored)) return std::nullopt;
    if (exercise.exercise.text.empty()) return no_exercise();
    return write_atomically(file_of(exercise), exercise.exercise.text);
}

Result<std::string> Workspace::read(const Exercise& exercise) const {
    auto text = shell::read_file(file_of(exercise));
    if (!text) text.error().hint = ":reset puts the exercise there again";
    return text;
}

Result<std::string> Workspace::reset(const Exercise& exercise) const {
    if (exercise.exercise.text.empty()) return no_exercise();
    const std::string path = file_of(exercise);
    std::string kept;
    std::error_code failure;
    if (fs::exists(path, failure)) {
        kept = free_name(path, "kept");
        fs::rename(path, kept, failure);
        if (failure)
            return error("can-not-write", fmt::format("{} can't be kept as {}: {}", path, kept, failure.message()));
    }
    if (auto problem = write_atomically(path, exercise.exercise.text)) {
        if (!kept.empty()) fs::rename(kept, path, failure);  // a full disk costs nobody their file
        return *problem;
    }
    return kept;
}

}  // namespace cudash::lesson
