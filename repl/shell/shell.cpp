#include "repl/shell/shell.h"

#include <fmt/format.h>
#include <algorithm>

#include <csignal>

#include "repl/shell/commands.h"
#include "repl/shell/completion.h"
#include "repl/shell/input/history.h"
#include "repl/shell/input/input.h"
#include "repl/shell/split_input.h"

namespace cudash::shell {
namespace {

using session::Outcome;
using State = worker::Client::State;

InputSetup input_setup(Notebook& notebook) {
    const settings::Values& values = notebook.settings().values();
    InputSetup setup;
    setup.history_file = values.history_file.empty() ? default_history_file() : values.history_file;
    setup.history_size = values.history_size;
    if (values.history_size == 0) setup.history_file.clear();
    setup.editor = [&notebook] { return notebook.settings().values().editor; };
    setup.complete = [&notebook](std::string_view text) { return complete(notebook, text); };
    return setup;
}

class Shell {
public:
    explicit Shell(Notebook& notebook)
        : notebook_(notebook), input_(standard_input(notebook.display(), input_setup(notebook))) {}

    int run() {
        notebook_.client().start();
        while (true) {
            watch_start();
            const Entry entry = input_->read(prompt());
            if (entry.kind == Entry::Kind::end) {
                notebook_.display().messages("\n");
                return 0;
            }
            if (entry.kind == Entry::Kind::interrupt) continue;
            for (const InputPiece& piece : split_input(entry.text)) {
                if (!entry.shown) input_->show(prompt(), piece.text);
                input_->remember(piece.text);
                if (piece.is_command) {
                    if (const auto code = run_command(notebook_, piece.text)) return *code;
                } else {
                    evaluate(piece.text);
                }
                if (notebook_.code() == worker::exit_signal_base + SIGINT) break;
            }
        }
    }

private:
    std::string prompt() {
        const worker::Client& client = notebook_.client();
        if (client.state() == State::ready) return fmt::format("cudash [{}]> ", client.device());
        // "virtual:a100" is called "virtual a100" by then.
        std::string device = client.settings().options.device;
        std::ranges::replace(device, ':', ' ');
        return fmt::format("cudash [{}]> ", device);
    }

    /// The prompt is there before the worker is; it names the device once that is known.
    void watch_start() {
        worker::Client& client = notebook_.client();
        client.poll_ready();
        if (client.state() != State::starting) {
            input_->watch(-1, {});
            return;
        }
        input_->watch(client.descriptor(), [this] {
            watch_start();
            const worker::Client& started = notebook_.client();
            if (started.state() == State::failed) notebook_.display().show(started.failure(), {});
            return prompt();
        });
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
    std::unique_ptr<Input> input_;
};

}  // namespace

int run_shell(Notebook& notebook) {
    return Shell(notebook).run();
}

}  // namespace cudash::shell
