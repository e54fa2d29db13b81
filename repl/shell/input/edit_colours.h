// Colour while a cell is edited: libedit draws the text, and this draws over it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "repl/shell/input/edit_text.h"
#include "repl/view/style.h"

namespace cudash::shell {

/// What is being edited, and where it stands on the screen.
struct EditedText {
    std::wstring_view text;
    std::size_t cursor = 0;             ///< characters before it
    Place begin;                        ///< of the text, counted from where the prompt began
    std::size_t width = 0, height = 0;  ///< of the terminal
};

/// Control sequences that draw the text again in colour, where it stands: the cursor is where it was before, and
/// nothing scrolls. The bracket at the cursor and its partner stand out if `brackets` is set. Empty if nothing is in
/// colour, or a part of the text is above the screen.
std::string coloured_edit(const EditedText& edited, const view::Style& style, bool brackets);

}  // namespace cudash::shell
