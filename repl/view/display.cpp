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
    if (events) return events->finding(diagnostic);
    if (fresh_line) fresh_line();
    const std::string text = json ? print_json(diagnostic) : print(diagnostic, lines, style, width_of_messages);
    if (finding)
        finding(diagnostic, text);
    else
        messages(text);
}

void Display::show(const session::Table& table) const {
    if (events) return events->table(table);
    results(print(table, style_of_results, width));
}

void Display::show(const session::Told& told) const {
    if (events) return events->told(told);
    if (fresh_line) fresh_line();
    messages(told.text + "\n");
}

void Display::show(const Outcome& outcome, std::string_view cell, const SourceLines& lines) const {
    for (const Diagnostic& diagnostic : outcome.diagnostics) show(diagnostic, lines);
    if (outcome.status == Outcome::Status::interrupted && outcome.diagnostics.empty()) {
        if (fresh_line) fresh_line();
        if (json)
            show(error("interrupted", fmt::format("{} was interrupted", cell)), lines);
        else
            messages(fmt::format("{} was interrupted\n", cell));
    }
    if (outcome.status == Outcome::Status::faulted && outcome.diagnostics.empty())
        show(error("fault", fmt::format("{} did not end normally", cell)), lines);
    if (!outcome.sound && !json && outcome.status != Outcome::Status::lost)
        note(*this, "the worker's memory can't be trusted any more; :replay runs your cells again in a new one");
    if (outcome.table || !outcome.text.empty()) {
        if (fresh_line) fresh_line();
        results(outcome.text);
        if (events && !outcome.memory.empty())
            events->memory(outcome.memory);
        else
            results(print_memory_map(outcome.memory, screen()));
        if (outcome.table) show(*outcome.table);
    }
    if (outcome.stop) {
        if (fresh_line) fresh_line();
        results(print(*outcome.stop, lines, style_of_results, width));
    }
    if (outcome.lanes) results(print(*outcome.lanes, style_of_results, width));
    if (outcome.value && events) {
        events->value(*outcome.value);
    } else if (outcome.value && value) {
        value(*outcome.value);
    } else if (outcome.value) {
        if (fresh_line) fresh_line();
        results(wrap_value(fmt::format("({}) {}", outcome.value->type, outcome.value->text), width) + "\n");
    }
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
