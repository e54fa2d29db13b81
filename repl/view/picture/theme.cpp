#include "repl/view/picture/theme.h"

#include <fmt/format.h>

#include <array>

namespace cudash::view {
namespace {

struct PaintRow {
    Paint paint;
    std::string_view name, light, dark;
};
constexpr std::array paints = {
    PaintRow{Paint::paper, "paper", "#ffffff", "#18181b"},   PaintRow{Paint::ink, "ink", "#222222", "#e4e4e7"},
    PaintRow{Paint::quiet, "quiet", "#555555", "#a1a1aa"},   PaintRow{Paint::pale, "pale", "#e0e0e0", "#3f3f46"},
    PaintRow{Paint::soft, "soft", "#bbdefb", "#1e3a5f"},     PaintRow{Paint::blue, "blue", "#1565c0", "#64b5f6"},
    PaintRow{Paint::good, "good", "#2e7d32", "#66bb6a"},     PaintRow{Paint::fair, "fair", "#8a5a00", "#fbc02d"},
    PaintRow{Paint::warm, "warm", "#f9a825", "#fbc02d"},     PaintRow{Paint::bad, "bad", "#c62828", "#ef5350"},
    PaintRow{Paint::violet, "violet", "#6a1b9a", "#ba68c8"}, PaintRow{Paint::orange, "orange", "#ef6c00", "#ffa726"},
    PaintRow{Paint::teal, "teal", "#00838f", "#4dd0e1"},
};
constexpr bool is_in_order() {
    for (std::size_t i = 0; i < paints.size(); ++i)
        if (paints[i].paint != static_cast<Paint>(i)) return false;
    return paints.size() == static_cast<std::size_t>(Paint::teal) + 1;
}
static_assert(is_in_order());

std::string variables(std::string_view PaintRow::*color) {
    std::string text;
    for (const PaintRow& row : paints) text += fmt::format("--cd-{}:{};", row.name, row.*color);
    return text;
}

}  // namespace

std::string_view name_of(Paint paint) {
    return paints[static_cast<std::size_t>(paint)].name;
}

std::string_view light_color(Paint paint) {
    return paints[static_cast<std::size_t>(paint)].light;
}

std::string theme_css() {
    const std::string light = variables(&PaintRow::light), dark = variables(&PaintRow::dark);
    // What a page says of its own theme counts more than what the system says, and paper more than both.
    std::string css = fmt::format(
        ".cudash{{{}}}@media (prefers-color-scheme:dark){{.cudash{{{}}}}}"
        "[data-jp-theme-light=true] .cudash,.vscode-light .cudash{{{}}}"
        "[data-jp-theme-light=false] .cudash,.vscode-dark .cudash,.vscode-high-contrast .cudash{{{}}}"
        "@media print{{.cudash.cudash.cudash{{{}}}}}",
        light, dark, light, dark, light);
    for (const PaintRow& row : paints)
        css += fmt::format("svg.cudash .c-{0},.cudash svg .c-{0}{{fill:var(--cd-{0})}}", row.name);
    return css;
}

}  // namespace cudash::view
