#include "repl/grade/scratch_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>

namespace cudash::grade {
namespace {

namespace fs = std::filesystem;

constexpr std::time_t new_for = 60;  ///< seconds in which a folder may not have its lock yet

/// An owner holds its folder's lock; where that can be had, there is no owner.
worker::UniqueFd lock(const std::string& path) {
    worker::UniqueFd folder(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (folder && flock(folder.get(), LOCK_EX | LOCK_NB) != 0) folder.reset();
    return folder;
}

}  // namespace

std::string scratch_prefix() {
    std::error_code ignored;
    return (fs::temp_directory_path(ignored) / "cudash-grade-").string();
}

ScratchFolder::ScratchFolder() {
    std::string pattern = scratch_prefix() + "XXXXXX";
    if (!mkdtemp(pattern.data())) return;
    path_ = pattern;
    lock_ = lock(path_);
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
}

void remove_stale_scratch_folders() {
    const fs::path prefix = scratch_prefix();
    std::error_code failed;
    for (const auto& each : fs::directory_iterator(prefix.parent_path(), failed)) {
        const std::string path = each.path().string();
        struct stat status {};
        if (!path.starts_with(prefix.string()) || lstat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
            status.st_uid != geteuid() || status.st_mtime + new_for > std::time(nullptr))
            continue;
        if (const auto held = lock(path)) {
            std::error_code ignored;
            fs::remove_all(path, ignored);
        }
    }
}

}  // namespace cudash::grade
