// Colour, only where a terminal shows it.
#pragma once

#include <string>
#include <string_view>

namespace cudash::view {

struct Style {
    bool colour = false;
    bool utf8 = true;  ///< block characters and braille may be used

    std::string bold(std::string_view text) const { return wrap("1", text); }
    std::string italic(std::string_view text) const { return wrap("3", text); }
    std::string underlined(std::string_view text) const { return wrap("4", text); }
    std::string dim(std::string_view text) const { return wrap("2", text); }
    std::string red(std::string_view text) const { return wrap("1;31", text); }
    std::string magenta(std::string_view text) const { return wrap("1;35", text); }
    std::string cyan(std::string_view text) const { return wrap("1;36", text); }
    std::string green(std::string_view text) const { return wrap("1;32", text); }

private:
    std::string wrap(std::string_view code, std::string_view text) const {
        if (!colour) return std::string(text);
        return "\033[" + std::string(code) + "m" + std::string(text) + "\033[0m";
    }
};

/// Colour for `fd` if it is a terminal, unless --plain, NO_COLOR (no-color.org) or TERM=dumb say otherwise. More than
/// ASCII wherever it goes, unless the locale has another encoding.
Style style_for(int fd, bool plain);

}  // namespace cudash::view
