#include "repl/grade/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "repl/worker/unique_fd.h"

namespace cudash::grade {

std::optional<std::string> read_open_file(int file, std::string& why, std::size_t most_bytes) {
    std::string text;
    char bytes[65536];
    ssize_t size = 0;
    while (text.size() <= most_bytes && (size = read(file, bytes, sizeof bytes)) > 0)
        text.append(bytes, static_cast<std::size_t>(size));
    if (size < 0) {
        why = std::strerror(errno);
        return std::nullopt;
    }
    return text;
}

std::optional<std::string> read_file(const std::string& path, std::string& why, std::size_t most_bytes) {
    // Not blocking: a pipe that nobody writes to must not stop the grader.
    const worker::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0) {
        why = std::strerror(errno);
        return std::nullopt;
    }
    if (!S_ISREG(status.st_mode)) {
        why = "it is not an ordinary file";
        return std::nullopt;
    }
    return read_open_file(file.get(), why, most_bytes);
}

}  // namespace cudash::grade
