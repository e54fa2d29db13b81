#include "repl/shell/input/history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "repl/shell/text_check.h"
#include "repl/worker/unique_fd.h"

namespace cudash::shell {
namespace {

using worker::UniqueFd;

/// An entry as a line: `\n` for its line ends, `\\` for `\`.
std::string escaped(std::string_view entry) {
    std::string line;
    for (const char c : entry) {
        if (c == '\n') {
            line += "\\n";
        } else if (c == '\\') {
            line += "\\\\";
        } else {
            line += c;
        }
    }
    return line + "\n";
}

std::optional<std::string> unescaped(std::string_view line) {
    std::string entry;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] == '\\' && i + 1 < line.size()) {
            entry += line[i + 1] == 'n' ? '\n' : line[i + 1];
            ++i;
        } else {
            entry += line[i];
        }
    }
    if (entry.empty() || check_text("history", entry)) return std::nullopt;
    return entry;
}

/// Opens and locks; the lock ends with the descriptor.
UniqueFd open_locked(const std::string& path, int flags) {
    UniqueFd file(open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0600));
    struct stat about {};
    if (!file || fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return {};
    while (flock(file.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
    return file;
}

bool write_all(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t size = write(file, text.data(), text.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(size));
    }
    return true;
}

}  // namespace

std::vector<std::string> load_history(const std::string& path, std::size_t most) {
    std::vector<std::string> entries;
    UniqueFd file = open_locked(path, O_RDWR);
    const bool may_write = static_cast<bool>(file);
    if (!may_write) file = open_locked(path, O_RDONLY);
    if (!file) return entries;
    std::string text;
    char bytes[65536];
    for (ssize_t size = 0; (size = read(file.get(), bytes, sizeof bytes)) > 0;)
        text.append(bytes, static_cast<std::size_t>(size));
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (auto entry = unescaped(std::string_view(text).substr(at, end - at))) entries.push_back(std::move(*entry));
        at = end + 1;
    }
    if (entries.size() <= most) return entries;
    const bool cut = entries.size() >= 2 * most;
    entries.erase(entries.begin(), entries.end() - static_cast<std::ptrdiff_t>(most));
    if (cut && may_write && lseek(file.get(), 0, SEEK_SET) == 0 && ftruncate(file.get(), 0) == 0) {
        std::string kept;
        for (const std::string& entry : entries) kept += escaped(entry);
        write_all(file.get(), kept);
    }
    return entries;
}

std::string append_history(const std::string& path, std::string_view entry) {
    if (entry.size() > most_of_entry) return {};
    std::error_code failure;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failure);
    errno = 0;
    const UniqueFd file = open_locked(path, O_WRONLY | O_APPEND | O_CREAT);
    if (!file) return errno ? std::strerror(errno) : "it is not a plain file";
    return write_all(file.get(), escaped(entry)) ? "" : std::strerror(errno);
}

std::string default_history_file() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state && *state == '/') return std::string(state) + "/cudash/history";
    const char* home = std::getenv("HOME");
    if (home && *home == '/') return std::string(home) + "/.local/state/cudash/history";
    return {};
}

}  // namespace cudash::shell
