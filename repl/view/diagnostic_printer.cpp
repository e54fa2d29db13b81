#include "repl/view/diagnostic_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "repl/view/columns.h"
#include "repl/view/places.h"
#include "repl/view/wrap.h"

namespace cudash::view {
namespace {

struct SeverityLook {
    Diagnostic::Severity severity;
    std::string_view word;
    std::string (Style::*paint)(std::string_view) const;
};

constexpr SeverityLook severity_looks[] = {{Diagnostic::Severity::note, "note", &Style::cyan},
                                           {Diagnostic::Severity::warning, "warning", &Style::magenta},
                                           {Diagnostic::Severity::error, "error", &Style::red}};

/// Control characters in a message must not reach the terminal; further lines are indented.
std::string clean(std::string_view text, std::string_view indent) {
    std::string result;
    for (const char c : text) {
        if (c == '\n') {
            result += c;
            result += indent;
        } else if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) {
            result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
            result += c;
        }
    }
    while (result.ends_with('\n') || result.ends_with(' ')) result.pop_back();
    return result;
}

/// The same, in lines of at most `width` columns (0: any), of which the first has `used` ones less.
std::string fitted(std::string_view text, std::size_t used, unsigned width) {
    std::string result;
    for (const std::string_view rest = text; const auto& each : std::views::split(rest, '\n')) {
        const std::string line = clean(std::string_view(each.begin(), each.end()), "");
        // Where what stands before it leaves room for no word, it begins on a line of its own.
        const std::size_t word = columns_of(line.substr(0, line.find(' ')));
        const bool crowded = result.empty() && width != 0 && used + word > width && 4 + word <= width;
        if (!result.empty() || crowded) result += "\n    ";
        for (bool first = true;
             const std::string& piece : wrap(line, width, result.empty() ? used : 4, "    ", LongWords::kept)) {
            if (!std::exchange(first, false)) result += '\n';
            result += piece;
        }
    }
    while (result.ends_with('\n') || result.ends_with(' ')) result.pop_back();
    return result;
}

/// The part of a line of more than `room` columns around a place that the caret points at, so that both stay in one
/// line of the terminal; `caret`: columns before the place, then those before it in the part.
std::string part_around(std::string_view line, std::size_t& caret, std::size_t room) {
    constexpr std::string_view cut = "...";
    const std::size_t width = columns_of(line);
    const std::size_t last = width + cut.size() - room;  // what begins there reaches the end
    std::size_t begin = caret + room / 3 < room ? 0 : std::min(caret - room / 2, last);
    std::size_t end = begin + room - (begin > 0 ? cut.size() : 0);
    if (end < width) end -= cut.size();
    std::string part;
    std::size_t column = 0, before = 0;
    for (std::size_t at = 0; at < line.size() && column < end;) {
        std::size_t next = at + 1;
        while (next < line.size() && (line[next] & 0xc0) == 0x80) ++next;
        const std::string_view character = line.substr(at, next - at);
        const std::size_t columns = columns_of(character);
        if (column >= begin && column + columns <= end) {
            part += character;
            if (column < caret) before += columns;
        }
        column += columns;
        at = next;
    }
    caret = before + (begin > 0 ? cut.size() : 0);
    return fmt::format("{}{}{}", begin > 0 ? cut : "", part, end < width ? cut : "");
}

std::string snippet(const SourceSpot& where, const SourceLines& lines, const Style& style, unsigned width) {
    if (where.line == 0 || !lines) return {};
    auto line = lines(where.file, where.line);
    if (!line || line->find_first_not_of(" \t\r") == std::string::npos) return {};
    constexpr std::size_t least_room = 12;
    const std::string indent = width >= least_room + 8 || width == 0 ? "    " : "";
    const std::size_t room = width > indent.size() + least_room ? width - indent.size() : least_room;
    const bool has_caret = where.column != 0 && where.column <= line->size() + 1;
    std::string shown = clean(*line, "");
    if (width != 0 && columns_of(shown) > room) {
        std::ranges::replace(*line, '\t', ' ');
        shown = clean(*line, "");
        std::size_t caret = has_caret ? columns_of(clean(line->substr(0, where.column - 1) + "|", "")) - 1 : 0;
        const std::string part = part_around(shown, caret, room);
        return fmt::format("{}{}\n{}", indent, part,
                           has_caret ? fmt::format("{}{}\n", indent + std::string(caret, ' '), style.green("^")) : "");
    }
    std::string text = indent + shown + "\n";
    if (!has_caret) return text;
    // Columns count bytes; the caret stands under a character, and a tab stays a tab.
    std::string padding = indent;
    for (const char c : line->substr(0, where.column - 1))
        if ((c & 0xc0) != 0x80) padding += c == '\t' ? '\t' : ' ';
    return text + padding + style.green("^") + "\n";
}

std::string at_spot(const SourceSpot& where) {
    return where.file.empty() ? "" : ", " + spot(where);
}

std::string print_note(const Diagnostic::Note& note, const SourceLines& lines, const Style& style, unsigned width) {
    if (!note.where.file.empty() && note.where.column != 0) {
        const std::string place = position(note.where);
        return fmt::format("{}: {}: {}\n{}", style.bold(place), style.cyan("note"),
                           fitted(note.message, columns_of(place + ": note: "), width),
                           snippet(note.where, lines, style, width));
    }
    return fmt::format("  {}\n", fitted(note.message + at_spot(note.where), 2, width));
}

bool is_same(const SourceSpot& a, const SourceSpot& b) {
    return a.line != 0 && a.column != 0 && a.file == b.file && a.line == b.line && a.column == b.column;
}

}  // namespace

std::string print(const Diagnostic& diagnostic, const SourceLines& lines, const Style& style, unsigned width) {
    const auto* look = std::find_if(std::begin(severity_looks), std::end(severity_looks),
                                    [&](const SeverityLook& row) { return row.severity == diagnostic.severity; });
    std::string word(look->word);
    // With a column it is a compiler's message, and reads as compilers write it.
    if (!diagnostic.code.empty() && (diagnostic.where.column == 0 || diagnostic.thread))
        word += "[" + diagnostic.code + "]";
    const bool of_source = !diagnostic.thread && !diagnostic.where.file.empty();
    const std::string place = of_source ? position(diagnostic.where) : std::string();
    const std::size_t used = columns_of(word) + 2 + (of_source ? columns_of(place) + 2 : 0);

    std::string text = of_source ? style.bold(place) + ": " : std::string();
    text += (style.*look->paint)(word) + ": " + style.bold(fitted(diagnostic.message, used, width)) + "\n";
    if (diagnostic.thread) {
        const ThreadSpot& thread = *diagnostic.thread;
        std::string spot = fmt::format("thread {} block {}", dim(thread.thread), dim(thread.block));
        if (!thread.kernel.empty()) spot += " in " + thread.kernel;
        text += "  " + fitted(spot + at_spot(diagnostic.where), 2, width) + "\n";
    }
    text += snippet(diagnostic.where, lines, style, width);
    for (const Diagnostic::Note& note : diagnostic.notes) {
        // The line that it is about has just been shown.
        const bool is_here = diagnostic.thread && is_same(note.where, diagnostic.where);
        text += print_note(is_here ? Diagnostic::Note{note.message, {}} : note, lines, style, width);
    }
    if (!diagnostic.hint.empty()) text += "  hint: " + fitted(diagnostic.hint, 8, width) + "\n";
    return text;
}

}  // namespace cudash::view
