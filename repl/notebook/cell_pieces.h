// A notebook's cell as what the session evaluates, and what stands at the cursor in one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "repl/shell/split_input.h"

namespace cudash::notebook {

/// Commands, and the code between them. Code is one piece, as other C++ notebooks have it, unless something in it shows
/// its value as at the shell's prompt; a piece then ends there, and a call of main() is one. Lines keep their numbers:
/// blank ones stand before a piece.
std::vector<shell::InputPiece> cell_pieces(std::string_view code);

/// The command or the code that the end of `text` belongs to.
std::string_view unfinished_piece(std::string_view text);

/// The name at a place, or that of the function whose arguments the place is among; ":show" of a command.
std::string name_at(std::string_view code, std::size_t place);

}  // namespace cudash::notebook
