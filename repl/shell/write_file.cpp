#include "repl/shell/write_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "repl/worker/unique_fd.h"

namespace cudash::shell {
namespace {

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t size = write(fd, text.data(), text.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
}

/// Devices and pipes have nothing to sync.
bool sync(int fd) {
    return fsync(fd) == 0 || errno == EINVAL;
}

/// What the text goes to first: a name that nobody else has, beside the file's.
constexpr std::string_view unique = ".XXXXXX", suffix = ".part";

bool is_unfinished(const std::filesystem::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    std::error_code ignored;
    return name.size() > unique.size() + suffix.size() && name.ends_with(suffix) &&
           name[name.size() - suffix.size() - unique.size()] == '.' &&
           std::filesystem::is_regular_file(entry.symlink_status(ignored));
}

}  // namespace

std::string write_file(const std::string& path, std::string_view text) {
    struct stat known {};
    if (stat(path.c_str(), &known) == 0 && !S_ISREG(known.st_mode)) {
        const worker::UniqueFd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
        return file && write_all(file.get(), text) ? "" : std::strerror(errno);
    }
    std::string beside = path + std::string(unique) + std::string(suffix);
    const worker::UniqueFd file(mkostemps(beside.data(), suffix.size(), O_CLOEXEC));
    if (!file) return std::strerror(errno);
    // mkostemps lets nobody else read it; results are as other files are.
    const mode_t mask = umask(0);
    umask(mask);
    if (!write_all(file.get(), text) || fchmod(file.get(), 0666 & ~mask) != 0 || !sync(file.get()) ||
        rename(beside.c_str(), path.c_str()) != 0) {
        const std::string why = std::strerror(errno);
        unlink(beside.c_str());
        return why;
    }
    const auto folder = std::filesystem::path(path).parent_path();
    const worker::UniqueFd directory(open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory) fsync(directory.get());
    return {};
}

void remove_unfinished_files(const std::string& folder) {
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
        if (is_unfinished(entry)) std::filesystem::remove(entry.path(), failed);
}

}  // namespace cudash::shell
