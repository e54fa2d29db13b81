#include "repl/session/debug/code_lines.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>

#include "repl/trim.h"

namespace cudash::session::debug {
namespace {

std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    return trim(line);
}

std::optional<unsigned> take_number(std::string_view& text) {
    text = trim(text);
    unsigned value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::string_view quoted(std::string_view text) {
    const std::size_t begin = text.find('"'), end = text.rfind('"');
    return begin == std::string_view::npos || end == begin ? std::string_view()
                                                           : text.substr(begin + 1, end - begin - 1);
}

/// "k" of `.visible .entry k(`, `.func (.param .b32 r) k(`; empty of a line that begins no function.
std::string_view function_of(std::string_view line) {
    std::size_t at = line.find(".entry ");
    if (at == std::string_view::npos) at = line.find(".func ");
    if (at == std::string_view::npos || !line.starts_with('.')) return {};
    line = trim(line.substr(line.find(' ', at)));
    if (line.starts_with('(')) line = trim(line.substr(std::min(line.find(')'), line.size() - 1) + 1));
    std::size_t end = 0;
    while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) || line[end] == '_' ||
                                 line[end] == '$' || line[end] == '%'))
        ++end;
    return line.substr(0, end);
}

}  // namespace

std::vector<CodeLine> read_code_lines(std::string_view ptx) {
    std::map<unsigned, std::string> files;
    for (std::string_view rest = ptx; !rest.empty();) {
        std::string_view line = take_line(rest);
        if (!line.starts_with(".file")) continue;
        line.remove_prefix(5);
        if (const auto number = take_number(line)) files[*number] = quoted(line);
    }
    std::vector<CodeLine> lines;
    std::string symbol;
    for (unsigned ptx_line = 1; !ptx.empty(); ++ptx_line) {
        std::string_view line = take_line(ptx);
        if (const std::string_view name = function_of(line); !name.empty()) symbol = name;
        if (!line.starts_with(".loc")) continue;
        line.remove_prefix(4);
        const auto file = take_number(line), number = take_number(line), column = take_number(line);
        if (!file || !number || !column || *number == 0 || *column == 0) continue;
        const auto name = files.find(*file);
        if (name != files.end()) lines.push_back({shown_file(name->second), *number, symbol, ptx_line});
    }
    return lines;
}

std::string shown_file(const std::string& path) {
    // A program may go elsewhere.
    static const std::string folder = [] {
        std::error_code ignored;
        return std::filesystem::current_path(ignored).string() + "/";
    }();
    const std::string plain = std::filesystem::path(path).lexically_normal().string();
    return plain.size() > folder.size() && plain.starts_with(folder) ? plain.substr(folder.size()) : plain;
}

bool is_called(std::string_view function, std::string_view name) {
    if (function == name) return true;
    // "operator<" has no arguments there.
    if (name.empty() || function.find("operator") != std::string_view::npos) return false;
    const std::string_view plain = function.substr(0, function.find('<'));
    return plain == name || (plain.ends_with(name) && plain.substr(0, plain.size() - name.size()).ends_with("::"));
}

const CodeLine* line_at(const std::vector<CodeLine>& lines, std::string_view file, unsigned line) {
    const auto found =
        std::ranges::find_if(lines, [&](const CodeLine& each) { return each.line == line && each.file == file; });
    return found == lines.end() ? nullptr : &*found;
}

}  // namespace cudash::session::debug
