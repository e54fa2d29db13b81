#include "repl/lesson/input.h"

#include <unistd.h>

#include <iostream>

#include "repl/shell/line_reader.h"

namespace cudash::lesson {
namespace {

using shell::LineReader;

class TerminalInput : public Input {
public:
    TerminalInput() : reader_(shell::default_history_file()) {}

    Event read(const std::string& prompt, std::string& line) override {
        switch (reader_.read(prompt, line)) {
            case LineReader::Event::line:
                reader_.remember(line);
                return Event::line;
            case LineReader::Event::interrupt:
                return Event::interrupt;
            case LineReader::Event::end:
                break;
        }
        return Event::end;
    }
    void watch(int fd, std::function<std::string()> ready) override { reader_.watch(fd, std::move(ready)); }
    bool more_input() override { return reader_.more_input(); }
    bool is_terminal() const override { return true; }

private:
    LineReader reader_;
};

/// Prompts and lines are shown, so that the output reads as a terminal's would.
class PipeInput : public Input {
public:
    explicit PipeInput(const view::Display& display) : display_(display) {}

    Event read(const std::string& prompt, std::string& line) override {
        if (!std::getline(std::cin, line)) return Event::end;
        while (line.ends_with('\r')) line.pop_back();
        display_.results(prompt + line + "\n");
        return Event::line;
    }
    void watch(int, std::function<std::string()>) override {}
    bool more_input() override { return false; }
    bool is_terminal() const override { return false; }

private:
    const view::Display& display_;
};

}  // namespace

std::unique_ptr<Input> standard_input(const view::Display& display) {
    if (isatty(STDIN_FILENO) == 1) return std::make_unique<TerminalInput>();
    return std::make_unique<PipeInput>(display);
}

}  // namespace cudash::lesson
