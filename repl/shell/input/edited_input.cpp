#include "repl/shell/input/edited_input.h"

#include <fmt/format.h>
#include <histedit.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "repl/shell/commands.h"
#include "repl/shell/completion.h"
#include "repl/shell/editor.h"
#include "repl/shell/input/characters.h"
#include "repl/shell/input/edit_colours.h"
#include "repl/shell/input/edit_text.h"
#include "repl/shell/input/history.h"
#include "repl/shell/input/terminal_keys.h"
#include "repl/shell/pasted_text.h"
#include "repl/shell/split_input.h"
#include "repl/view/highlight.h"

namespace cudash::shell {
namespace {

/// Keys that no one has a use for: what libedit itself does at the end of a function of ours.
constexpr wchar_t accept_key = L'\x1c', previous_key = L'\x1d', next_history_key = L'\x1e', search_key = L'\x1f';

constexpr std::size_t most_of_session = 1000;  ///< entries that are kept at least while the shell runs

class EditedInput final : public Input {
public:
    EditedInput(const view::Display& display, InputSetup setup);

    Entry read(const std::string& prompt) override;
    void show(const std::string& prompt, std::string_view text) override;
    void watch(int fd, std::function<std::string()> ready) override {
        keys_.watch(fd);
        ready_ = std::move(ready);
    }
    void remember(std::string_view text) override;
    bool is_terminal() const override { return true; }

private:
    struct EndEdit {
        void operator()(EditLine* edit) const { el_end(edit); }
    };
    struct EndHistory {
        void operator()(History* history) const { history_end(history); }
    };

    static EditedInput& of(EditLine* edit) {
        void* self = nullptr;
        el_get(edit, EL_CLIENTDATA, &self);
        return *static_cast<EditedInput*>(self);
    }
    static char* show_prompt(EditLine* edit) { return of(edit).prompt_.data(); }
    static int read_key(EditLine* edit, wchar_t* key) { return of(edit).next_key(*key); }
    template <unsigned char (EditedInput::*member)()>
    static unsigned char call(EditLine* edit, int) {
        return (of(edit).*member)();
    }
    void bind_keys();

    // The text that is being edited.
    std::wstring text() const {
        const LineInfoW* line = el_wline(edit_.get());
        return {line->buffer, line->lastchar};
    }
    std::size_t cursor() const {
        const LineInfoW* line = el_wline(edit_.get());
        return static_cast<std::size_t>(line->cursor - line->buffer);
    }
    void move_to(std::size_t place) { el_cursor(edit_.get(), static_cast<int>(place) - static_cast<int>(cursor())); }
    void insert(const std::wstring& added) {
        if (!added.empty()) el_winsertstr(edit_.get(), added.c_str());
    }
    /// Takes out [begin, end) and leaves the cursor there.
    void erase(std::size_t begin, std::size_t end) {
        move_to(end);
        if (end > begin) el_deletestr(edit_.get(), static_cast<int>(end - begin));
    }
    /// The same, and keeps it for ^Y.
    unsigned char kill(std::size_t begin, std::size_t end) {
        if (begin == end) return CC_ERROR;
        killed_ = text().substr(begin, end - begin);
        erase(begin, end);
        return CC_REFRESH;
    }
    unsigned char go(std::size_t place) {
        move_to(place);
        return CC_REFRESH;
    }
    /// Lets libedit act on one of its own keys next.
    unsigned char push_key(wchar_t key) {
        const std::array<wchar_t, 2> keys{key, L'\0'};
        el_wpush(edit_.get(), keys.data());
        return CC_REFRESH;
    }

    // The screen.
    static winsize screen();
    Place place_of(std::wstring_view text) const;
    static void write(std::string_view bytes);
    /// Takes the prompt and the text off the screen; what is printed next stands in their place.
    void clear_edit() const;
    void go_below() const;
    void redraw() { el_set(edit_.get(), EL_REFRESH); }
    void colour(const std::string& entered) const;
    void colour_edit(bool brackets) const;
    void begin_terminal();
    void end_terminal();

    // Keys.
    int next_key(wchar_t& key);
    bool goes_on(const std::string& entered);
    unsigned char enter();
    unsigned char new_line();
    unsigned char paste();
    unsigned char tab();
    unsigned char complete_word(const session::Completions& found, std::size_t at);
    unsigned char close_brace();
    unsigned char backspace();
    unsigned char delete_or_end();
    unsigned char up();
    unsigned char down();
    unsigned char leave_for(wchar_t key);
    void arrive();
    unsigned char home() { return go(line_begin(text(), cursor())); }
    unsigned char end() { return go(line_end(text(), cursor())); }
    unsigned char kill_to_end() {
        const std::size_t to = line_end(text(), cursor());
        return kill(cursor(), to == cursor() && to < text().size() ? to + 1 : to);
    }
    unsigned char kill_to_begin() { return kill(line_begin(text(), cursor()), cursor()); }
    unsigned char kill_word() { return kill(word_begin(text(), cursor()), cursor()); }
    unsigned char kill_next_word() { return kill(cursor(), word_end(text(), cursor())); }
    unsigned char yank() {
        insert(killed_);
        return CC_REFRESH;
    }
    unsigned char edit_elsewhere();
    unsigned char search() {
        searched_ = true;
        return push_key(search_key);
    }

    const view::Display& display_;
    InputSetup setup_;
    std::string prompt_;
    TerminalKeys keys_;
    std::function<std::string()> ready_;
    std::wstring killed_;
    std::string last_;                ///< entry of the history
    std::string carried_;             ///< of a paste, the cell that is not whole: it is edited next
    std::string bypass_;              ///< of a paste, what runs without being edited
    std::vector<std::string> notes_;  ///< on what was pasted
    std::size_t left_out_ = 0;
    std::size_t indented_ = 0;  ///< spaces that the last line began with by itself
    bool history_told_ = false;
    bool interrupted_ = false;
    bool searched_ = false;                        ///< ^R was the last that was typed, but for what is searched
    bool is_arriving_ = false;                     ///< in the history, at another entry
    std::optional<std::wstring> recalled_;         ///< the entry of the history that is edited, as it was
    std::map<std::wstring, std::wstring> edited_;  ///< entries that were changed and left, as they were and are
    std::unique_ptr<History, EndHistory> history_;
    std::unique_ptr<EditLine, EndEdit> edit_;
};

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

void EditedInput::bind_keys() {
    struct Row {
        const char* name;
        unsigned char (*function)(EditLine*, int);
        std::array<const char*, 4> keys;
    };
    using Self = EditedInput;
    static constexpr std::array rows = {
        Row{"cudash-enter", &call<&Self::enter>, {"\n", "\r"}},
        Row{"cudash-new-line", &call<&Self::new_line>, {"\033\r", "\033\n"}},  // Alt-Enter
        Row{"cudash-paste", &call<&Self::paste>, {"\033[200~"}},
        Row{"cudash-tab", &call<&Self::tab>, {"\t"}},
        Row{"cudash-close-brace", &call<&Self::close_brace>, {"}"}},
        Row{"cudash-backspace", &call<&Self::backspace>, {"\x7f", "\b"}},
        Row{"cudash-delete-or-end", &call<&Self::delete_or_end>, {"\x04"}},
        Row{"cudash-up", &call<&Self::up>, {"\033[A", "\033OA", "\x10"}},
        Row{"cudash-down", &call<&Self::down>, {"\033[B", "\033OB", "\x0e"}},
        Row{"cudash-home", &call<&Self::home>, {"\x01", "\033[H", "\033OH", "\033[1~"}},
        Row{"cudash-end", &call<&Self::end>, {"\x05", "\033[F", "\033OF", "\033[4~"}},
        Row{"cudash-kill-to-end", &call<&Self::kill_to_end>, {"\x0b"}},
        Row{"cudash-kill-to-begin", &call<&Self::kill_to_begin>, {"\x15"}},
        Row{"cudash-kill-word", &call<&Self::kill_word>, {"\x17", "\033\x7f"}},
        Row{"cudash-kill-next-word", &call<&Self::kill_next_word>, {"\033d"}},
        Row{"cudash-yank", &call<&Self::yank>, {"\x19"}},
        Row{"cudash-search", &call<&Self::search>, {"\x12"}},              // ^R
        Row{"cudash-editor", &call<&Self::edit_elsewhere>, {"\x18\x05"}},  // ^X^E
    };
    for (const Row& row : rows) {
        el_set(edit_.get(), EL_ADDFN, row.name, row.name, row.function);
        for (const char* keys : row.keys)
            if (keys) el_set(edit_.get(), EL_BIND, keys, row.name, nullptr);
    }
    const std::string accept(1, static_cast<char>(accept_key)), previous(1, static_cast<char>(previous_key)),
        next(1, static_cast<char>(next_history_key)), search(1, static_cast<char>(search_key));
    const std::array<std::pair<const char*, const char*>, 10> own = {{{accept.c_str(), "ed-newline"},
                                                                      {previous.c_str(), "ed-prev-history"},
                                                                      {next.c_str(), "ed-next-history"},
                                                                      {search.c_str(), "em-inc-search-prev"},
                                                                      {"\x13", "em-inc-search-next"},  // ^S
                                                                      {"\033[5~", "ed-search-prev-history"},
                                                                      {"\033[6~", "ed-search-next-history"},
                                                                      {"\033[3~", "ed-delete-next-char"},
                                                                      {"\033[1;5C", "em-next-word"},
                                                                      {"\033[1;5D", "ed-prev-word"}}};
    for (const auto& [keys, function] : own) el_set(edit_.get(), EL_BIND, keys, function, nullptr);
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

// Keys.

/// The line that was typed ahead belongs to the text's last cell, as `else` does.
bool EditedInput::goes_on(const std::string& entered) {
    const auto next = keys_.next_line();
    if (!next) return false;
    const auto alone = split_input(entered + "\n");
    if (alone.empty()) return false;
    const auto together = split_input(entered + "\n" + std::string(*next) + "\n");
    return together.size() < alone.size() || together[alone.size() - 1].text != alone.back().text;
}

unsigned char EditedInput::enter() {
    const std::wstring now = text();
    const std::string entered = narrow(now);
    // In the middle of a new cell Enter makes a line; what comes from the history it runs.
    const bool may_run =
        std::exchange(searched_, false) || recalled_ || now.find(L'\n', cursor()) == std::wstring::npos;
    if (by_lines_ || (may_run && ((is_command(entered) && entered.find('\n') == std::string::npos) ||
                                  (is_whole_input(entered) && !goes_on(entered))))) {
        move_to(now.size());
        return push_key(accept_key);
    }
    return new_line();
}

unsigned char EditedInput::new_line() {
    indented_ = 0;
    if (keys_.has_more()) {  // what comes has its own indentation
        insert(L"\n");
        return CC_REFRESH;
    }
    if (is_in_indentation(text(), cursor())) erase(line_begin(text(), cursor()), cursor());
    indented_ = indentation_after(text().substr(0, cursor()));
    insert(L"\n" + std::wstring(indented_, L' '));
    return CC_REFRESH;
}

unsigned char EditedInput::paste() {
    PlainText plain = plain_text(keys_.paste());
    std::ranges::move(plain.notes, std::back_inserter(notes_));
    const std::wstring pasted = widen(plain.text, &left_out_);
    const bool at_end = cursor() == text().size();
    const std::wstring all = text() + pasted;
    const bool is_tall = place_of(all).row + 2 >= screen().ws_row;
    // A paste that ends with a line end was meant to run, and one that is taller than the screen can't be edited here.
    if (at_end && (pasted.ends_with(L'\n') || is_tall)) {
        std::string runs = narrow(all);
        const auto pieces = split_input(runs);
        if (!pieces.empty() && !pieces.back().whole) {
            carried_ = pieces.back().text;
            runs.resize(runs.size() - carried_.size());
        }
        if (runs.find_first_not_of(" \t\n") != std::string::npos) {
            bypass_ = std::move(runs);
            clear_edit();
            erase(0, text().size());
            redraw();
            return push_key(accept_key);
        }
        carried_.clear();
    }
    insert(pasted);
    return CC_REFRESH;
}

unsigned char EditedInput::tab() {
    const std::wstring now = text();
    const std::size_t at = cursor();
    if (!setup_.complete || is_in_indentation(now, at)) {
        insert(std::wstring(indent_width - (at - line_begin(now, at)) % indent_width, L' '));
        return CC_REFRESH;
    }
    return complete_word(setup_.complete(narrow(now.substr(0, at))), at);
}

unsigned char EditedInput::complete_word(const session::Completions& found, std::size_t at) {
    const std::string before = narrow(text().substr(0, at)), common = common_prefix(found);
    if (found.candidates.empty() && found.calls.empty()) return CC_ERROR;
    const std::string typed = before.substr(before.size() - std::min<std::size_t>(before.size(), found.word));
    std::string added = common.starts_with(typed) ? common.substr(typed.size()) : std::string();
    if (found.candidates.size() == 1 && !found.more && found.candidates.front().is_call &&
        !(at < text().size() && text()[at] == L'('))
        added += found.candidates.front().has_parameters ? "(" : "()";
    // At the start of an argument the parameters say more than what its values have in common.
    if (!added.empty() && (found.word > 0 || found.calls.empty() || found.candidates.size() == 1)) {
        insert(widen(added));
        return CC_REFRESH;
    }
    const winsize size = screen();
    go_below();
    write("\n" +
          list_completions(found, display_.style_of_results, size.ws_col, size.ws_row > 6 ? size.ws_row - 4u : 2u));
    redraw();
    return CC_NORM;
}

unsigned char EditedInput::close_brace() {
    const std::wstring now = text();
    const std::size_t at = cursor();
    if (indented_ > 0 && is_in_indentation(now, at) && at - line_begin(now, at) == indented_)
        if (const auto indentation = closing_indentation(now.substr(0, at))) {
            erase(line_begin(now, at), at);
            insert(std::wstring(*indentation, L' '));
        }
    insert(L"}");
    return CC_REFRESH;
}

unsigned char EditedInput::backspace() {
    const std::wstring now = text();
    const std::size_t at = cursor(), begin = line_begin(now, at);
    if (at == 0) return CC_ERROR;
    std::size_t from = at - 1;
    if (at > begin && is_in_indentation(now, at) && now.find(L'\t', begin) >= at)
        from = begin + (at - begin - 1) / indent_width * indent_width;
    erase(from, at);
    return CC_REFRESH;
}

unsigned char EditedInput::delete_or_end() {
    const std::size_t at = cursor(), size = text().size();
    if (size == 0) return CC_EOF;
    if (at == size) return CC_ERROR;
    erase(at, at + 1);
    return CC_REFRESH;
}

unsigned char EditedInput::up() {
    const auto place = line_up(text(), cursor());
    return place ? go(*place) : leave_for(previous_key);
}

unsigned char EditedInput::down() {
    const auto place = line_down(text(), cursor());
    return place ? go(*place) : leave_for(next_history_key);
}

/// Goes to another entry of the history; what was changed in this one is there again when it comes back. libedit keeps
/// a text that was never entered.
unsigned char EditedInput::leave_for(wchar_t key) {
    if (recalled_ && text() != *recalled_) edited_[*recalled_] = text();
    is_arriving_ = true;
    return push_key(key);
}

void EditedInput::arrive() {
    const std::wstring now = text();
    HistEvent event;
    const auto is_entry = [&](const std::wstring& entry) {
        const std::string bytes = narrow(entry);
        for (int at = ::history(history_.get(), &event, H_FIRST); at != -1;
             at = ::history(history_.get(), &event, H_NEXT))
            if (bytes == event.str) return true;
        return false;
    };
    // At the end of the history the text stays, as it was changed.
    if (const auto changed = recalled_ ? edited_.find(*recalled_) : edited_.end();
        changed != edited_.end() && changed->second == now)
        return;
    recalled_.reset();
    if (!is_entry(now)) return;
    recalled_ = now;
    const auto found = edited_.find(now);
    if (found == edited_.end()) return;
    erase(0, now.size());
    insert(found->second);
    redraw();
}

unsigned char EditedInput::edit_elsewhere() {
    clear_edit();
    end_terminal();
    el_set(edit_.get(), EL_PREP_TERM, 0);
    const auto edited = edit_text(narrow(text()), setup_.editor ? setup_.editor() : std::string());
    el_set(edit_.get(), EL_PREP_TERM, 1);
    begin_terminal();
    if (edited) {
        std::wstring now = widen(*edited, &left_out_);
        while (now.ends_with(L'\n')) now.pop_back();
        erase(0, text().size());
        insert(now);
    } else {
        display_.show(edited.error(), {});
    }
    redraw();
    return CC_NORM;
}

}  // namespace

std::unique_ptr<Input> edited_input(const view::Display& display, InputSetup setup) {
    return std::make_unique<EditedInput>(display, std::move(setup));
}

}  // namespace cudash::shell
