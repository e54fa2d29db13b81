// The folder with a class's results: whose they are, what they were made by, and who writes there.
//
//     class.json      whose results these are (ClassOwner)
//     records/        what is known of each submission
//     results/        the same in the form that was asked for
//     summary.csv, summary.html
#pragma once

#include <optional>
#include <string>

#include "repl/worker/unique_fd.h"
#include "runtime_wrappers/result.h"

namespace cudash::grade {

/// class.json. Paths are absolute.
struct ClassOwner {
    std::string assignment, submissions;
    std::string format = "text";
    bool times = false;
    std::string made_by;      ///< the content of the assignment and of the program; empty: not known
    std::string key, key_id;  ///< the course's key: its file, and which key it is; empty: none
    std::string course;       ///< course.toml; empty: none

    bool operator==(const ClassOwner&) const = default;
};

class ClassFolder {
public:
    explicit ClassFolder(std::string path) : path_(std::move(path)) {}

    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }
    std::string record(const std::string& entry) const;
    std::string result(const std::string& entry, const std::string& suffix) const;

    /// Makes the folders. Empty, or why that can't be done.
    std::string make() const;
    enum class Use {
        alone,    ///< the whole class
        together  ///< one of several shards
    };
    /// Nobody else uses the folder in another way, as long as the result is kept. The error: somebody does. A file
    /// system that has no locks is trusted: what is written there is written whole.
    Result<worker::UniqueFd> lock(Use use) const;
    /// What graders that were killed have left half written. Nothing is removed if others hold the lock,
    /// too, or the file system has none.
    void remove_unfinished(const worker::UniqueFd& lock) const;

    /// The error: there is none, or it can't be read.
    Result<ClassOwner> owner() const;
    /// The folder belongs to `wanted` from now on, or did before. nullopt, or whose it is.
    std::optional<Diagnostic> take(const ClassOwner& wanted) const;
    /// Empty, or why it can't be written.
    std::string write(const ClassOwner& owner) const;

private:
    std::string path_;
};

std::string absolute_path(const std::string& path);

}  // namespace cudash::grade
