#include "repl/grade/write_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "repl/worker/unique_fd.h"

namespace cudash::grade {

std::string write_file(const std::string& path, std::string_view text) {
    const std::string beside = path + ".part";
    const auto fail = [&] {
        const std::string why = std::strerror(errno);
        unlink(beside.c_str());
        return why;
    };
    {
        const worker::UniqueFd file(open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644));
        if (!file) return std::strerror(errno);
        while (!text.empty()) {
            const ssize_t size = write(file.get(), text.data(), text.size());
            if (size < 0 && errno == EINTR) continue;
            if (size <= 0) return fail();
            text.remove_prefix(static_cast<std::size_t>(size));
        }
        if (fsync(file.get()) != 0 && errno != EINVAL) return fail();
    }
    if (rename(beside.c_str(), path.c_str()) != 0) return fail();
    return {};
}

}  // namespace cudash::grade
