#include "runtime_wrappers/nvrtc/log.h"

#include <charconv>
#include <optional>
#include <string>
#include <vector>

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

/// 'instantiation of "void f<T>(T) [with T=int]" at line 12 of session.cu': what led to the error above.
std::optional<Diagnostic::Note> parse_cause(std::string_view line) {
    constexpr std::string_view begin = "instantiation of ", middle = " at line ", last = " of ";
    const auto what = line.find(begin), at = line.rfind(middle);
    if (what == std::string_view::npos || at == std::string_view::npos || at < what) return std::nullopt;
    Diagnostic::Note note;
    const char* const number = line.data() + at + middle.size();
    const char* const end = line.data() + line.size();
    const auto [rest, failed] = std::from_chars(number, end, note.where.line);
    const std::string_view place(rest, static_cast<std::size_t>(end - rest));
    if (failed != std::errc() || !place.starts_with(last)) return std::nullopt;
    note.where.file = place.substr(last.size());
    note.message = "in " + std::string(line.substr(what, at - what)) + " requested here";
    return note;
}

}  // namespace

Diagnostic parse_log(std::string_view log) {
    std::string whole(log);
    std::vector<Diagnostic::Note> messages;
    std::optional<std::size_t> first;  // the first error
    std::size_t causes_end = 0;        // of what led to it, which is behind it
    bool in_message = false;
    while (!log.empty()) {
        const auto end = log.find('\n');
        const std::string_view line = log.substr(0, end);
        log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
        if (const auto header = parse_header(line)) {
            if (header->is_error && !first) {
                first = messages.size();
                causes_end = *first + 1;
            }
            messages.push_back({std::string(header->text), header->where});
            in_message = true;
        } else if (auto cause =
                       first && in_message && causes_end == messages.size() ? parse_cause(line) : std::nullopt) {
            messages.push_back(std::move(*cause));
            ++causes_end;
        } else if (line.empty()) {
            in_message = false;
        } else if (in_message) {
            // NVRTC indents the source line and its caret by two.
            if (const auto column = caret_column(line))
                messages.back().where.column = *column >= 2 ? *column - 1 : *column + 1;
        }
    }
    if (!first) {
        // A message without a place, such as a bad option.
        while (!whole.empty() && whole.back() == '\n') whole.pop_back();
        return error("nvrtc-compile", whole.empty() ? "device code does not compile" : whole);
    }
    const std::string& text = messages[*first].message;
    Diagnostic diagnostic = error("nvrtc-compile", "device code: " + text.substr(text.find(": ") + 2));
    diagnostic.where = messages[*first].where;
    messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(*first));
    diagnostic.notes = std::move(messages);
    return diagnostic;
}

}  // namespace cudash::nvrtc
