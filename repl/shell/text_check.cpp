#include "repl/shell/text_check.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "repl/worker/unique_fd.h"

namespace cudash::shell {
namespace {

/// Bytes of the well-formed UTF-8 sequence at the start of `text`, 0 if it is none (RFC 3629, section 4).
std::size_t sequence_length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                               : first >= 0xe0 && first <= 0xef ? 3
                               : first >= 0xf0 && first <= 0xf4 ? 4
                                                                : 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
    const bool surrogate = first == 0xed && byte(1) > 0x9f;
    const bool too_large = first == 0xf4 && byte(1) > 0x8f;
    return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

std::optional<Diagnostic> check_text(std::string_view name, std::string_view text) {
    unsigned line = 1, column = 1;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = text[i] == '\0' ? 0 : sequence_length(text.substr(i));
        if (length == 0) {
            const bool nul = text[i] == '\0';
            Diagnostic diagnostic =
                error(nul ? "nul-byte" : "invalid-utf8",
                      nul ? std::string("a NUL byte in the text")
                          : fmt::format("byte 0x{:02x} is not valid UTF-8", static_cast<unsigned char>(text[i])),
                      nul ? "is this a binary or a UTF-16 file?" : "save the text as UTF-8");
            diagnostic.where = {std::string(name), line, column};
            return diagnostic;
        }
        column = text[i] == '\n' ? 1 : column + static_cast<unsigned>(length);
        line += text[i] == '\n';
        i += length;
    }
    return std::nullopt;
}

Result<std::string> read_file(const std::string& path) {
    const auto failed = [&](const std::string& why) {
        return error("unreadable-file", fmt::format("cannot read {}: {}", path, why));
    };
    const worker::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) return failed(std::strerror(errno));
    struct stat status;
    if (fstat(file.get(), &status) == 0 && S_ISDIR(status.st_mode)) return failed("it is a folder");
    std::string text;
    char bytes[16384];
    ssize_t size = 0;
    while ((size = read(file.get(), bytes, sizeof bytes)) != 0) {
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return failed(std::strerror(errno));
        text.append(bytes, static_cast<std::size_t>(size));
    }
    return text;
}

}  // namespace cudash::shell
