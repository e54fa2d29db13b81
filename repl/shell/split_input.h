// A text that was entered at once, in the pieces that run one after another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudash::shell {

struct InputPiece {
    bool is_command = false;
    std::string text;
    bool whole = true;  ///< false: a cell that goes on after the end
};

/// Cells and commands. A line is a command if it begins with ':' and a letter where no cell is unfinished.
std::vector<InputPiece> split_input(std::string_view text);

/// What Enter runs: its cells are whole, or it ends with two blank lines.
bool is_whole_input(std::string_view text);

}  // namespace cudash::shell
