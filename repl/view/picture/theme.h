// The colors of pages and pictures, on a light and on a dark background: one table.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cudash::view {

/// What a color is for. An element has it as the class `c-NAME` and, where style sheets are taken away (a mail, a
/// notebook that is not trusted), as an attribute with the light color.
enum class Ink : std::uint8_t {
    paper,   ///< the background
    ink,     ///< text
    quiet,   ///< captions, numbers of lines
    pale,    ///< what is empty; lines between rows
    soft,    ///< a part of something blue
    blue,    ///< what is neither good nor bad
    good,    ///<
    fair,    ///< worse than it could be, as text
    warm,    ///< the same as an area
    bad,     ///<
    violet,  ///< and three more, to tell things apart
    orange,
    teal
};

/// "good".
std::string_view name_of(Ink ink);
/// "#2e7d32", on a light background.
std::string_view light_color(Ink ink);

/// Rules for all below an element of the class `cudash`: the colors as variables, which follow the theme of JupyterLab,
/// Notebook and VS Code, that of the reader's system elsewhere, and are light on paper. Of the colors only those that
/// `page` names are in it, as the class `c-NAME` or as `var(--cd-NAME)`: each result of a notebook has its own rules,
/// as it may be copied or exported alone.
std::string theme_css(std::string_view page);
/// With all colors.
std::string theme_css();

}  // namespace cudash::view
