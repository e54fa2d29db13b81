// Colour, only where a terminal shows it.
#pragma once

#include <string>
#include <string_view>

namespace cudash::view {

struct Style {
    bool colour = false;
    bool utf8 = true;    ///< block characters and braille may be used
    bool light = false;  ///< the background: bright colours can't be read on a light one

    std::string bold(std::string_view text) const { return wrap("1", text); }
    std::string italic(std::string_view text) const { return wrap("3", text); }
    std::string underlined(std::string_view text) const { return wrap("4", text); }
    std::string dim(std::string_view text) const { return wrap("2", text); }
    std::string red(std::string_view text) const { return wrap(light ? "31" : "1;31", text); }
    std::string magenta(std::string_view text) const { return wrap(light ? "35" : "1;35", text); }
    std::string cyan(std::string_view text) const { return wrap(light ? "34" : "1;36", text); }
    std::string green(std::string_view text) const { return wrap(light ? "32" : "1;32", text); }
    /// Bars of pictures.
    std::string accent(std::string_view text) const { return wrap(light ? "34" : "36", text); }
    /// Text in the colours of an SGR sequence that sets both, so that no background matters.
    std::string wrap(std::string_view code, std::string_view text) const {
        if (!colour) return std::string(text);
        return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
    }
};

/// A terminal that may be sent control sequences: --plain and TERM=dumb refuse them.
bool takes_controls(int fd, bool plain);
/// A terminal that takes colour: NO_COLOR (no-color.org) refuses it, too.
bool takes_colour(int fd, bool plain);
/// Unless the locale says otherwise.
bool speaks_utf8();

}  // namespace cudash::view
