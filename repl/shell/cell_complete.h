// Where one cell ends and the next begins. Cells are whole lines; a cell is complete when its brackets, strings,
// comments and #if groups are closed and its last statement is. The same text gives the same cells whether it is typed,
// pasted, piped or read from a file.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::shell {

struct CellExtent {
    enum class State {
        empty,       ///< nothing but white space and comments
        incomplete,  ///< more lines are needed
        complete
    };
    State state = State::empty;
    std::size_t begin = 0;  ///< the first line that is not blank
    std::size_t end = 0;    ///< after the cell's last line end
};

/// The first cell of `text`. Lines that follow a complete cell are looked at: `else`, `catch`, `{` on the next line and
/// the like belong to it.
CellExtent first_cell(std::string_view text);

/// The text with the semicolon that its last declaration lacks: `int q = 5`, `struct S { int x; }`.
std::string with_semicolon(std::string_view text);

/// All cells of a whole text; the last may be incomplete, so that the compiler can say what is missing.
std::vector<std::string> split_cells(std::string_view text);

}  // namespace cudash::shell
