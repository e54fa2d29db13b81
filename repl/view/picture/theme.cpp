#include "repl/view/picture/theme.h"

#include <fmt/format.h>

#include <array>

namespace cudash::view {
namespace {

struct InkRow {
    Ink ink;
    std::string_view name, light, dark;
};
constexpr std::array inks = {
    InkRow{Ink::paper, "paper", "#ffffff", "#18181b"},   InkRow{Ink::ink, "ink", "#222222", "#e4e4e7"},
    InkRow{Ink::quiet, "quiet", "#555555", "#a1a1aa"},   InkRow{Ink::pale, "pale", "#e0e0e0", "#3f3f46"},
    InkRow{Ink::soft, "soft", "#bbdefb", "#1e3a5f"},     InkRow{Ink::blue, "blue", "#1565c0", "#64b5f6"},
    InkRow{Ink::good, "good", "#2e7d32", "#66bb6a"},     InkRow{Ink::fair, "fair", "#8a5a00", "#fbc02d"},
    InkRow{Ink::warm, "warm", "#f9a825", "#fbc02d"},     InkRow{Ink::bad, "bad", "#c62828", "#ef5350"},
    InkRow{Ink::violet, "violet", "#6a1b9a", "#ba68c8"}, InkRow{Ink::orange, "orange", "#ef6c00", "#ffa726"},
    InkRow{Ink::teal, "teal", "#00838f", "#4dd0e1"},
};
constexpr bool is_in_order() {
    for (std::size_t i = 0; i < inks.size(); ++i)
        if (inks[i].ink != static_cast<Ink>(i)) return false;
    return inks.size() == static_cast<std::size_t>(Ink::teal) + 1;
}
static_assert(is_in_order());

std::string variables(std::string_view InkRow::*color) {
    std::string text;
    for (const InkRow& row : inks) text += fmt::format("--cd-{}:{};", row.name, row.*color);
    return text;
}

}  // namespace

std::string_view name_of(Ink ink) {
    return inks[static_cast<std::size_t>(ink)].name;
}

std::string_view light_color(Ink ink) {
    return inks[static_cast<std::size_t>(ink)].light;
}

std::string theme_css() {
    const std::string light = variables(&InkRow::light), dark = variables(&InkRow::dark);
    // What a page says of its own theme counts more than what the system says, and paper more than both.
    std::string css = fmt::format(
        ".cudash{{{}}}@media (prefers-color-scheme:dark){{.cudash{{{}}}}}"
        "[data-jp-theme-light=true] .cudash,.vscode-light .cudash{{{}}}"
        "[data-jp-theme-light=false] .cudash,.vscode-dark .cudash,.vscode-high-contrast .cudash{{{}}}"
        "@media print{{.cudash.cudash.cudash{{{}}}}}",
        light, dark, light, dark, light);
    for (const InkRow& row : inks)
        css += fmt::format("svg.cudash .c-{0},.cudash svg .c-{0}{{fill:var(--cd-{0})}}", row.name);
    return css;
}

}  // namespace cudash::view
