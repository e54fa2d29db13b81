#pragma once

#include <string>

#include "repl/worker/unique_fd.h"

namespace cudash::lesson {

/// Notices that a file is saved, whether an editor writes it or puts another in its place.
class FileWatch {
public:
    /// Watches `path` from now on; empty: nothing. One that is watched already stays so: what has happened to it and
    /// was not taken yet is not forgotten.
    void set(const std::string& path);
    /// Becomes readable when something happens in the file's folder; -1: nothing is watched.
    int descriptor() const { return notify_.get(); }
    /// True if the file was among what happened since the last call.
    bool take();

private:
    worker::UniqueFd notify_;
    std::string path_, name_;
};

}  // namespace cudash::lesson
