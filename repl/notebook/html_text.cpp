#include "repl/notebook/html_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace cudash::notebook {
namespace {

/// ANSI's eight colors, in tones that can be read on white and on black.
constexpr std::array<std::string_view, 8> colors = {"#808080", "#d9363e", "#2a9d4a", "#a87900",
                                                    "#2f7fd6", "#b350c9", "#17929e", "#8c8c8c"};

struct Look {
    bool bold = false, dim = false, italic = false, underlined = false;
    std::string color, background;

    bool is_plain() const { return *this == Look{}; }
    bool operator==(const Look&) const = default;
    std::string style() const {
        std::string text;
        if (bold) text += "font-weight:bold;";
        if (dim) text += "opacity:.7;";
        if (italic) text += "font-style:italic;";
        if (underlined) text += "text-decoration:underline;";
        if (!color.empty()) text += fmt::format("color:{};", color);
        if (!background.empty()) text += fmt::format("background:{};", background);
        return text;
    }
};

/// xterm's palette: 16 colors, a cube of 6x6x6, 24 grays.
std::string palette(unsigned index) {
    if (index < 16) return std::string(colors[index % 8]);
    if (index >= 232) return fmt::format("#{0:02x}{0:02x}{0:02x}", std::min(8 + 10 * (index - 232), 255u));
    const auto level = [](unsigned part) { return part == 0 ? 0u : 55 + 40 * part; };
    index -= 16;
    return fmt::format("#{:02x}{:02x}{:02x}", level(index / 36), level(index / 6 % 6), level(index % 6));
}

/// "1;31" of a sequence, as numbers.
std::vector<unsigned> numbers_of(std::string_view parameters) {
    std::vector<unsigned> numbers;
    while (true) {
        const std::size_t end = std::min(parameters.find(';'), parameters.size());
        unsigned number = 0;
        std::from_chars(parameters.data(), parameters.data() + end, number);
        numbers.push_back(number);
        if (end == parameters.size()) return numbers;
        parameters.remove_prefix(end + 1);
    }
}

void apply_codes(const std::vector<unsigned>& numbers, Look& look) {
    for (std::size_t at = 0; at < numbers.size(); ++at) {
        const unsigned number = numbers[at];
        std::string* target = number < 40 ? &look.color : &look.background;
        if (number == 0) {
            look = {};
        } else if (number == 1) {
            look.bold = true;
        } else if (number == 2) {
            look.dim = true;
        } else if (number == 3) {
            look.italic = true;
        } else if (number == 4) {
            look.underlined = true;
        } else if (number == 22) {
            look.bold = look.dim = false;
        } else if ((number >= 30 && number < 38) || (number >= 40 && number < 48)) {
            *target = colors[number % 10];
        } else if (number >= 90 && number < 98) {
            look.color = colors[number - 90];
        } else if (number == 39 || number == 49) {
            target->clear();
        } else if (number == 38 || number == 48) {
            if (at + 2 < numbers.size() && numbers[at + 1] == 5) {
                *target = palette(std::min(numbers[at + 2], 255u));
                at += 2;
            } else if (at + 4 < numbers.size() && numbers[at + 1] == 2) {
                *target = fmt::format("#{:02x}{:02x}{:02x}", numbers[at + 2] & 255, numbers[at + 3] & 255,
                                      numbers[at + 4] & 255);
                at += 4;
            }
        }
    }
}

/// Takes a control sequence from the front of `text`, which begins with an escape.
void take_sequence(std::string_view& text, Look& look) {
    text.remove_prefix(1);
    if (!text.starts_with('[')) return;
    const std::size_t end =
        std::ranges::find_if(text.substr(1), [](char c) { return c >= '@' && c <= '~'; }) - text.begin();
    if (end < text.size() && text[end] == 'm') apply_codes(numbers_of(text.substr(1, end - 1)), look);
    text.remove_prefix(std::min(text.size(), end + 1));
}

}  // namespace

std::string escape_html(std::string_view text) {
    std::string result;
    for (const char c : text) {
        if (c == '&')
            result += "&amp;";
        else if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else if (c == '"')
            result += "&quot;";
        else
            result += c;
    }
    return result;
}

std::string html_text(std::string_view text) {
    std::string html = "<pre style=\"margin:0;white-space:pre-wrap;word-break:normal;font-family:monospace\">";
    Look look;
    while (!text.empty()) {
        if (text.front() == '\033') {
            take_sequence(text, look);
            continue;
        }
        const std::string_view run = text.substr(0, text.find('\033'));
        html += look.is_plain() ? escape_html(run)
                                : fmt::format("<span style=\"{}\">{}</span>", look.style(), escape_html(run));
        text.remove_prefix(run.size());
    }
    return html + "</pre>";
}

}  // namespace cudash::notebook
