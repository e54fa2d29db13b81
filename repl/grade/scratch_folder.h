// A folder for one worker alone, gone with its owner.
#pragma once

#include <string>

#include "repl/worker/unique_fd.h"

namespace cudash::grade {

/// What the names of all such folders begin with, behind the folder for temporary files.
std::string scratch_prefix();

class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    /// Empty: there is none, because the disk is full or may not be written.
    const std::string& path() const { return path_; }

private:
    std::string path_;
    worker::UniqueFd lock_;
};

/// Removes the folders of graders that were killed.
void remove_stale_scratch_folders();

}  // namespace cudash::grade
