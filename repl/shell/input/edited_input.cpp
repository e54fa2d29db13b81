#include "repl/shell/input/edited_input.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <utility>

#include "repl/shell/input/edit_colours.h"
#include "repl/shell/input/edited_cell.h"
#include "repl/shell/input/history.h"
#include "repl/view/highlight.h"

namespace cudash::shell {
namespace {

constexpr std::size_t most_of_session = 1000;  ///< entries that are kept at least while the shell runs

}  // namespace

EditedInput::EditedInput(const view::Display& display, InputSetup setup)
    : display_(display),
      setup_(std::move(setup)),
      history_(history_init()),
      edit_(el_init("cudash", stdin, stdout, stderr)) {
    HistEvent event;
    history(history_.get(), &event, H_SETSIZE,
            static_cast<int>(std::max<std::size_t>(setup_.history_size, most_of_session)));
    history(history_.get(), &event, H_SETUNIQUE, 1);
    if (!setup_.history_file.empty())
        for (std::string& entry : load_history(setup_.history_file, setup_.history_size)) {
            history(history_.get(), &event, H_ENTER, entry.c_str());
            last_ = std::move(entry);
        }
    EditLine* edit = edit_.get();
    el_set(edit, EL_CLIENTDATA, this);
    el_set(edit, EL_PROMPT, &show_prompt);
    el_set(edit, EL_GETCFN, &read_key);
    el_set(edit, EL_HIST, ::history, history_.get());
    el_set(edit, EL_EDITOR, "emacs");
    bind_keys();
    el_source(edit, nullptr);
}

// Reading.

Entry EditedInput::read(const std::string& prompt) {
    const TerminalKeys::Listening listening;
    prompt_ = prompt;
    interrupted_ = false;
    bypass_.clear();
    left_out_ = indented_ = 0;
    is_arriving_ = false;
    recalled_.reset();
    edited_.clear();
    notes_.clear();
    if (carried_.empty() && keys_.take_end_typed_ahead()) {
        write(prompt_);
        Entry entry;
        entry.kind = Entry::Kind::end;
        return entry;
    }
    begin_terminal();
    // el_gets shows the prompt first; a Ctrl-D that is typed at once would still reach a terminal in cooked mode.
    el_set(edit_.get(), EL_PREP_TERM, 1);
    if (!carried_.empty()) keys_.push(std::string(paste_begin) + std::exchange(carried_, {}) + std::string(paste_end));
    int count = 0;
    const char* line = el_gets(edit_.get(), &count);
    end_terminal();
    Entry entry;
    if (interrupted_) {
        write("^C\n");
        el_reset(edit_.get());
        entry.kind = Entry::Kind::interrupt;
        return entry;
    }
    if (!bypass_.empty()) {
        // Its pieces are shown where they run, the first one here.
        write("\033[A\r\033[J");
        entry.text = std::exchange(bypass_, {});
        entry.shown = false;
    } else if (!line || count <= 0) {
        entry.kind = Entry::Kind::end;
    } else {
        entry.text = line;
        while (entry.text.ends_with('\n') || entry.text.ends_with('\r')) entry.text.pop_back();
        colour(entry.text);
    }
    for (const std::string& note : notes_) display_.messages(fmt::format("  {}\n", note));
    if (left_out_ > 0)
        display_.messages(fmt::format("  {} {} of what was pasted {} no text and left out\n", left_out_,
                                      left_out_ == 1 ? "byte" : "bytes", left_out_ == 1 ? "is" : "are"));
    return entry;
}

void EditedInput::show(const std::string& prompt, std::string_view text) {
    while (text.ends_with('\n')) text.remove_suffix(1);
    write(fmt::format("{}{}\n", prompt, view::highlight(text, display_.style_of_results)));
}

void EditedInput::remember(std::string_view text) {
    while (text.ends_with('\n') || text.ends_with(' ')) text.remove_suffix(1);
    if (text.find_first_not_of(" \t\n") == std::string_view::npos || text == last_ || text.size() > most_of_entry)
        return;
    last_ = text;
    HistEvent event;
    history(history_.get(), &event, H_ENTER, last_.c_str());
    if (setup_.history_file.empty()) return;
    const std::string why = append_history(setup_.history_file, last_);
    if (why.empty() || std::exchange(history_told_, true)) return;
    Diagnostic problem =
        error("history-not-written", fmt::format("what is entered can't be kept in {}: {}", setup_.history_file, why),
              "the history lasts until this shell ends; XDG_STATE_HOME can name another folder");
    problem.severity = Diagnostic::Severity::warning;
    display_.show(problem, {});
}

int EditedInput::next_key(wchar_t& key) {
    if (std::exchange(is_arriving_, false)) arrive();
    while (true) {
        if (!keys_.has_more()) colour_edit(true);
        switch (keys_.next(key)) {
            case TerminalKeys::Event::character:
                // What ends a search, and is not Enter, leaves its text to be edited.
                if (key < L' ' && std::wstring_view(L"\r\n\b\x12\x13").find(key) == std::wstring_view::npos)
                    searched_ = false;
                // Within a search libedit knows only keys of its own.
                if (searched_ && key == L'\x12') key = search_key;
                return 1;
            case TerminalKeys::Event::interrupt:
                interrupted_ = true;
                colour_edit(false);
                go_below();
                return 0;
            case TerminalKeys::Event::end:
                return 0;
            case TerminalKeys::Event::resize:
                clear_edit();
                el_resize(edit_.get());
                redraw();
                break;
            case TerminalKeys::Event::suspend:
                go_below();
                end_terminal();
                el_set(edit_.get(), EL_PREP_TERM, 0);
                write("\n");
                TerminalKeys::suspend();
                el_set(edit_.get(), EL_PREP_TERM, 1);
                begin_terminal();
                redraw();
                break;
            case TerminalKeys::Event::watched: {
                clear_edit();
                const auto ready = ready_;  // it may set another
                prompt_ = ready();
                redraw();
                break;
            }
        }
    }
}

// The screen.

winsize EditedInput::screen() {
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2 || size.ws_row < 2) return {24, 80, 0, 0};
    return size;
}

Place EditedInput::place_of(std::wstring_view text) const {
    const std::size_t width = screen().ws_col;
    return place_after(text, width, place_after(widen(prompt_), width));
}

void EditedInput::write(std::string_view bytes) {
    std::fwrite(bytes.data(), 1, bytes.size(), stdout);
    std::fflush(stdout);
}

void EditedInput::clear_edit() const {
    // What has scrolled off the screen stays.
    const std::size_t row = std::min<std::size_t>(place_of(text().substr(0, cursor())).row, screen().ws_row - 1u);
    write(row > 0 ? fmt::format("\033[{}A\r\033[J", row) : "\r\033[J");
}

void EditedInput::go_below() const {
    const std::wstring all = text();
    const std::size_t down = place_of(all).row - place_of(std::wstring_view(all).substr(0, cursor())).row;
    if (down > 0) write(fmt::format("\033[{}B", down));
}

void EditedInput::colour(const std::string& entered) const {
    const view::Style& style = display_.style_of_results;
    if (!style.colour) return;
    const std::size_t rows = place_of(widen(entered)).row + 1;
    if (rows >= screen().ws_row) return;
    write(fmt::format("\033[{}A\r\033[J{}{}\n", rows, prompt_, view::highlight(entered, style)));
}

void EditedInput::colour_edit(bool brackets) const {
    const std::wstring now = text();
    const winsize size = screen();
    write(coloured_edit({now, cursor(), place_of({}), size.ws_col, size.ws_row}, display_.style_of_results, brackets));
}

void EditedInput::begin_terminal() {
    write("\033[?2004h");
}

void EditedInput::end_terminal() {
    write("\033[?2004l");
}

std::unique_ptr<Input> edited_input(const view::Display& display, InputSetup setup) {
    return std::make_unique<EditedInput>(display, std::move(setup));
}

}  // namespace cudash::shell
