// How results and messages are to look, as far as a user may choose.
#pragma once

#include <string>

namespace cudash::view {

struct Look {
    enum class Colour {
        automatic,  ///< in a terminal, unless NO_COLOR or TERM=dumb says otherwise
        never,
        always
    };
    enum class Unicode { automatic, ascii, utf8 };

    Colour colour = Colour::automatic;
    Unicode unicode = Unicode::automatic;
    bool plain = false;               ///< --plain: neither colour nor control of the terminal
    bool light = false;               ///< the terminal's background is light
    unsigned width = 0;               ///< columns; 0: those of the terminal
    unsigned elements = 96;           ///< of a long line of numbers, so many are printed
    std::string pager = "less -RFX";  ///< a command
};

}  // namespace cudash::view
