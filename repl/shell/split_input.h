// A text that was entered at once, in the pieces that run one after another.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::shell {

struct InputPiece {
    bool is_command = false;
    std::string text;
    bool whole = true;     ///< false: a cell that goes on after the end
    std::size_t line = 1;  ///< of the whole text, the one that it begins in
};

/// Line ends.
std::size_t lines_in(std::string_view text);

/// The commands, and all that stands between two of them as one piece: a block of a document is one cell. A line is a
/// command if it begins with ':' and a letter where no cell is unfinished.
std::vector<InputPiece> cut_at_commands(std::string_view text);

/// The commands, and what stands between them cell by cell.
std::vector<InputPiece> split_input(std::string_view text);

/// What Enter runs: its cells are whole, or it ends with two blank lines. Prompts and typography that plain_text takes
/// out do not count.
bool is_whole_input(std::string_view text);

}  // namespace cudash::shell
