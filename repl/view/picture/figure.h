// A picture as SVG, while it is drawn and when it is done.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "repl/view/picture/theme.h"

namespace cudash::view {

class Figure {
public:
    Figure() = default;
    Figure(double width, double height) : width_(width), height_(height) {}

    void box(double x, double y, double width, double height, Ink ink, std::string_view title = {});
    /// In a color of its own, which no theme changes.
    void box(double x, double y, double width, double height, std::string_view color, std::string_view title = {});
    void text(double x, double y, std::string_view text, Ink ink = Ink::ink);
    /// The text ends at `x`.
    void text_before(double x, double y, std::string_view text, Ink ink = Ink::quiet);
    void line(const std::vector<std::pair<double, double>>& points, Ink ink);
    /// A PNG image, with its pixels as squares.
    void image(double x, double y, double width, double height, std::string_view png);

    void set_caption(std::string caption) { caption_ = std::move(caption); }
    /// Nothing was drawn, as there is nothing to show.
    bool is_empty() const { return width_ == 0; }

    /// A whole <svg> element with its colors and, below the drawing, the caption.
    std::string svg() const;
    /// The drawing alone, in a page that has theme_css().
    std::string inline_svg() const;
    /// A <figure> for a page that has theme_css(); the caption is text of the page. Empty if is_empty().
    std::string html() const;

private:
    void add_text(double x, double y, std::string_view text, Ink ink, std::string_view anchor);

    double width_ = 0, height_ = 0;
    std::string body_, caption_;
};

}  // namespace cudash::view
