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

/// Rules of the theme with the colors that `takes` takes. A variable that is `initial` counts as not there, so that
/// what stands behind the comma in `var(--cd-l,...)` is taken; one that is a space gives nothing. So each color is
/// written once for both backgrounds, and the rules for them only turn the two variables.
template <typename Takes>
std::string css_of(const Takes& takes) {
    constexpr std::string_view light = "--cd-l:initial;--cd-d: ", dark = "--cd-l: ;--cd-d:initial";
    std::string colors, classes;
    for (const InkRow& row : inks) {
        const std::string variable = fmt::format("var(--cd-{})", row.name), name = fmt::format("c-{}", row.name);
        const bool has_class = takes(fmt::format("\"{}\"", name));
        if (has_class) classes += fmt::format(".cudash .{}{{fill:{}}}", name, variable);
        if (has_class || takes(variable))
            colors += fmt::format("--cd-{}:var(--cd-l,{})var(--cd-d,{});", row.name, row.light, row.dark);
    }
    // What a page says of its own theme counts more than what the system says, and paper more than both.
    return fmt::format(
        ".cudash{{{0};{2}}}@media (prefers-color-scheme:dark){{.cudash{{{1}}}}}"
        "[data-jp-theme-light=true] .cudash,.vscode-light .cudash{{{0}}}"
        "[data-jp-theme-light=false] .cudash,.vscode-dark .cudash,.vscode-high-contrast .cudash{{{1}}}"
        "@media print{{.cudash.cudash.cudash{{{0}}}}}{3}",
        light, dark, colors, classes);
}

}  // namespace

std::string_view name_of(Ink ink) {
    return inks[static_cast<std::size_t>(ink)].name;
}

std::string_view light_color(Ink ink) {
    return inks[static_cast<std::size_t>(ink)].light;
}

std::string theme_css(std::string_view page) {
    return css_of([page](std::string_view name) { return page.find(name) != std::string_view::npos; });
}

std::string theme_css() {
    return css_of([](std::string_view) { return true; });
}

}  // namespace cudash::view
