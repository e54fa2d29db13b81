#include "repl/shell/document_cells.h"

#include "repl/shell/cell_complete.h"
#include "repl/shell/commands.h"

namespace cudash::shell {

using session::Outcome;

std::vector<std::string> cut_at_commands(std::string_view text) {
    std::vector<std::string> pieces;
    std::string pending;
    const auto end_piece = [&] {
        if (pending.find_first_not_of(" \t\r\n") != std::string::npos) pieces.push_back(pending);
        pending.clear();
    };
    // The last of the cells decides; those before it are complete.
    const auto is_complete = [&] {
        const std::vector<std::string> cells = split_cells(pending);
        return cells.empty() || first_cell(cells.back()).state != CellExtent::State::incomplete;
    };
    while (!text.empty()) {
        const std::size_t newline = text.find('\n');
        const std::string_view line = text.substr(0, newline);
        text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
        if (is_command(line) && is_complete()) {
            end_piece();
            pieces.emplace_back(line);
        } else {
            pending += std::string(line) + "\n";
        }
    }
    end_piece();
    return pieces;
}

Outcome run_document_cells(Notebook& notebook, std::string_view text) {
    Outcome outcome;
    for (const std::string& piece : cut_at_commands(text)) {
        if (is_command(piece) && piece.find('\n') == std::string::npos) {
            if (const auto code = run_command(notebook, piece)) {
                outcome.status = Outcome::Status::exited;
                outcome.exit_code = *code;
                break;
            }
            continue;
        }
        outcome = notebook.evaluate(piece);
        if (outcome.status == Outcome::Status::exited || outcome.status == Outcome::Status::lost) break;
    }
    return outcome;
}

}  // namespace cudash::shell
