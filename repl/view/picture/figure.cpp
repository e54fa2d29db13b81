#include "repl/view/picture/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "repl/session/base64.h"
#include "repl/view/markup.h"
#include "repl/view/picture/canvas.h"

namespace cudash::view {
namespace {

constexpr double font_size = 11, widest_letter = 6.2;  ///< pixels; of common sans-serif fonts on average
constexpr double caption_line = 15;

std::string fill(Ink ink) {
    return fmt::format(R"(class="c-{}" fill="{}")", name_of(ink), light_color(ink));
}

}  // namespace

void Figure::box(double x, double y, double width, double height, Ink ink, std::string_view title) {
    body_ += fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" {}>)", x, y,
                         std::max(width, 0.5), height, fill(ink));
    if (!title.empty()) body_ += "<title>" + escaped(title) + "</title>";
    body_ += "</rect>";
}

void Figure::box(double x, double y, double width, double height, std::string_view color, std::string_view title) {
    body_ += fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}">)", x, y,
                         std::max(width, 0.5), height, escaped(color));
    if (!title.empty()) body_ += "<title>" + escaped(title) + "</title>";
    body_ += "</rect>";
}

void Figure::add_text(double x, double y, std::string_view text, Ink ink, std::string_view anchor) {
    body_ += fmt::format(R"(<text x="{:.1f}" y="{:.1f}" font-size="{}" {}{}>{}</text>)", x, y, font_size, fill(ink),
                         anchor, escaped(text));
}

void Figure::text(double x, double y, std::string_view text, Ink ink) {
    add_text(x, y, text, ink, "");
}

void Figure::text_before(double x, double y, std::string_view text, Ink ink) {
    add_text(x, y, text, ink, R"( text-anchor="end")");
}

void Figure::line(const std::vector<std::pair<double, double>>& points, Ink ink) {
    // An area of two pixels' width: it takes its color as all areas do.
    std::string there, back;
    for (const auto& [x, y] : points) there += fmt::format("{:.1f},{:.1f} ", x, y - 1);
    for (auto point = points.rbegin(); point != points.rend(); ++point)
        back += fmt::format("{:.1f},{:.1f} ", point->first, point->second + 1);
    if (!back.empty()) back.pop_back();
    body_ += fmt::format(R"(<polygon points="{}{}" {}/>)", there, back, fill(ink));
}

void Figure::image(double x, double y, double width, double height, std::string_view png) {
    body_ += fmt::format(R"(<image x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" preserveAspectRatio="none" )"
                         R"(style="image-rendering:pixelated" href="data:image/png;base64,{}"/>)",
                         x, y, width, height, session::to_base64(std::as_bytes(std::span(png))));
}

std::string Figure::svg() const {
    const auto columns = static_cast<unsigned>(std::max(40.0, width_ / widest_letter));
    std::vector<std::string> lines;
    if (!caption_.empty()) {
        std::string text = wrapped(caption_, {.width = columns});
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            lines.push_back(text.substr(at, end - at));
            at = end + 1;
        }
    }
    // Narrow drawings have captions of 40 letters, too.
    const double width = lines.empty() ? width_ : std::max(width_, 40 * widest_letter);
    const double height = height_ + (lines.empty() ? 0 : 6 + caption_line * static_cast<double>(lines.size()));
    std::string drawn = fmt::format(R"(<rect x="-6" y="-6" width="{:.0f}" height="{:.0f}" {}/>{})", width + 12,
                                    height + 12, fill(Ink::paper), body_);
    double y = height_ + 6 + font_size;
    for (const std::string& line : lines) {
        drawn += fmt::format(R"(<text x="0" y="{:.1f}" font-size="{}" {}>{}</text>)", y, font_size, fill(Ink::quiet),
                             escaped(line));
        y += caption_line;
    }
    return fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" class="cudash" viewBox="-6 -6 {0:.0f} {1:.0f}" width="{0:.0f}" )"
        R"(height="{1:.0f}" role="img" font-family="system-ui,sans-serif"><title>{2}</title><style>{3}</style>{4}</svg>)"
        "\n",
        width + 12, height + 12, escaped(caption_), theme_css(drawn), drawn);
}

std::string Figure::inline_svg() const {
    return fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" )"
                       R"(height="{1:.0f}" role="img">{2}</svg>)",
                       width_, height_, body_);
}

std::string Figure::html() const {
    if (is_empty()) return {};
    return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", inline_svg(), escaped(caption_));
}

}  // namespace cudash::view
