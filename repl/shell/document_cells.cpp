#include "repl/shell/document_cells.h"

#include "repl/shell/commands.h"
#include "repl/shell/commands/debug.h"
#include "repl/shell/split_input.h"

namespace cudash::shell {

using session::Outcome;

Outcome run_document_cells(Notebook& notebook, std::string_view text) {
    Outcome outcome;
    if (notebook.debugging()) text = feed_debugger(notebook, text);
    for (const InputPiece& piece : cut_at_commands(text)) {
        if (notebook.debugging()) {
            const std::string rest(feed_debugger(notebook, piece.text));
            if (rest.find_first_not_of(" \t\r\n") != std::string::npos) outcome = notebook.evaluate(rest);
            continue;
        }
        if (piece.is_command) {
            if (const auto code = run_command(notebook, piece.text)) {
                outcome.status = Outcome::Status::exited;
                outcome.exit_code = *code;
                break;
            }
            continue;
        }
        outcome = notebook.evaluate(piece.text);
        if (outcome.status == Outcome::Status::exited || outcome.status == Outcome::Status::lost) break;
    }
    return outcome;
}

}  // namespace cudash::shell
