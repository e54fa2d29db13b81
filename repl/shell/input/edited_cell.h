// One cell that is being edited with libedit: edited_input.cpp has reading and the screen, edit_keys.cpp the keys.
#pragma once

#include <histedit.h>
#include <sys/ioctl.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "repl/shell/input/characters.h"
#include "repl/shell/input/edit_text.h"
#include "repl/shell/input/input.h"
#include "repl/shell/input/terminal_keys.h"
#include "repl/shell/line_completion.h"

namespace cudash::shell {

/// Keys that no one has a use for: what libedit itself does at the end of a function of ours.
inline constexpr wchar_t accept_key = L'\x1c', previous_key = L'\x1d', next_history_key = L'\x1e', search_key = L'\x1f';

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

}  // namespace cudash::shell
