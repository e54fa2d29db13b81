// What the keys do.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "repl/shell/commands.h"
#include "repl/shell/editor.h"
#include "repl/shell/input/edited_cell.h"
#include "repl/shell/pasted_text.h"
#include "repl/shell/split_input.h"

namespace cudash::shell {

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

}  // namespace cudash::shell
