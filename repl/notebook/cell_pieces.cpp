#include "repl/notebook/cell_pieces.h"

#include <algorithm>
#include <cctype>

#include "repl/shell/cell_complete.h"
#include "repl/shell/commands.h"
#include "repl/trim.h"

namespace cudash::notebook {
namespace {

using shell::InputPiece;

bool in_name(char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// Whether the prompt would show a value of it: it is an expression without its semicolon.
bool may_show_value(std::string_view text) {
    text = trim(text);
    const std::size_t last_line = text.rfind('\n') + 1;
    return !text.ends_with(';') && !text.ends_with('}') && !text.substr(last_line).starts_with('#');
}

}  // namespace

std::vector<InputPiece> cell_pieces(std::string_view code) {
    std::vector<InputPiece> pieces;
    bool open = false;          // the last piece may go on
    std::size_t next_line = 1;  // that of the text behind it
    for (InputPiece& each : shell::split_input(code)) {
        if (each.is_command) {
            pieces.push_back(std::move(each));
            open = false;
            continue;
        }
        const bool calls_main = trim(each.text) == "main()" || trim(each.text) == "main();";
        if (!open || calls_main) {
            pieces.push_back({false, {}, true, each.line});
            next_line = 1;
        }
        InputPiece& piece = pieces.back();
        piece.text.append(each.line - next_line, '\n');
        piece.whole = each.whole;
        const std::string text = each.whole ? shell::with_semicolon(each.text) : each.text;
        piece.text += text;
        next_line = each.line + shell::lines_in(text);
        open = !may_show_value(text);
    }
    return pieces;
}

std::string_view unfinished_piece(std::string_view text) {
    const std::string_view line = text.substr(text.rfind('\n') + 1);
    const auto pieces = shell::cut_at_commands(text);
    if (pieces.empty()) return line;
    if (pieces.back().is_command) return trim(line).empty() ? std::string_view() : line.substr(line.find(':'));
    return text.substr(text.size() - std::min(text.size(), pieces.back().text.size()));
}

std::string name_at(std::string_view code, std::size_t place) {
    place = std::min(place, code.size());
    const std::size_t line_begin = place == 0 ? 0 : code.rfind('\n', place - 1) + 1;
    const std::string_view line = code.substr(line_begin, code.find('\n', line_begin) - line_begin);
    const std::string_view before = trim(code.substr(line_begin, place - line_begin));
    if (shell::is_command(line) && trim(line).starts_with(':') && before.find(' ') == std::string_view::npos)
        return std::string(trim(line).substr(0, trim(line).find_first_of(" \t")));

    std::size_t end = place;
    while (end < code.size() && in_name(code[end])) ++end;
    if (end == 0 || !in_name(code[end - 1])) {
        // Among the arguments of a call: back to its bracket.
        int depth = 0;
        for (end = place; end > 0; --end) {
            const char c = code[end - 1];
            if (c == ')') ++depth;
            if (c == '(' && depth-- == 0) break;
            if (c == ';' || c == '{' || c == '}') return {};
        }
        if (end == 0) return {};
        --end;
        while (end > 0 && std::isspace(static_cast<unsigned char>(code[end - 1]))) --end;
    }
    std::size_t begin = end;
    const auto scope_ends = [&] { return begin > 2 && code[begin - 1] == ':' && code[begin - 2] == ':'; };
    while (begin > 0 && (in_name(code[begin - 1]) || scope_ends())) begin -= scope_ends() ? 2 : 1;
    const std::string name(code.substr(begin, end - begin));
    return name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) ? std::string() : name;
}

}  // namespace cudash::notebook
