#include "repl/view/display.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "repl/view/debug_stop.h"
#include "repl/view/diagnostic_json.h"
#include "repl/view/memory_map.h"
#include "repl/view/note.h"
#include "repl/view/pager.h"
#include "repl/view/progress_bar.h"
#include "repl/view/rich/forms.h"
#include "repl/view/table.h"
#include "repl/view/wrap.h"
#include "repl/view/wrap_value.h"

namespace cudash::view {
namespace {

using session::Outcome;

void write_now(std::FILE* file, std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), file);
    std::fflush(file);
}

/// A terminal does not say where its cursor is. Spaces for a whole line wrap to the next one unless the cursor stood at
/// the start; after the carriage return it stands at the start of an empty line either way.
void fresh_terminal_line() {
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return;
    write_now(stdout, std::string(size.ws_col - 1u, ' ') + "\r\033[K");
}

/// One line that the next output overwrites.
void show_terminal_progress(std::string_view what, std::uint64_t done, std::uint64_t all) {
    static bool shown = false;
    if (what.empty() && !shown) return;
    winsize size{};
    const unsigned width = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 12 ? size.ws_col - 1u : 79;
    const std::string line = all == 0 ? fmt::format("{} ...", what) : progress_bar(what, done, all, width);
    write_now(stderr, what.empty() ? "\r\033[K" : fmt::format("\r\033[K{}\r", line));
    shown = !what.empty();
}

}  // namespace

void Display::show(const Diagnostic& diagnostic, const SourceLines& lines) const {
    if (collect) collect(diagnostic);
    if (events) return events->finding(diagnostic);
    if (fresh_line) fresh_line();
    if (finding && !json)
        return finding(diagnostic,
                       {.plain = print(diagnostic, lines, style, width_of_messages), .html = html(diagnostic, lines)});
    if (rich && !json)
        return rich({.plain = print(diagnostic, lines, Style{.utf8 = style.utf8}, width_of_messages),
                     .html = html(diagnostic, lines)});
    messages(json ? print_json(diagnostic) : print(diagnostic, lines, style, width_of_messages));
}

void Display::show(const session::Table& table) const {
    if (events) return events->table(table);
    if (rich) return rich({.plain = print(table, plain_screen().style, width), .html = html(table)});
    results(print(table, style_of_results, width));
}

void Display::show(const session::TraceLine& told) const {
    if (events) return events->told(told);
    if (fresh_line) fresh_line();
    messages(told.text + "\n");
}

void Display::show(const Outcome& outcome, std::string_view cell, const SourceLines& lines) const {
    for (const Diagnostic& diagnostic : outcome.diagnostics) show(diagnostic, lines);
    if (outcome.status == Outcome::Status::interrupted && outcome.diagnostics.empty()) {
        if (fresh_line) fresh_line();
        if (json || finding)
            show(error("interrupted", fmt::format("{} was interrupted", cell)), lines);
        else
            messages(fmt::format("{} was interrupted\n", cell));
    }
    if (outcome.status == Outcome::Status::faulted && outcome.diagnostics.empty())
        show(error("fault", fmt::format("{} did not end normally", cell)), lines);
    if (!outcome.sound && !json && outcome.status != Outcome::Status::lost)
        note(*this, "the worker's memory can't be trusted any more; :replay runs your cells again in a new one");
    if (outcome.table || outcome.picture || !outcome.text.empty()) {
        if (fresh_line) fresh_line();
        if (rich && !events)
            show_rich_answer(outcome);
        else
            show_answer(outcome);
    }
    show_stop(outcome, lines);
    if (outcome.value && events) {
        events->value(*outcome.value);
    } else if (outcome.value && value) {
        value(*outcome.value);
    } else if (outcome.value) {
        if (fresh_line) fresh_line();
        results(wrap_value(fmt::format("({}) {}", outcome.value->type, outcome.value->text), width) + "\n");
    }
}

void Display::show_answer(const Outcome& outcome) const {
    results(outcome.text);
    if (outcome.picture) results(draw(*outcome.picture, canvas()));
    if (events && !outcome.memory.empty())
        events->memory(outcome.memory);
    else
        results(print_memory_map(outcome.memory, screen()));
    if (outcome.table) show(*outcome.table);
}

/// A picture, a map and a table are results of their own: each has its best form.
void Display::show_rich_answer(const Outcome& outcome) const {
    if (outcome.picture) {
        Canvas plain = canvas();
        plain.colour = false;
        Rich picture{.plain = outcome.text + draw(*outcome.picture, plain)};
        add_forms(*outcome.picture, picture);
        rich(picture);
    }
    if (!outcome.memory.empty())
        rich({.plain = print_memory_map(outcome.memory, plain_screen()), .svg = memory_map_svg(outcome.memory)});
    if (outcome.table)
        rich({.plain = (outcome.picture ? "" : outcome.text) + print(*outcome.table, plain_screen().style, width),
              .html = html(*outcome.table, outcome.picture ? "" : outcome.text)});
    else if (!outcome.picture && !outcome.text.empty())
        results(outcome.text);
}

void Display::show_stop(const Outcome& outcome, const SourceLines& lines) const {
    const bool is_rich = rich && !events;
    if (outcome.stop) {
        if (fresh_line) fresh_line();
        if (is_rich)
            rich({.plain = print(*outcome.stop, lines, plain_screen().style, width),
                  .html = html(*outcome.stop, lines)});
        else
            results(print(*outcome.stop, lines, style_of_results, width));
    }
    if (outcome.lanes && is_rich)
        rich({.plain = print(*outcome.lanes, plain_screen().style, width), .html = html(*outcome.lanes)});
    else if (outcome.lanes)
        results(print(*outcome.lanes, style_of_results, width));
}

void note(const Display& display, std::string_view text) {
    std::string lines;
    for (const std::string& line : wrap(text, display.width_of_messages, 2, "  ", LongWords::kept))
        lines += (lines.empty() ? "  " : "") + line + "\n";
    display.messages(lines);
}

void Display::use(Look wished) {
    look = std::move(wished);
    const auto style_of = [this](bool takes_colour) {
        const bool automatic = look.colour == Look::Colour::automatic;
        return Style{
            .colour = automatic ? takes_colour : look.colour == Look::Colour::always,
            .utf8 = look.unicode == Look::Unicode::automatic ? terminal.utf8 : look.unicode == Look::Unicode::utf8,
            .light = look.light};
    };
    style = style_of(terminal.colour_of_messages);
    style_of_results = style_of(terminal.colour_of_results);
    measure();
}

void Display::measure() {
    if (measures) {
        winsize size{};
        if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
            terminal.width = size.ws_col;
            terminal.height = size.ws_row;
        }
        if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0) width_of_messages = size.ws_col;
    }
    width = look.width ? look.width : terminal.width;
    height = terminal.height;
}

bool Display::page(std::string_view text) const {
    return view::page(text, height, look.pager);
}

Display event_display(const Look& look, bool times) {
    Display display;
    display.events = std::make_shared<EventStream>([](std::string_view line) { write_now(stdout, line); }, times);
    display.results = [events = display.events](std::string_view text) { events->text(text); };
    display.messages = [events = display.events](std::string_view text) { events->message(text); };
    display.json = true;
    Look plain = look;
    plain.colour = Look::Colour::never;
    display.use(std::move(plain));
    return display;
}

Display standard_display(const Look& look, bool json) {
    Display display;
    display.results = [](std::string_view text) { write_now(stdout, text); };
    display.messages = [](std::string_view text) { write_now(stderr, text); };
    display.json = json;
    display.terminal.colour_of_results = takes_colour(STDOUT_FILENO, look.plain);
    display.terminal.colour_of_messages = takes_colour(STDERR_FILENO, look.plain);
    display.terminal.utf8 = speaks_utf8();
    display.measures = true;
    display.controls = takes_controls(STDOUT_FILENO, look.plain);
    if (!json && display.controls) display.fresh_line = fresh_terminal_line;
    if (!json && takes_controls(STDERR_FILENO, look.plain)) display.progress = show_terminal_progress;
    display.use(look);
    return display;
}

}  // namespace cudash::view
