#include "repl/grade/course/csv.h"

#include <fmt/format.h>

#include <algorithm>

#include "repl/grade/names.h"

namespace cudash::grade {
namespace {

constexpr const char* save_as_utf8 = "in a spreadsheet, save it as \"CSV UTF-8\"";

/// The first byte that belongs to no text in UTF-8; npos: there is none.
std::size_t first_odd_byte(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const bool is_space = text[at] == '\n' || text[at] == '\r' || text[at] == '\t';
        const std::size_t length = is_space ? 1 : printable_length(text.substr(at));
        if (length == 0) return at;
        at += length;
    }
    return std::string_view::npos;
}

/// The one of `,`, `;` and tab that the first line has most of.
char separator_of(std::string_view text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    char best = ',';
    for (const char each : {';', '\t'})
        if (std::ranges::count(line, each) > std::ranges::count(line, best)) best = each;
    return best;
}

}  // namespace

Result<std::vector<CsvRow>> read_csv(std::string_view text, const std::string& path) {
    const auto problem = [&](unsigned line, std::string message, std::string hint = {}) {
        Diagnostic told = error("bad-table", std::move(message), std::move(hint));
        told.where = {path, line, 0};
        return told;
    };
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
        return problem(1, "the file is UTF-16; UTF-8 is needed", save_as_utf8);
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    if (const std::size_t odd = first_odd_byte(text); odd != std::string_view::npos) {
        const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(odd), '\n');
        return problem(static_cast<unsigned>(line),
                       fmt::format("expected UTF-8, got the byte 0x{:02X}", static_cast<unsigned char>(text[odd])),
                       save_as_utf8);
    }
    const char separator = separator_of(text);
    std::vector<CsvRow> rows;
    unsigned line = 1;
    for (std::size_t at = 0; at < text.size();) {
        CsvRow row;
        row.line = line;
        std::string field;
        bool in_quotes = false, ends = false;
        while (!ends) {
            const bool is_end = at >= text.size();
            const char c = is_end ? '\n' : text[at++];
            if (in_quotes) {
                if (is_end) return problem(row.line, "a field in quotes does not end", "each \" in a field is doubled");
                if (c == '\n') ++line;
                if (c == '"' && at < text.size() && text[at] == '"')
                    field += text[at++];
                else if (c == '"')
                    in_quotes = false;
                else
                    field += c;
            } else if (c == '"' && field.empty()) {
                in_quotes = true;
            } else if (c == separator || c == '\n') {
                if (c == '\n' && field.ends_with('\r')) field.pop_back();
                row.fields.push_back(std::move(field));
                field.clear();
                ends = c == '\n';
            } else {
                field += c;
            }
        }
        ++line;
        if (row.fields.size() > 1 || !row.fields.front().empty()) rows.push_back(std::move(row));
    }
    return rows;
}

std::string csv_field(std::string_view field) {
    std::string text(!field.empty() && std::string_view("=+-@").find(field[0]) != std::string_view::npos ? "'" : "");
    text += field;
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + "\"";
}

}  // namespace cudash::grade
