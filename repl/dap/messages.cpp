#include "repl/dap/messages.h"

#include <fmt/format.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "repl/trim.h"

namespace cudash::dap {
namespace {

/// Of the header's lines, that one. nullopt: it is missing, or no number.
std::optional<std::size_t> content_length(std::string_view header) {
    constexpr std::string_view name = "content-length";
    while (!header.empty()) {
        const std::size_t end = std::min(header.find('\n'), header.size());
        const std::string_view line = trim(header.substr(0, end));
        header.remove_prefix(std::min(header.size(), end + 1));
        const std::size_t colon = line.find(':');
        if (colon != name.size() || strncasecmp(line.data(), name.data(), name.size()) != 0) continue;
        const std::string_view digits = trim(line.substr(colon + 1));
        std::size_t value = 0;
        const auto [last, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (digits.empty() || failure != std::errc() || last != digits.data() + digits.size()) return std::nullopt;
        return value;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> MessageReader::next() {
    if (!problem_.empty()) return std::nullopt;
    constexpr std::string_view separator = "\r\n\r\n";
    const std::size_t end = bytes_.find(separator);
    if (end == std::string::npos || end > most_header) {
        if (bytes_.size() > most_header) problem_ = "a message's header has no end";
        return std::nullopt;
    }
    const auto length = content_length(std::string_view(bytes_).substr(0, end));
    if (!length) {
        problem_ = "a message needs a header with Content-Length: NUMBER";
        return std::nullopt;
    }
    if (*length > most_bytes) {
        problem_ = fmt::format("a message of {} bytes; the limit is {}", *length, most_bytes);
        return std::nullopt;
    }
    const std::size_t begin = end + separator.size();
    if (bytes_.size() - begin < *length) return std::nullopt;
    std::string text = bytes_.substr(begin, *length);
    bytes_.erase(0, begin + *length);
    return text;
}

std::string framed(std::string_view text) {
    return fmt::format("Content-Length: {}\r\n\r\n{}", text.size(), text);
}

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(descriptor, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

}  // namespace cudash::dap
