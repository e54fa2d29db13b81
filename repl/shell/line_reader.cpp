#include "repl/shell/line_reader.h"

#include <histedit.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <filesystem>
#include <string_view>
#include <utility>

namespace cudash::shell {
namespace {

constexpr std::string_view paste_begin = "\033[200~", paste_end = "\033[201~";
constexpr int history_size = 2000;

volatile std::sig_atomic_t interrupted = 0, resized = 0;

void install(int signal, void (*handler)(int)) {
    struct sigaction action = {};
    action.sa_handler = handler;  // without SA_RESTART: the wait for a key must end
    sigaction(signal, &action, nullptr);
}

/// SIGINT stays blocked except while waiting for a key.
sigset_t waiting_mask() {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    sigdelset(&mask, SIGINT);
    return mask;
}

}  // namespace

struct LineReader::State {
    struct EndEdit {
        void operator()(EditLine* edit) const { el_end(edit); }
    };
    struct EndHistory {
        void operator()(History* history) const { history_end(history); }
    };
    std::unique_ptr<History, EndHistory> history;
    std::unique_ptr<EditLine, EndEdit> edit;
    std::string history_file;
    std::string prompt;
    std::string bytes;  ///< read from the terminal, not yet taken
    bool in_paste = false;
    bool has_paste_mode = false;
    bool at_end = false;
    int watched = -1;
    std::function<std::string()> ready;

    static State* of(EditLine* editor) {
        void* self = nullptr;
        el_get(editor, EL_CLIENTDATA, &self);
        return static_cast<State*>(self);
    }
    static char* show_prompt(EditLine* editor) { return of(editor)->prompt.data(); }
    static int read_key(EditLine* editor, wchar_t* key) { return of(editor)->next_key(key); }

    /// Takes what the terminal has within `timeout` ms (-1: waits). False: nothing, or a signal.
    bool fill(int timeout);
    /// Removes paste markers at the front; false if a marker may have arrived in part.
    bool take_markers();
    int next_key(wchar_t* key);
};

bool LineReader::State::fill(int timeout) {
    std::array<pollfd, 2> entries{{{STDIN_FILENO, POLLIN, 0}, {watched, POLLIN, 0}}};
    const timespec limit{timeout / 1000, timeout % 1000 * 1000000L};
    const sigset_t mask = waiting_mask();
    if (ppoll(entries.data(), entries.size(), timeout < 0 ? nullptr : &limit, &mask) <= 0) return false;
    if (entries[1].revents) {
        watched = -1;
        const auto call = ready;  // it may set another
        prompt = call();
        std::fputs("\r\033[K", stdout);
        std::fflush(stdout);
        el_set(edit.get(), EL_REFRESH);
    }
    if (!entries[0].revents) return true;
    std::array<char, 4096> chunk;
    const ssize_t size = ::read(STDIN_FILENO, chunk.data(), chunk.size());
    if (size > 0) bytes.append(chunk.data(), static_cast<std::size_t>(size));
    at_end = size == 0 || (size < 0 && errno != EINTR && errno != EAGAIN);
    return !at_end;
}

bool LineReader::State::take_markers() {
    while (true) {
        if (bytes.starts_with(paste_begin)) {
            bytes.erase(0, paste_begin.size());
            in_paste = true;
        } else if (bytes.starts_with(paste_end)) {
            bytes.erase(0, paste_end.size());
            in_paste = false;
        } else {
            return bytes.empty() || !(paste_begin.starts_with(bytes) || paste_end.starts_with(bytes));
        }
    }
}

int LineReader::State::next_key(wchar_t* key) {
    while (true) {
        if (interrupted) return 0;
        if (resized) {
            resized = 0;
            el_resize(edit.get());
        }
        if (bytes.empty()) {
            if (at_end) return 0;
            fill(-1);
            continue;
        }
        // The Escape key alone is followed by nothing.
        constexpr int escape_wait = 50;
        if (!take_markers() && fill(escape_wait)) continue;
        if (bytes.empty()) continue;

        std::mbstate_t conversion{};
        std::size_t length = std::mbrtowc(key, bytes.data(), bytes.size(), &conversion);
        if (length == static_cast<std::size_t>(-2) && fill(escape_wait)) continue;
        if (length > bytes.size()) {  // not a character in this encoding
            bytes.erase(0, 1);
            continue;
        }
        length = length == 0 ? 1 : length;
        bytes.erase(0, length);
        if (!in_paste) return 1;
        if (*key == L'\r') *key = L'\n';
        if (*key == L'\n' || *key == L'\t' || (*key >= L' ' && *key != 0x7f)) return 1;
    }
}

LineReader::LineReader(std::string history_file) : state_(std::make_unique<State>()) {
    State& state = *state_;
    state.history_file = std::move(history_file);
    state.history.reset(history_init());
    state.edit.reset(el_init("cudash", stdin, stdout, stderr));
    HistEvent event;
    ::history(state.history.get(), &event, H_SETSIZE, history_size);
    ::history(state.history.get(), &event, H_SETUNIQUE, 1);
    if (!state.history_file.empty()) {
        std::error_code ignored;
        std::filesystem::create_directories(std::filesystem::path(state.history_file).parent_path(), ignored);
        ::history(state.history.get(), &event, H_LOAD, state.history_file.c_str());
    }
    EditLine* edit = state.edit.get();
    el_set(edit, EL_CLIENTDATA, &state);
    el_set(edit, EL_PROMPT, &State::show_prompt);
    el_set(edit, EL_GETCFN, &State::read_key);
    el_set(edit, EL_HIST, ::history, state.history.get());
    el_set(edit, EL_EDITOR, "emacs");
    el_set(edit, EL_BIND, "\t", "ed-insert", nullptr);
    el_set(edit, EL_BIND, "^R", "em-inc-search-prev", nullptr);
    el_source(edit, nullptr);
    const char* terminal = std::getenv("TERM");
    state.has_paste_mode = terminal && std::string_view(terminal) != "dumb";

    sigset_t interrupt;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_BLOCK, &interrupt, nullptr);
    install(SIGINT, [](int) { interrupted = 1; });
    install(SIGWINCH, [](int) { resized = 1; });
}

LineReader::~LineReader() = default;

LineReader::Event LineReader::read(const std::string& prompt, std::string& line) {
    State& state = *state_;
    state.prompt = prompt;
    interrupted = 0;
    if (state.has_paste_mode) std::fputs("\033[?2004h", stdout);
    // el_gets shows the prompt first; a Ctrl-D that is typed at once would still reach a terminal in cooked mode.
    el_set(state.edit.get(), EL_PREP_TERM, 1);
    int count = 0;
    const char* text = el_gets(state.edit.get(), &count);
    if (state.has_paste_mode) std::fputs("\033[?2004l", stdout);
    std::fflush(stdout);
    if (interrupted) {
        interrupted = 0;
        state.bytes.clear();
        state.in_paste = false;
        std::fputs("^C\n", stdout);
        std::fflush(stdout);
        el_reset(state.edit.get());
        return Event::interrupt;
    }
    if (!text || count <= 0) return Event::end;
    line = text;
    while (line.ends_with('\n') || line.ends_with('\r')) line.pop_back();
    return Event::line;
}

bool LineReader::more_input() {
    State& state = *state_;
    state.take_markers();
    if (state.in_paste) return true;
    const int watched = std::exchange(state.watched, -1);
    state.fill(0);
    state.watched = watched;
    state.take_markers();
    return state.in_paste || state.bytes.find_first_of("\r\n") != std::string::npos;
}

void LineReader::watch(int fd, std::function<std::string()> ready) {
    state_->watched = fd;
    state_->ready = std::move(ready);
}

void LineReader::remember(const std::string& line) {
    if (line.find_first_not_of(" \t") == std::string::npos) return;
    HistEvent event;
    ::history(state_->history.get(), &event, H_ENTER, line.c_str());
    if (!state_->history_file.empty()) ::history(state_->history.get(), &event, H_SAVE, state_->history_file.c_str());
}

std::string default_history_file() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state && *state == '/') return std::string(state) + "/cudash/history";
    const char* home = std::getenv("HOME");
    if (home && *home == '/') return std::string(home) + "/.local/state/cudash/history";
    return {};
}

}  // namespace cudash::shell
