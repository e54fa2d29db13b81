#include "repl/shell/input/edit_colours.h"

#include <fmt/format.h>

#include <algorithm>
#include <cwchar>
#include <optional>
#include <utility>
#include <vector>

#include "repl/shell/input/characters.h"
#include "repl/view/highlight.h"

namespace cudash::shell {
namespace {

using view::PaintedRun;

/// libedit shows these by others, as in ^G.
bool is_control(wchar_t c) {
    return c != L'\n' && c != L'\t' && wcwidth(c) < 0;
}

/// Writes characters where `place_after` says that they stand.
class Painter {
public:
    Painter(Place at, std::size_t width) : at_(at), width_(width) {}

    /// Characters of one line that are drawn alike.
    void put(std::wstring_view characters, PaintedRun::Paint paint, bool stands_out, const view::Style& style) {
        std::wstring row;
        const auto flush = [&] {
            if (!row.empty()) {
                const std::string bytes = narrow(row);
                out_ += stands_out ? style.wrap("1;4", bytes) : view::painted(paint, bytes, style);
            }
            row.clear();
        };
        for (const wchar_t c : characters) {
            const Place after = place_after({&c, 1}, width_, at_);
            const bool is_line_end = c == L'\n', is_wide = wcwidth(c) == 2 && at_.column + 2 > width_;
            if (is_wide) {  // does not fit: it stands in the next row
                flush();
                next_rows(1);
            }
            if (c == L'\t') {
                row.append(after.row > at_.row ? width_ - at_.column : after.column - at_.column, L' ');
            } else if (!is_line_end) {
                row += c;
            }
            if (after.row > at_.row && !is_wide) {
                flush();
                next_rows(after.row - at_.row);
            }
            at_ = after;
        }
        flush();
    }

    const std::string& out() const { return out_; }

private:
    void next_rows(std::size_t rows) { out_ += fmt::format("\r\033[{}B", rows); }

    Place at_;
    std::size_t width_;
    std::string out_;
};

}  // namespace

std::string coloured_edit(const EditedText& edited, const view::Style& style, bool brackets) {
    if (!style.colour || edited.text.empty() || std::ranges::any_of(edited.text, is_control)) return {};
    if (place_after(edited.text, edited.width, edited.begin).row >= edited.height) return {};
    std::string bytes;
    std::vector<std::size_t> begins;  // of the characters, in bytes
    for (const wchar_t c : edited.text) {
        begins.push_back(bytes.size());
        bytes += narrow({&c, 1});
    }
    begins.push_back(bytes.size());
    const std::vector<PaintedRun> runs = view::paint(bytes);
    std::optional<std::pair<std::size_t, std::size_t>> pair;
    if (brackets) pair = view::matching_brackets(bytes, runs, begins[edited.cursor]);
    Painter painter(edited.begin, edited.width);
    std::size_t from = 0;
    for (const PaintedRun& run : runs)
        while (begins[from] < run.end) {
            const auto is_one_of_pair = [&](std::size_t byte) {
                return pair && (byte == pair->first || byte == pair->second);
            };
            std::size_t to = from + 1;
            const bool stands_out = is_one_of_pair(begins[from]);
            while (!stands_out && begins[to] < run.end && !is_one_of_pair(begins[to])) ++to;
            painter.put(edited.text.substr(from, to - from), run.paint, stands_out, style);
            from = to;
        }
    const Place cursor = place_after(edited.text.substr(0, edited.cursor), edited.width, edited.begin);
    const std::size_t up = cursor.row - edited.begin.row;
    return fmt::format("\0337\033[?25l{}\r{}{}\0338\033[?25h", up > 0 ? fmt::format("\033[{}A", up) : "",
                       edited.begin.column > 0 ? fmt::format("\033[{}C", edited.begin.column) : "", painter.out());
}

}  // namespace cudash::shell
