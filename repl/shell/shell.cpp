#include "repl/shell/shell.h"

#include <fmt/format.h>

#include "repl/shell/cell_complete.h"
#include "repl/shell/commands.h"
#include "repl/shell/line_reader.h"

namespace cudash::shell {
namespace {

using session::Outcome;
using State = worker::Client::State;

class Shell {
public:
    explicit Shell(Notebook& notebook) : notebook_(notebook), reader_(default_history_file()) {}

    int run() {
        notebook_.client().start();
        std::string line;
        while (true) {
            watch_start();
            switch (reader_.read(pending_.empty() ? prompt() : "...> ", line)) {
                case LineReader::Event::end:
                    notebook_.display().messages("\n");
                    return 0;
                case LineReader::Event::interrupt:
                    pending_.clear();
                    blank_lines_ = 0;
                    break;
                case LineReader::Event::line:
                    reader_.remember(line);
                    if (const auto code = take(line)) return *code;
                    break;
            }
        }
    }

private:
    std::string prompt() {
        const worker::Client& client = notebook_.client();
        return fmt::format("cudash [{}]> ",
                           client.state() == State::ready ? client.device() : client.settings().options.device);
    }

    /// The prompt is there before the worker is; it names the device once that is known.
    void watch_start() {
        worker::Client& client = notebook_.client();
        client.poll_ready();
        if (client.state() != State::starting) {
            reader_.watch(-1, {});
            return;
        }
        reader_.watch(client.descriptor(), [this] {
            watch_start();
            const worker::Client& started = notebook_.client();
            if (started.state() == State::failed) notebook_.display().show(started.failure(), {});
            return pending_.empty() ? prompt() : "...> ";
        });
    }

    std::optional<int> take(const std::string& line) {
        if (is_command(line)) {
            evaluate_pending(false);
            if (pending_.empty()) return run_command(notebook_, line);
        }
        const bool blank = line.find_first_not_of(" \t") == std::string::npos;
        blank_lines_ = blank ? blank_lines_ + 1 : 0;
        pending_ += line + "\n";
        if (!reader_.more_input()) evaluate_pending(blank_lines_ >= 2);
        return std::nullopt;
    }

    void evaluate_pending(bool force) {
        while (!pending_.empty()) {
            const CellExtent extent = first_cell(pending_);
            if (extent.state == CellExtent::State::incomplete && !force) return;
            const std::string cell = pending_.substr(extent.begin, extent.end - extent.begin);
            pending_.erase(0, extent.end);
            if (extent.state != CellExtent::State::empty) evaluate(cell);
        }
        blank_lines_ = 0;
    }

    void evaluate(const std::string& text) {
        const Outcome outcome = notebook_.evaluate(text);
        const view::Display& display = notebook_.display();
        if (outcome.status == Outcome::Status::exited)
            display.messages(fmt::format("{} called exit({}); the session goes on\n", notebook_.cells().back().name,
                                         outcome.exit_code));
        if (outcome.status == Outcome::Status::lost && notebook_.client().state() == State::stopped) {
            if (notebook_.accepted() > 0)
                display.messages(
                    "  a new worker starts without the cells so far; :replay runs the accepted ones again\n");
            notebook_.client().start();
        }
        if (display.fresh_line) display.fresh_line();
    }

    Notebook& notebook_;
    LineReader reader_;
    std::string pending_;
    int blank_lines_ = 0;
};

}  // namespace

int run_shell(Notebook& notebook) {
    return Shell(notebook).run();
}

}  // namespace cudash::shell
