#include "repl/shell/split_input.h"

#include <algorithm>

#include "repl/shell/cell_complete.h"
#include "repl/shell/commands.h"
#include "repl/shell/pasted_text.h"

namespace cudash::shell {
namespace {

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// Removes the whole cells at the front of `text`; with `pieces`, puts them there, and at last one that is not whole.
/// `line`: the number of the text's first.
void take_cells(std::string_view& text, std::vector<InputPiece>* pieces, std::size_t line = 1) {
    while (!text.empty()) {
        const CellExtent extent = first_cell(text);
        const bool whole = extent.state != CellExtent::State::incomplete;
        if (!whole && !pieces) return;
        if (pieces && extent.state != CellExtent::State::empty)
            pieces->push_back({false, std::string(text.substr(extent.begin, extent.end - extent.begin)), whole,
                               line + lines_in(text.substr(0, extent.begin))});
        if (pieces) line += lines_in(text.substr(0, extent.end));
        text.remove_prefix(extent.end);
    }
}

}  // namespace

std::size_t lines_in(std::string_view text) {
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

std::vector<InputPiece> cut_at_commands(std::string_view text) {
    std::vector<InputPiece> pieces;
    std::size_t begin = 0;     // of what is not a piece yet
    std::string_view pending;  // its end, from the first cell that was not whole when it was last looked at
    std::size_t number = 1;    // of the line at `begin`
    const auto end_piece = [&](std::size_t end) {
        if (const auto between = text.substr(begin, end - begin); !is_blank(between))
            pieces.push_back({false, std::string(between), true, number});
    };
    for (std::size_t line = 0; line < text.size();) {
        const std::size_t end = std::min(text.find('\n', line), text.size() - 1) + 1;
        const std::string_view here = text.substr(line, end - line);
        if (is_command(here)) {
            const std::size_t from = pending.empty() ? begin : static_cast<std::size_t>(pending.data() - text.data());
            pending = text.substr(from, line - from);
            take_cells(pending, nullptr);
            if (is_blank(pending)) {
                end_piece(line);
                number += lines_in(text.substr(begin, line - begin));
                pieces.push_back({true, std::string(here.substr(0, here.find_last_not_of("\r\n") + 1)), true, number});
                ++number;
                begin = end;
                pending = {};
            }
        }
        line = end;
    }
    end_piece(text.size());
    return pieces;
}

std::vector<InputPiece> split_input(std::string_view text) {
    std::vector<InputPiece> pieces;
    for (InputPiece& piece : cut_at_commands(text)) {
        std::string_view cells = piece.text;
        if (piece.is_command)
            pieces.push_back(std::move(piece));
        else
            take_cells(cells, &pieces, piece.line);
    }
    return pieces;
}

bool is_whole_input(std::string_view text) {
    const std::string_view tail = text.substr(text.find_last_not_of(" \t\r\n") + 1);
    if (std::count(tail.begin(), tail.end(), '\n') >= 2) return true;
    const auto pieces = split_input(plain_text(text).text);
    return pieces.empty() || pieces.back().whole;
}

}  // namespace cudash::shell
