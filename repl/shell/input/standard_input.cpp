#include <poll.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <iostream>
#include <optional>
#include <utility>

#include "repl/shell/input/edited_input.h"
#include "repl/shell/input/input.h"
#include "repl/shell/input/terminal_keys.h"
#include "repl/shell/split_input.h"

namespace cudash::shell {
namespace {

constexpr const char* continuation = "...> ";

/// Gathers lines until they are whole. False: one more is needed.
bool add_line(std::string& text, std::string_view line, bool by_lines) {
    if (!text.empty()) text += '\n';
    text += line;
    return by_lines || is_whole_input(text);
}

/// A terminal that is sent no control sequences: the system edits its lines, one at a time.
class PlainInput final : public Input {
public:
    explicit PlainInput(const view::Display& display) : display_(display) {}

    Entry read(const std::string& prompt) override {
        const TerminalKeys::Listening listening;
        Entry entry;
        display_.results(prompt);
        std::string line;
        while (true) {
            wchar_t key = 0;
            switch (keys_.next(key)) {
                case TerminalKeys::Event::character:
                    break;
                case TerminalKeys::Event::interrupt:
                    display_.results("\n");
                    entry.kind = Entry::Kind::interrupt;
                    return entry;
                case TerminalKeys::Event::end:
                    entry.kind = Entry::Kind::end;
                    return entry;
                case TerminalKeys::Event::watched: {
                    const auto ready = ready_;  // it may set another
                    display_.results("\n");
                    display_.results(ready());
                    continue;
                }
                case TerminalKeys::Event::suspend:
                    TerminalKeys::suspend();
                    continue;
                case TerminalKeys::Event::resize:
                    continue;
            }
            if (key != L'\n') {
                append(line, key);
                continue;
            }
            if (add_line(entry.text, std::exchange(line, {}), by_lines_)) return entry;
            display_.results(continuation);
        }
    }
    void show(const std::string&, std::string_view) override {}
    void watch(int fd, std::function<std::string()> ready) override {
        keys_.watch(fd);
        ready_ = std::move(ready);
    }
    void remember(std::string_view) override {}
    bool is_terminal() const override { return true; }

private:
    static void append(std::string& line, wchar_t key) {
        std::array<char, 16> bytes;
        std::mbstate_t state{};
        const std::size_t size = std::wcrtomb(bytes.data(), key, &state);
        if (size <= bytes.size()) line.append(bytes.data(), size);
    }

    const view::Display& display_;
    TerminalKeys keys_;
    std::function<std::string()> ready_;
};

/// Prompts and lines are shown, so that the output reads as a terminal's would.
class PipeInput final : public Input {
public:
    explicit PipeInput(const view::Display& display) : display_(display) {}

    Entry read(const std::string& prompt) override {
        Entry entry;
        std::string line;
        for (std::string shown = prompt; std::getline(std::cin, line); shown = continuation) {
            while (line.ends_with('\r')) line.pop_back();
            display_.results(shown + line + "\n");
            if (add_line(entry.text, line, by_lines_)) return entry;
        }
        // What is not whole at the end is for the compiler to say.
        if (entry.text.empty()) entry.kind = Entry::Kind::end;
        return entry;
    }
    void show(const std::string&, std::string_view) override {}
    void watch(int, std::function<std::string()>) override {}
    void remember(std::string_view) override {}
    bool is_terminal() const override { return false; }

private:
    const view::Display& display_;
};

}  // namespace

std::unique_ptr<Input> standard_input(const view::Display& display, InputSetup setup) {
    if (isatty(STDIN_FILENO) != 1) return std::make_unique<PipeInput>(display);
    if (display.controls) return edited_input(display, std::move(setup));
    return std::make_unique<PlainInput>(display);
}

}  // namespace cudash::shell
