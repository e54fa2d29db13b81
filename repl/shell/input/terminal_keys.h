// What a terminal sends, as characters; and the signals that come meanwhile.
#pragma once

#include <poll.h>

#include <csignal>
#include <optional>
#include <string>
#include <string_view>

namespace cudash::shell {

/// Between the two a terminal sends what was pasted (xterm, "Bracketed Paste Mode").
inline constexpr std::string_view paste_begin = "\033[200~", paste_end = "\033[201~";

class TerminalKeys {
public:
    /// What the wait for a character ended with.
    enum class Event { character, interrupt, resize, suspend, watched, end };

    /// While it lives, Ctrl-C, Ctrl-Z and changes of the terminal's size are events. SIGINT is taken only while
    /// waiting: one that comes between two waits stays pending for whoever runs next.
    class Listening {
    public:
        Listening();
        ~Listening();
        Listening(const Listening&) = delete;
        Listening& operator=(const Listening&) = delete;

    private:
        struct sigaction suspend_, resize_;  ///< before
    };

    /// Waits. `key` is set with Event::character; bytes that are no character are left out. An interrupt drops what was
    /// typed before it.
    Event next(wchar_t& key);
    /// The rest of a bracketed paste, after its beginning (xterm control sequences, "Bracketed Paste Mode"): up to its
    /// end, or until nothing more comes. Line ends are '\n'.
    std::string paste();
    /// Ctrl-D was typed ahead, alone, while the terminal still collected lines: then it is an end and not a character,
    /// and is lost when the terminal's mode changes (termios(3), "Canonical and noncanonical mode"). Takes it.
    bool take_end_typed_ahead();
    /// Something was typed ahead.
    bool has_more();
    /// The next line that was typed ahead, if it is there as a whole and has no control characters.
    std::optional<std::string_view> next_line();
    /// As if it came from the terminal, before all else.
    void push(std::string_view bytes) { bytes_.insert(0, bytes); }

    /// Stops this process as Ctrl-Z does by default; returns when it goes on. Where nobody could let it go on (an
    /// orphaned process group), it does so at once.
    static void suspend();

    /// Event::watched comes once when `fd` has something to read; -1: none.
    void watch(int fd) { watched_ = fd; }

private:
    enum class Filled { bytes, nothing, signal, watched, end };
    /// Waits up to `timeout` ms (-1: for ever) for bytes.
    Filled fill(int timeout);

    std::string bytes_;  ///< read from the terminal, not yet taken
    int watched_ = -1;
    bool behind_interrupt_ = false;  ///< `bytes_` was typed after the Ctrl-C that is to be told
};

}  // namespace cudash::shell
