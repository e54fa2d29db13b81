// What a picture is drawn on: so many columns, with or without Unicode and colour. Pictures are pure functions of plain
// data (pictures.h); the same data makes the SVG of a report (report.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cudash::view {

struct Canvas {
    unsigned width = 80;  ///< columns; less than 40 is drawn as 40
    bool unicode = true;
    bool colour = false;
    bool light = false;  ///< the background

    unsigned columns() const { return width < 40 ? 40 : width; }
    /// `value` of `most` as a bar of at most `cells` columns, padded to them if `padded`.
    std::string bar(double value, double most, unsigned cells, bool padded = true) const;
    /// One column that is the darker the nearer `value` is to `most`; a dot for nothing.
    std::string shade(double value, double most) const;
    std::string red(std::string_view text) const { return paint("31", text); }
    std::string green(std::string_view text) const { return paint("32", text); }
    std::string yellow(std::string_view text) const { return paint(light ? "35" : "33", text); }
    std::string cyan(std::string_view text) const { return paint(light ? "34" : "36", text); }
    std::string bold(std::string_view text) const { return paint("1", text); }

private:
    std::string paint(std::string_view code, std::string_view text) const;
};

/// Terminal columns of UTF-8 text without control sequences.
std::size_t width_of(std::string_view text);
/// At most `columns` of them: what is cut off is told by "..." at the end.
std::string fitted(std::string_view text, std::size_t columns);
/// The same, and padded to them.
std::string padded(std::string_view text, std::size_t columns);
/// Words in lines of the canvas, each ending in a line end.
std::string wrapped(std::string_view text, const Canvas& canvas, unsigned indent = 0);
/// "12.3 MB", "1,234".
std::string bytes_as_text(double bytes);

}  // namespace cudash::view
