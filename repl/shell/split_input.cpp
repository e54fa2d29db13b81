#include "repl/shell/split_input.h"

#include <algorithm>

#include "repl/shell/cell_complete.h"
#include "repl/shell/commands.h"

namespace cudash::shell {
namespace {

bool is_blank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

/// Takes cells off the front of `text`; with `rest`, one that is not whole too.
void take_cells(std::string_view& text, bool rest, std::vector<InputPiece>& pieces) {
    while (!text.empty()) {
        const CellExtent extent = first_cell(text);
        const bool whole = extent.state != CellExtent::State::incomplete;
        if (!whole && !rest) return;
        if (extent.state != CellExtent::State::empty)
            pieces.push_back({false, std::string(text.substr(extent.begin, extent.end - extent.begin)), whole});
        text.remove_prefix(extent.end);
    }
}

}  // namespace

std::vector<InputPiece> split_input(std::string_view text) {
    std::vector<InputPiece> pieces;
    std::string_view cells = text.substr(0, 0);  // what stands before `line` and is no piece yet
    for (std::size_t line = 0; line < text.size();) {
        const std::size_t end = std::min(text.find('\n', line), text.size() - 1) + 1;
        if (is_command(text.substr(line, end - line))) {
            const std::size_t begin = static_cast<std::size_t>(cells.data() - text.data());
            cells = text.substr(begin, line - begin);
            take_cells(cells, false, pieces);
            if (is_blank(cells)) {
                std::string_view command = text.substr(line, end - line);
                while (command.ends_with('\n') || command.ends_with('\r')) command.remove_suffix(1);
                pieces.push_back({true, std::string(command)});
                cells = text.substr(end, 0);
            }
        }
        line = end;
    }
    cells = text.substr(static_cast<std::size_t>(cells.data() - text.data()));
    take_cells(cells, true, pieces);
    return pieces;
}

bool is_whole_input(std::string_view text) {
    const std::string_view tail = text.substr(text.find_last_not_of(" \t\r\n") + 1);
    if (std::count(tail.begin(), tail.end(), '\n') >= 2) return true;
    const auto pieces = split_input(text);
    return pieces.empty() || pieces.back().whole;
}

}  // namespace cudash::shell
