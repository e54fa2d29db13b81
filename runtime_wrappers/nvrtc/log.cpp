#include "runtime_wrappers/nvrtc/log.h"

#include <charconv>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace cudash::nvrtc {
namespace {

struct Header {
    SourceSpot where;
    std::string_view text;  ///< "error: ..."
    bool is_error = false;
};

/// "session.cu(12): error: text" or "session.cu(12): warning #177-D: text".
std::optional<Header> parse_header(std::string_view line) {
    const auto close = line.find("): ");
    if (close == std::string_view::npos) return std::nullopt;
    const auto open = line.rfind('(', close);
    if (open == std::string_view::npos || open == 0) return std::nullopt;
    Header header;
    const char* end = line.data() + close;
    if (std::from_chars(line.data() + open + 1, end, header.where.line).ptr != end) return std::nullopt;
    header.where.file = line.substr(0, open);
    header.text = line.substr(close + 3);
    const bool known = header.text.starts_with("error") || header.text.starts_with("warning") ||
                       header.text.starts_with("catastrophic error") || header.text.starts_with("remark");
    if (!known) return std::nullopt;
    header.is_error = header.text.find("error") < header.text.find(':');
    return header;
}

/// A line of blanks and one caret points into the source line before it.
std::optional<unsigned> caret_column(std::string_view line) {
    const auto caret = line.find('^');
    if (caret == std::string_view::npos || line.find_first_not_of(" \t^") != std::string_view::npos)
        return std::nullopt;
    return static_cast<unsigned>(caret);
}

}  // namespace

Diagnostic parse_log(std::string_view log) {
    Diagnostic diagnostic = error("nvrtc-compile", "");
    int errors = 0;
    std::string whole(log);
    const Diagnostic::Note* first = nullptr;
    std::size_t first_index = 0;
    bool in_message = false;
    while (!log.empty()) {
        const auto end = log.find('\n');
        std::string_view line = log.substr(0, end);
        log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
        if (auto header = parse_header(line)) {
            diagnostic.notes.push_back({std::string(header->text), header->where});
            if (header->is_error && ++errors == 1) first_index = diagnostic.notes.size() - 1;
            in_message = true;
        } else if (line.empty()) {
            in_message = false;
        } else if (in_message) {
            Diagnostic::Note& note = diagnostic.notes.back();
            // NVRTC indents the source line and its caret by two.
            if (auto column = caret_column(line)) note.where.column = *column >= 2 ? *column - 1 : *column + 1;
            note.message += '\n';
            note.message += line;
        }
    }
    if (errors > 0) {
        first = &diagnostic.notes[first_index];
        diagnostic.where = first->where;
        diagnostic.message = errors == 1 ? "device code does not compile"
                                         : fmt::format("device code does not compile: {} errors", errors);
    } else {
        // A message without a place, such as a bad option.
        while (!whole.empty() && whole.back() == '\n') whole.pop_back();
        diagnostic.message = whole.empty() ? "device code does not compile" : whole;
    }
    return diagnostic;
}

}  // namespace cudash::nvrtc
