// The student's own folder of a lesson: the files of its exercises, and the progress. Nothing in it is ever overwritten
// without a copy.
#pragma once

#include <optional>
#include <string>

#include "repl/lesson/lesson.h"
#include "runtime_wrappers/result.h"

namespace cudash::lesson {

/// $CUDASH_HOME, or ~/cudash; empty without a home.
std::string student_home();

/// A path as a person writes it: "~/cudash/...".
std::string readable(const std::string& path);

class Workspace {
public:
    /// `kind`: the folder within the student's own, "lessons" or "puzzles"; empty: nothing is kept.
    explicit Workspace(const std::string& lesson_name, const std::string& kind = "lessons");

    /// The folder's path; empty: there is none, nothing can be kept.
    const std::string& folder() const { return folder_; }
    std::string progress_file() const { return folder_.empty() ? "" : folder_ + "/progress.json"; }
    std::string file_of(const Exercise& exercise) const { return folder_ + "/" + exercise.file_name(); }

    /// Puts the exercise's file there, unless it is there already.
    std::optional<Diagnostic> place(const Exercise& exercise) const;
    /// The student's file as it is now.
    Result<std::string> read(const Exercise& exercise) const;
    /// The exercise as it was handed out. What the student wrote is kept; the name under which it is.
    Result<std::string> reset(const Exercise& exercise) const;

private:
    std::string folder_;
};

}  // namespace cudash::lesson
